package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
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
        assertEquals("9f3a9f3a9f3a9f3a", read("  9f3a9f3a9f3a9f3a \n\n"));
    }

    @Test
    void oneThatIsEmptyOrCanBeGuessedIsAMistakeAndNamed() throws IOException {
        for (String text : List.of(" \n", "9f3a9f3a9f3a9f3\n")) {
            IllegalArgumentException shorter = assertThrows(IllegalArgumentException.class, () -> read(text));
            String why = String.valueOf(shorter.getMessage());
            assertTrue(why.contains(folder.toString()), why);
            assertTrue(why.endsWith("openssl rand -hex 32"), why);
        }
        assertThrows(UncheckedIOException.class, () -> AmoReplica.readSecret(folder.resolve("none")));
    }

    /** A secret of one byte was accepted. */
    @Test
    void buildersTakeNoShorterOneThanFiles() {
        String members = "a=127.0.0.1:1/2";
        for (Executable start : List.<Executable>of(
                () -> AmoReplica.builder("g")
                        .id("a")
                        .members(members)
                        .secret("x")
                        .handler((request, context) -> request)
                        .start(),
                () -> AmoClient.builder("g")
                        .members(members)
                        .secret("fifteen bytes..")
                        .build())) {
            IllegalArgumentException why = assertThrows(IllegalArgumentException.class, start);
            assertTrue(String.valueOf(why.getMessage()).startsWith("the secret of group g has "), why.getMessage());
        }
    }

    private String read(String text) throws IOException {
        return AmoReplica.readSecret(Files.writeString(folder.resolve("secret"), text));
    }
}
