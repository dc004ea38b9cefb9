package org.amo.interceptors.logging;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.logging.LogManager;

/**
 * The platform's logging with JacORB at its own level, {@code jacorb.log.default.verbosity}. JacORB 3.9 sets that level
 * itself only under SLF4J 1.7; under 2 it would print several lines for every connection. {@link JacorbLogLimit} bounds
 * its log of broken messages. Made by {@link LogManager}, which finds the class in the property
 * {@code java.util.logging.config.class}.
 */
public final class QuietLogging {
    private static final Map<String, String> LEVELS =
            Map.of("0", "OFF", "1", "SEVERE", "2", "WARNING", "3", "INFO", "4", "FINER", "5", "FINEST");

    public QuietLogging() throws IOException {
        Path platforms = Path.of(System.getProperty("java.home"), "conf", "logging.properties");
        String configuration = Files.exists(platforms)
                ? Files.readString(platforms, StandardCharsets.ISO_8859_1)
                : "handlers=java.util.logging.ConsoleHandler";
        String level = LEVELS.getOrDefault(System.getProperty("jacorb.log.default.verbosity", "1"), "SEVERE");
        String text = configuration + "\norg.jacorb.level=" + level + "\njava.util.logging.ConsoleHandler.filter="
                + JacorbLogLimit.class.getName() + "\n";
        LogManager.getLogManager()
                .readConfiguration(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)));
    }
}
