package org.amo.linearizable.rocksdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDB;
import org.rocksdb.util.Environment;

/** Each process that was killed left 17 MB in the temporary folder. */
final class RocksLibraryTest {
    private static final URL JAR =
            RocksDB.class.getClassLoader().getResource(Environment.getJniLibraryFileName("rocksdb"));

    @TempDir
    Path directory;

    private static List<Path> files(Path folder) throws IOException {
        try (var all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    @Test
    void processesThatAreKilledShareOneLibraryAndLeaveNothing() throws Exception {
        Path temporary = Files.createDirectory(directory.resolve("tmp"));
        Path cache = directory.resolve("cache");
        for (int kill = 0; kill < 3; kill++) {
            runAndKill(temporary, cache, directory.resolve("store" + kill));
        }
        assertEquals(
                List.of(),
                files(temporary).stream()
                        .filter(file -> file.getFileName().toString().contains("rocksdb"))
                        .toList());
        assertEquals(
                List.of(Environment.getJniLibraryFileName("rocksdbjni"), "lock"),
                files(cache).stream().map(file -> file.getFileName().toString()).toList());
    }

    private static void runAndKill(Path temporary, Path cache, Path store) throws IOException, InterruptedException {
        Process server = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.io.tmpdir=" + temporary,
                        "-D" + RocksLibrary.FOLDER_PROPERTY + "=" + cache,
                        "-cp",
                        System.getProperty("java.class.path"),
                        StoreProcess.class.getName(),
                        store.toString(),
                        "1",
                        Durability.FILE.name())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.US_ASCII))) {
            String line = lines.readLine();
            assertTrue(line != null && line.startsWith("call "), line);
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    @Test
    void aDamagedOrPartialFileIsReplaced() throws Exception {
        byte[] library = JAR.openStream().readAllBytes();
        Path file = RocksLibrary.unpack(JAR, directory);
        assertArrayEquals(library, Files.readAllBytes(file));
        byte[] damaged = library.clone();
        damaged[damaged.length / 2] ^= 1;
        Files.write(file, damaged);
        Files.write(file.resolveSibling("part"), new byte[] {1});
        assertEquals(file, RocksLibrary.unpack(JAR, directory));
        assertArrayEquals(library, Files.readAllBytes(file));
        Files.write(file, new byte[] {1});
        assertArrayEquals(library, Files.readAllBytes(RocksLibrary.unpack(JAR, directory)));
        assertEquals(2, files(directory).size());
    }

    /** Another user could put a library of its own there. */
    @Test
    void aFolderThatOthersMayUseIsRefused() throws Exception {
        Path own = RocksLibrary.unpack(JAR, directory).getParent();
        Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxrwx---"));
        FileSystemException why = assertThrows(FileSystemException.class, () -> RocksLibrary.unpack(JAR, directory));
        assertTrue(why.getMessage().contains("rwx------"), why.getMessage());
    }
}
