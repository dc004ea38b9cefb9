package org.amo.scmp.udp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ScmpCredentialTest {
    private static final byte[] KEY = "a s3cret of tests".getBytes(UTF_8);

    @TempDir
    private Path folder = Path.of("unset");

    @Test
    void aFileIsItsOwnersAloneAndComesBackAsItWas() throws IOException {
        Path file = folder.resolve("till-7");
        ScmpCredential written = ScmpCredential.of(KEY, "till-7");
        written.write(file);
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        ScmpCredential read = ScmpCredential.read(file);
        assertEquals("till-7", read.client());
        assertArrayEquals(written.key(), read.key());
        assertFalse(read.toString().contains(HexFormat.of().formatHex(read.key())), read.toString());
        String there =
                assertThrows(IOException.class, () -> written.write(file)).getMessage();
        assertTrue(there.contains("is there"), there);
    }

    /** The wire of a client written from docs/wire/scmp.md. */
    @Test
    void theFileIsOneLine() throws IOException {
        Path file = folder.resolve("till-7");
        ScmpCredential.of(KEY, "till-7").write(file);
        assertEquals(
                "amo-scmp-credential 1 till-7 a0c64689a072f75e7cbb7942e6a8bbaf30fe1417714b8eb7a9f28e8a01500349\n",
                Files.readString(file));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "amo-scmp-credential 2 till-7 a0c64689a072f75e7cbb7942e6a8bbaf30fe1417714b8eb7a9f28e8a01500349\n",
                "amo-scmp-credential 1 till-7 a0c64689\n",
                "amo-scmp-credential 1 till-7 a0c64689a072f75e7cbb7942e6a8bbaf30fe1417714b8eb7a9f28e8a01500349\n\n",
                "amo-scmp-credential 1 \u00e9 a0c64689a072f75e7cbb7942e6a8bbaf30fe1417714b8eb7a9f28e8a01500349\n"
            })
    void anotherFileIsNoCredential(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("other"), text);
        String why =
                assertThrows(IOException.class, () -> ScmpCredential.read(file)).getMessage();
        assertTrue(why.contains("amo scmp key"), why);
    }

    @Test
    void aLongFileIsNotReadAsACredential() throws IOException {
        Path file = Files.write(folder.resolve("long"), new byte[100_000]);
        assertThrows(IOException.class, () -> ScmpCredential.read(file));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "two words", "caf\u00e9", "a/b", "x\ny"})
    void anotherNameIsRefused(String name) {
        assertThrows(IllegalArgumentException.class, () -> ScmpCredential.of(KEY, name));
    }

    @Test
    void aShortKeyIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> ScmpCredential.of(new byte[15], "till-7"));
    }
}
