package org.amo.replication.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The secret files of an exchange, one for each process, and their texts in the order of the steps.
 *
 * @param folder of the files
 */
record SecretSteps(Path folder) {
    static final String OLD = "00".repeat(32);
    static final String NEW = "11".repeat(32);
    static final String BOTH = "amo secrets\n" + OLD + "\n" + NEW;
    static final String SWITCHED = "amo secrets\n" + NEW + "\n" + OLD;

    Path file(String of) {
        return folder.resolve("secret-" + of);
    }

    /** As an operator does: no process sees a part of it. */
    void write(String of, String text) {
        try {
            Path next = Files.writeString(folder.resolve("next"), text);
            Files.move(next, file(of), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
