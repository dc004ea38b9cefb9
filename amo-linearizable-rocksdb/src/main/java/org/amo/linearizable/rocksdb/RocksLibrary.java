package org.amo.linearizable.rocksdb;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.rocksdb.RocksDB;
import org.rocksdb.util.Environment;

/**
 * Keeps RocksDB's native library in one file for all processes of a user. RocksDB itself unpacks 17 MB into the temporary folder for
 * each process, and a process that is killed leaves them there.
 *
 * <p>The file lies in a folder that only its owner may use, under a name with its checksum; it is compared with the jar's before it is
 * loaded, and replaced by a rename. A process that is killed while it unpacks leaves one partial file, which the next one
 * overwrites.
 */
final class RocksLibrary {
    /** Names a folder for the library, in the place of the user's cache folder. */
    static final String FOLDER_PROPERTY = "amo.nativeFolder";

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private RocksLibrary() {}

    /**
     * Loads it, once in a process.
     *
     * @param store takes the library if the user has no cache folder
     * @throws StoreException in one line when no folder can be used
     */
    static synchronized void load(Path store) {
        URL jar = Objects.requireNonNull(
                RocksDB.class.getClassLoader().getResource(Environment.getJniLibraryFileName("rocksdb")),
                "the jar of RocksDB has no library for this system");
        List<String> reasons = new ArrayList<>();
        for (Path folder : folders(store)) {
            try {
                Path file = unpack(jar, folder);
                RocksDB.loadLibrary(
                        List.of(Objects.requireNonNull(file.getParent()).toString()));
                return;
            } catch (IOException | UnsatisfiedLinkError e) {
                reasons.add(folder + " (" + e.getMessage() + ")");
            }
        }
        throw new StoreException("RocksDB's library cannot be unpacked or loaded in " + String.join(", ", reasons)
                + "; name a folder by -D" + FOLDER_PROPERTY);
    }

    private static List<Path> folders(Path store) {
        String named = System.getProperty(FOLDER_PROPERTY);
        if (named != null) {
            return List.of(Path.of(named));
        }
        List<Path> folders = new ArrayList<>();
        String cache = System.getenv("XDG_CACHE_HOME");
        String home = System.getProperty("user.home");
        if (cache != null && Path.of(cache).isAbsolute()) {
            folders.add(Path.of(cache, "amo"));
        } else if (home != null && Path.of(home).isAbsolute() && Files.isDirectory(Path.of(home))) {
            folders.add(Path.of(home, ".cache", "amo"));
        }
        folders.add(store.toAbsolutePath().resolveSibling(store.getFileName() + ".native"));
        return folders;
    }

    /** The library's file, which has the jar's content. */
    static Path unpack(URL jar, Path folder) throws IOException {
        Content content = Content.ofJar(jar);
        Path own = folder.resolve("rocksdb-" + content.name());
        createOwn(own);
        Path file = own.resolve(Environment.getJniLibraryFileName("rocksdbjni"));
        try (FileChannel channel = FileChannel.open(
                        own.resolve("lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        LinkOption.NOFOLLOW_LINKS);
                FileLock lock = channel.lock()) {
            checkOwner(own);
            if (!Content.isIn(file, content)) {
                Path part = own.resolve("part");
                try (InputStream in = jar.openStream()) {
                    Files.copy(in, part, StandardCopyOption.REPLACE_EXISTING);
                }
                Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            }
            if (!lock.isValid() || !Content.isIn(file, content)) {
                throw new FileSystemException(file.toString(), null, "has not the content of the jar");
            }
        }
        return file;
    }

    private static boolean isPosix(Path folder) {
        return folder.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /** Others could put a library of theirs into a folder that they may write to. */
    private static void createOwn(Path folder) throws IOException {
        if (!isPosix(folder)) {
            Files.createDirectories(folder);
            return;
        }
        Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        PosixFileAttributes found = Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!found.isDirectory() || !found.permissions().equals(OWNER_ONLY)) {
            throw new FileSystemException(folder.toString(), null, "must be a folder with permissions rwx------");
        }
    }

    /** The folder must be of the user that a new file in it is of. */
    private static void checkOwner(Path folder) throws IOException {
        Path probe = folder.resolve("owner");
        Files.deleteIfExists(probe);
        Files.createFile(probe);
        boolean own = Files.getOwner(probe, LinkOption.NOFOLLOW_LINKS)
                .equals(Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS));
        Files.delete(probe);
        if (!own) {
            throw new FileSystemException(folder.toString(), null, "belongs to another user");
        }
    }

    private record Content(long size, long crc) {
        String name() {
            return size + "-" + HexFormat.of().toHexDigits((int) crc);
        }

        /** From the directory of the jar, so that nothing has to be unpacked. */
        static Content ofJar(URL library) throws IOException {
            URLConnection connection = library.openConnection();
            return connection instanceof JarURLConnection inJar
                    ? new Content(
                            inJar.getJarEntry().getSize(), inJar.getJarEntry().getCrc())
                    : of(connection.getInputStream());
        }

        static boolean isIn(Path file, Content content) throws IOException {
            return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                    && Files.size(file) == content.size
                    && of(Files.newInputStream(file)).equals(content);
        }

        private static Content of(InputStream from) throws IOException {
            try (CheckedInputStream in = new CheckedInputStream(from, new CRC32())) {
                long size = in.transferTo(OutputStream.nullOutputStream());
                return new Content(size, in.getChecksum().getValue());
            }
        }
    }
}
