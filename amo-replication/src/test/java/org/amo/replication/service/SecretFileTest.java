package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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

    @Test
    void aDescriptorOfTheProcessIsAFileToo() throws IOException {
        Path file = Files.writeString(folder.resolve("secret"), "9f3a9f3a9f3a9f3a\n");
        try (InputStream open = Files.newInputStream(file)) {
            assertEquals("9f3a9f3a9f3a9f3a", AmoReplica.readSecret(Path.of("fd:" + descriptorOf(file))));
            assertEquals('9', open.read());
        }
        assertThrows(UncheckedIOException.class, () -> AmoReplica.readSecret(Path.of("fd:999999")));
    }

    /** JDK 17 asks a file for its position, which a pipe has not. */
    @Test
    void aPipeIsReadToItsEnd() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> {
            try {
                return SecretText.readDescriptor(pipe);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        Files.writeString(pipe, "9f3a9f3a9f3a9f3a\n", StandardOpenOption.WRITE);
        assertEquals("9f3a9f3a9f3a9f3a", read.get(20, TimeUnit.SECONDS));
    }

    /** A descriptor with a wrong number may be one of the virtual machine's own files. */
    @Test
    void bytesThatAreNoTextAreNoSecret() throws IOException {
        Path bytes = folder.resolve("bytes");
        Files.write(bytes, new byte[] {'9', 'f', (byte) 0xff, 0, '3', 'a'});
        assertThrows(IOException.class, () -> SecretText.readDescriptor(bytes));
        Files.writeString(bytes, "9f3a".repeat(20_000));
        assertThrows(IOException.class, () -> SecretText.readDescriptor(bytes));
    }

    private static int descriptorOf(Path file) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(each -> target(each).equals(file.toString()))
                    .mapToInt(each -> Integer.parseInt(each.getFileName().toString()))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return ""; // that of the listing itself
        }
    }

    private String read(String text) throws IOException {
        return AmoReplica.readSecret(Files.writeString(folder.resolve("secret"), text));
    }
}
