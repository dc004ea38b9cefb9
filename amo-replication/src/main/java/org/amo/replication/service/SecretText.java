package org.amo.replication.service;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Text of a file, or of an open file descriptor ({@code fd:3}), which no other process can read. */
final class SecretText {
    private static final String DESCRIPTOR = "fd:";

    private SecretText() {}

    static boolean isDescriptor(String file) {
        return file.matches(DESCRIPTOR + "[0-9]{1,6}");
    }

    /** All of it, but for white space around it. A pipe has its text for the first reader alone. */
    static String read(Path file) throws IOException {
        String name = file.toString();
        if (!isDescriptor(name)) {
            return Files.readString(file).strip();
        }
        // Not by a channel: a pipe has no position.
        try (InputStream in = new FileInputStream("/dev/fd/" + name.substring(DESCRIPTOR.length()))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }
}
