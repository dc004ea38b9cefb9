package org.amo.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/wire/small-files.md: a small file is whole, or it is refused. */
class CheckedFileTest implements HostileBytes {
    private static final byte[] ONE = {1, 2, 3};
    private static final byte[] OTHER = {9, 8, 7, 6};

    @TempDir
    Path folder;

    private CheckedFile file() {
        return new CheckedFile(path(), 0x616D6F54, "put it back");
    }

    private Path path() {
        return folder.resolve("small");
    }

    private Optional<byte[]> content() throws IOException {
        return file().read().map(buffer -> {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            return bytes;
        });
    }

    /** With a right checksum, too. */
    private static void read(byte[] bytes) throws IOException {
        if (bytes.length >= Integer.BYTES) {
            CRC32C checksum = new CRC32C();
            checksum.update(bytes, 0, bytes.length - Integer.BYTES);
            ByteBuffer.wrap(bytes).putInt(bytes.length - Integer.BYTES, (int) checksum.getValue());
        }
        new CheckedFile(Path.of("small"), 0x616D6F54, "put it back").content(ByteBuffer.wrap(bytes));
    }

    @Override
    public List<Decoder> decoders() {
        byte[] valid = ByteBuffer.allocate(16)
                .putInt(0x616D6F54)
                .put((byte) 1)
                .putInt(ONE.length)
                .put(ONE)
                .array();
        return List.of(Decoder.of("small file", IOException.class, CheckedFileTest::read, valid));
    }

    private void refused(String what) {
        String message = assertThrows(IOException.class, this::content, what).getMessage();
        assertTrue(message.contains("small is damaged (") && message.endsWith("; put it back"), message);
        assertFalse(message.contains("\n"), message);
    }

    @Test
    void theLastContentIsReadAndNoFileIsNone() throws Exception {
        assertTrue(content().isEmpty());
        file().write(ONE);
        assertArrayEquals(ONE, content().orElseThrow());
        file().write(OTHER);
        assertArrayEquals(OTHER, content().orElseThrow());
        file().write(new byte[0]);
        assertEquals(0, content().orElseThrow().length);
    }

    @Test
    void goldenBytes() throws Exception {
        file().write(ONE);
        assertEquals(
                "616d6f54" + "01" + "00000003" + "010203" + "375f2ebc",
                HexFormat.of().formatHex(Files.readAllBytes(path())));
    }

    @Test
    void eachFlippedBitIsRefused() throws Exception {
        file().write(ONE);
        byte[] whole = Files.readAllBytes(path());
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(path(), flipped);
            refused("bit " + bit);
        }
    }

    /** The remedy for a damaged file is none for an upgrade that is taken back. */
    @Test
    void aFileOfAnotherVersionIsNoDamage() throws Exception {
        file().write(ONE);
        byte[] later = Files.readAllBytes(path());
        later[4] = 2;
        CRC32C checksum = new CRC32C();
        checksum.update(later, 0, later.length - Integer.BYTES);
        ByteBuffer.wrap(later).putInt(later.length - Integer.BYTES, (int) checksum.getValue());
        Files.write(path(), later);
        String message = assertThrows(IOException.class, this::content).getMessage();
        assertTrue(message.contains("small has version 2, which another version of amo wrote"), message);
        assertFalse(message.contains("put it back"), message);
    }

    @Test
    void eachOtherLengthIsRefused() throws Exception {
        file().write(ONE);
        byte[] whole = Files.readAllBytes(path());
        for (int length = 0; length < 2 * whole.length; length++) {
            Files.write(path(), Arrays.copyOf(whole, length));
            if (length != whole.length) {
                refused(length + " bytes");
            }
        }
        Files.write(path(), new byte[4_096]);
        refused("zeros");
    }

    /** Mostly a hole, which takes no room on the disk. */
    @Test
    void aFileThatGrewToGigabytesIsRefusedAndNotRead() throws Exception {
        file().write(ONE);
        try (FileChannel channel = FileChannel.open(path(), StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(ONE), 3L << 30);
        }
        refused("3 GB");
    }

    @Test
    void aContentThatCouldNotBeReadAgainIsNotWritten() throws Exception {
        file().write(ONE);
        assertThrows(IllegalArgumentException.class, () -> file().write(new byte[16 << 20]));
        assertArrayEquals(ONE, content().orElseThrow());
    }

    /** A crash before the rename, after any part of the draft. */
    @Test
    void aDraftThatACrashLeftIsNotRead() throws Exception {
        file().write(OTHER);
        byte[] next = Files.readAllBytes(path());
        Files.delete(path());
        for (boolean before : new boolean[] {false, true}) {
            if (before) {
                file().write(ONE);
            }
            for (int length = 0; length <= next.length; length++) {
                Files.write(folder.resolve("small.new"), Arrays.copyOf(next, length));
                assertEquals(
                        before,
                        content().filter(bytes -> Arrays.equals(ONE, bytes)).isPresent());
            }
        }
        Files.write(folder.resolve("small.new"), new byte[100]);
        file().write(OTHER);
        assertArrayEquals(OTHER, content().orElseThrow());
        assertFalse(Files.exists(folder.resolve("small.new")));
    }

    @Test
    void aFileThatCannotBeWrittenKeepsWhatItHeld() throws Exception {
        file().write(ONE);
        Files.createDirectory(folder.resolve("small.new"));
        assertThrows(IOException.class, () -> file().write(OTHER));
        assertArrayEquals(ONE, content().orElseThrow());
    }

    /** As for a damaged inode: nothing tells whether the file is there. */
    @Test
    void aFileThatCannotBeReadIsNotTakenForNone() throws Exception {
        Files.createSymbolicLink(path(), path());
        assertFalse(Files.exists(path()));
        assertThrows(IOException.class, this::content);
    }

    @Test
    void eachFolderIsForcedThatGotANewOne() throws Exception {
        List<Path> forced = new ArrayList<>();
        Path made = folder.resolve("data").resolve("group").resolve("a");
        CheckedFile.createFolders(made, forced::add);
        assertTrue(Files.isDirectory(made));
        assertEquals(
                List.of(folder, folder.resolve("data"), folder.resolve("data").resolve("group")), forced);
        CheckedFile.createFolders(made, forced::add);
        assertEquals(3, forced.size(), "nothing is new");
    }

    @Test
    void theFolderOfARenamedFileIsForcedOnceTheNewNameIsThere() throws Exception {
        Path draft = Files.write(folder.resolve("draft"), ONE);
        List<Path> forced = new ArrayList<>();
        CheckedFile.rename(draft, path(), of -> {
            assertTrue(Files.exists(path()));
            forced.add(of.normalize());
        });
        assertEquals(List.of(folder.toAbsolutePath()), forced);
    }

    @Test
    void aClaimedFileIsOfOneOwner() throws Exception {
        try (FileChannel first = CheckedFile.claim(path())) {
            assertTrue(first.isOpen());
            String message = assertThrows(IOException.class, () -> CheckedFile.claim(path()))
                    .getMessage();
            assertTrue(message.contains("running; end it"), message);
        }
        CheckedFile.claim(path()).close();
    }

    /** As by a second server on the same file, started by mistake. */
    @Test
    void anotherTryInTheSameProcessGivesNoClaimUp() throws Exception {
        Path alias = Files.createSymbolicLink(folder.resolve("alias"), folder).resolve("small");
        try (FileChannel first = CheckedFile.claim(path())) {
            assertTrue(first.isOpen());
            assertThrows(IOException.class, () -> CheckedFile.claim(path()));
            assertThrows(IOException.class, () -> CheckedFile.claim(alias));
            assertEquals(Claimer.REFUSED, Claimer.run(path()));
        }
        assertEquals(0, Claimer.run(path()));
        CheckedFile.claim(alias).close();
    }

    /** Another process that wants the file. */
    static final class Claimer {
        static final int REFUSED = 3;

        private Claimer() {}

        public static void main(String[] args) {
            try {
                CheckedFile.claim(Path.of(args[0])).close();
            } catch (IOException e) {
                System.exit(REFUSED);
            }
        }

        /** Returns its exit code. */
        static int run(Path file) throws IOException, InterruptedException {
            return new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Claimer.class.getName(),
                            file.toString())
                    .inheritIO()
                    .start()
                    .waitFor();
        }
    }

    @Test
    void aFileOfAnotherKindIsRefused() throws Exception {
        new CheckedFile(path(), 0x616D6F55, "").write(ByteBuffer.allocate(3).array());
        refused("another kind");
    }

    @Test
    void aTreeGoesWithAllThatIsInItAndAnotherIsNotMissed() throws Exception {
        Path tree = folder.resolve("tree");
        Files.createDirectories(tree.resolve("a/b"));
        Files.write(tree.resolve("a/b/file"), ONE);
        Files.write(path(), ONE);
        Files.createSymbolicLink(tree.resolve("link"), path());
        CheckedFile.deleteTree(tree);
        assertTrue(Files.notExists(tree));
        assertTrue(Files.exists(path()), "a link goes, its file stays");
        CheckedFile.deleteTree(tree);
    }
}
