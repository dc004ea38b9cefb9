package org.amo.net;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * Reads and writes a small file that is replaced as a whole, and detects damage to it ({@code docs/wire/small-files.md}).
 *
 * <p>A crash or a loss of power leaves the content before {@link #write} or the one after it, never a part of one. So any
 * other content is damage, and {@link #read} refuses it. One thread at a time may use it.
 */
public final class CheckedFile {
    private static final int VERSION = 1;
    /** Of a whole file. A damaged length must not take the heap of the process that starts. */
    private static final int MOST_BYTES = 16 << 20;

    private static final int HEAD = Integer.BYTES + 1 + Integer.BYTES;

    /** The channels that hold locks in this process, by the keys of their files. Guarded by itself. */
    private static final Map<Object, FileChannel> LOCKED = new HashMap<>();

    private final Path file;
    private final int magic;
    private final String remedy;

    /**
     * @param magic of this kind of file
     * @param remedy for an operator with a damaged file; ends the message
     */
    public CheckedFile(Path file, int magic, String remedy) {
        this.file = file;
        this.magic = magic;
        this.remedy = remedy;
    }

    /**
     * The content; empty if there is certainly no file.
     *
     * @throws IOException when the file is damaged or of another version, with cause and remedy in one line, or cannot be read
     */
    public Optional<ByteBuffer> read() throws IOException {
        Optional<ByteBuffer> bytes = bytes(file);
        return bytes.isEmpty() ? Optional.empty() : Optional.of(content(bytes.get()));
    }

    /** At most one more than a whole file may have; empty if there is certainly no file. */
    private static Optional<ByteBuffer> bytes(Path file) throws IOException {
        try (InputStream from = Files.newInputStream(file)) {
            return Optional.of(ByteBuffer.wrap(from.readNBytes(MOST_BYTES + 1)));
        } catch (NoSuchFileException e) {
            // Files.exists is false for a file that a failing disk hides, too.
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return file.toString();
    }

    /** The content in the bytes of a whole file. */
    ByteBuffer content(ByteBuffer bytes) throws IOException {
        if (bytes.limit() < HEAD + Integer.BYTES || bytes.limit() > MOST_BYTES) {
            throw damaged("it has " + bytes.limit() + " bytes");
        }
        int checked = bytes.limit() - Integer.BYTES;
        boolean whole = bytes.getInt(checked) == checksum(bytes.slice(0, checked));
        int version = Byte.toUnsignedInt(bytes.get(Integer.BYTES));
        if (whole && bytes.getInt(0) == magic && version != VERSION) {
            throw new IOException(file + " has version " + version
                    + ", which another version of amo wrote; start that version of amo (docs/how-to/upgrade.md)");
        }
        if (bytes.getInt() != magic || bytes.get() != VERSION || bytes.getInt() != checked - HEAD) {
            throw damaged("it does not begin as this version writes it");
        }
        if (!whole) {
            throw damaged("its checksum is wrong");
        }
        return bytes.slice(HEAD, checked - HEAD);
    }

    /**
     * Whether a file is whole, of whichever kind; empty if there is certainly none.
     *
     * @throws IOException when it cannot be read, or another version of amo wrote it
     */
    public static Optional<Boolean> isWhole(Path file) throws IOException {
        Optional<ByteBuffer> bytes = bytes(file);
        if (bytes.isEmpty()) {
            return Optional.empty();
        }
        int magic = bytes.get().limit() < Integer.BYTES ? 0 : bytes.get().getInt(0);
        try {
            ByteBuffer unused = new CheckedFile(file, magic, "").content(bytes.get());
            return Optional.of(true);
        } catch (DamagedException e) {
            return Optional.of(false);
        }
    }

    /** Returns when the content is on disk, in the place of the one before. */
    public void write(byte[] content) throws IOException {
        if (content.length > MOST_BYTES - HEAD - Integer.BYTES) {
            throw new IllegalArgumentException(
                    "a small file has at most " + MOST_BYTES + " bytes: content=" + content.length);
        }
        ByteBuffer bytes = ByteBuffer.allocate(HEAD + content.length + Integer.BYTES);
        bytes.putInt(magic).put((byte) VERSION).putInt(content.length).put(content);
        bytes.putInt(checksum(bytes.slice(0, bytes.position()))).flip();
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        try (FileChannel channel = FileChannel.open(
                draft, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        rename(draft, file);
    }

    /** Gives a file another name, in place of the one that had it; survives a loss of power when it returns. */
    public static void rename(Path from, Path to) throws IOException {
        rename(from, to, CheckedFile::forceFolder);
    }

    static void rename(Path from, Path to, FolderForce disk) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            throw new IOException("the file system of " + to + " cannot rename atomically; choose another", e);
        }
        disk.force(to.toAbsolutePath().resolveSibling("."));
    }

    /** Makes a folder and those above it that are missing; they survive a loss of power when it returns. */
    public static void createFolders(Path folder) throws IOException {
        createFolders(folder.toAbsolutePath(), CheckedFile::forceFolder);
    }

    /** Forces a folder's entries to disk. */
    interface FolderForce {
        void force(Path folder) throws IOException;
    }

    static void createFolders(Path folder, FolderForce disk) throws IOException {
        Path above = folder.getParent();
        if (above == null || Files.isDirectory(folder)) {
            return;
        }
        createFolders(above, disk);
        Files.createDirectories(folder);
        disk.force(above);
    }

    /**
     * Makes an empty file that its owner alone can read, where the file system knows owners.
     *
     * @throws FileAlreadyExistsException if it is there
     */
    public static void createForOwner(Path file) throws IOException {
        if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } else {
            Files.createFile(file);
        }
    }

    /** Deletes a file or a folder with all that is in it, if it is there. After a loss of power it may be there again. */
    public static void deleteTree(Path tree) throws IOException {
        if (Files.notExists(tree)) {
            return;
        }
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Makes files created, renamed and deleted in a folder stay so after a loss of power. */
    public static void forceFolder(Path folder) throws IOException {
        try (FileChannel entries = FileChannel.open(folder, StandardOpenOption.READ)) {
            entries.force(true);
        }
    }

    /**
     * Keeps other processes, and other parts of this one, from a file until the result is closed. The result is the lock file, which
     * may be read and written.
     *
     * @throws IOException if one of them has it
     */
    public static FileChannel claim(Path file) throws IOException {
        return openLocked(lockFile(file), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)
                .orElseThrow(() -> new IOException(file
                        + " belongs to a server or node that is running; end it, or give this one a file of its own"));
    }

    /**
     * Whether {@link #claim} was called before, perhaps in an earlier process: its lock file stays for ever, and the first
     * {@link #write} makes it durable. So a missing file was lost, or never written. True if the disk cannot tell.
     */
    public static boolean wasClaimed(Path file) {
        return !Files.notExists(lockFile(file));
    }

    private static Path lockFile(Path file) {
        return file.resolveSibling(file.getFileName() + ".lock");
    }

    /**
     * Opens a file and locks it until the result is closed. A file that another part of this process has is not opened at all: POSIX
     * takes all locks of a process from a file when the process closes it once, whichever channel it closes. So the owner of the
     * result reads the file by the result alone.
     *
     * @param options WRITE is one of them
     * @return empty if another process, or another part of this one, has it
     */
    public static Optional<FileChannel> openLocked(Path file, OpenOption... options) throws IOException {
        synchronized (LOCKED) {
            LOCKED.values().removeIf(channel -> !channel.isOpen());
            if (key(file).filter(LOCKED::containsKey).isPresent()) {
                return Optional.empty();
            }
            FileChannel channel = FileChannel.open(file, options);
            boolean locked = false;
            try {
                Object key = key(file).orElseThrow(() -> new NoSuchFileException(file.toString()));
                locked = lock(channel);
                if (locked) {
                    LOCKED.put(key, channel);
                }
            } finally {
                if (!locked) {
                    channel.close();
                }
            }
            return locked ? Optional.of(channel) : Optional.empty();
        }
    }

    /** @return false if another process has it, or a part of this one that has its classes from another class loader */
    private static boolean lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /** Tells the file apart under all its names; empty if there is none. */
    private static Optional<Object> key(Path file) throws IOException {
        try {
            Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
            return Optional.of(key == null ? file.toRealPath() : key);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private IOException damaged(String why) {
        return new DamagedException(file + " is damaged (" + why + "); " + remedy);
    }

    private static final class DamagedException extends IOException {
        private static final long serialVersionUID = 1;

        DamagedException(String message) {
            super(message);
        }
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
