package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All programs must read the same secret from the same file. */
final class SecretFileTest {
    @TempDir
    private Path folder = Path.of("unset");

    /** The first line of this one is no secret. */
    @Test
    void theWholeTextIsTheSecret() throws IOException {
        assertEquals(
                "-----BEGIN KEY-----\nq83v\n-----END KEY-----", read("-----BEGIN KEY-----\nq83v\n-----END KEY-----\n"));
        assertEquals("9f3a", read("  9f3a \n\n"));
    }

    @Test
    void anEmptyOneIsAMistakeAndNamed() throws IOException {
        IllegalArgumentException empty = assertThrows(IllegalArgumentException.class, () -> read(" \n"));
        assertTrue(String.valueOf(empty.getMessage()).contains(folder.toString()), empty::getMessage);
        assertThrows(UncheckedIOException.class, () -> AmoReplica.readSecret(folder.resolve("none")));
    }

    private String read(String text) throws IOException {
        return AmoReplica.readSecret(Files.writeString(folder.resolve("secret"), text));
    }
}
