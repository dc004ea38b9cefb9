package org.amo.benchmarks.figures;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Where it was measured, and how busy that machine was with other things. */
final class Machine {
    private Machine() {}

    /** {@code cores kernel jdk}, and the load average at this moment where there is one. */
    static ObjectNode json() {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("cores", Runtime.getRuntime().availableProcessors());
        node.put("kernel", System.getProperty("os.name", "") + " " + System.getProperty("os.version", ""));
        node.put("jdk", System.getProperty("java.vm.name", "") + " " + System.getProperty("java.version", ""));
        load().ifPresent(load -> node.put("loadAverage", load));
        return node;
    }

    /** The load average over the last minute. */
    private static Optional<Double> load() {
        try {
            String text = Files.readString(Path.of("/proc/loadavg"), StandardCharsets.US_ASCII);
            return Optional.of(Double.valueOf(text.substring(0, text.indexOf(' '))));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
