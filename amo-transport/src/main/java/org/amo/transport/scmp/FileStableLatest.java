package org.amo.transport.scmp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;
import java.util.zip.CRC32;
import org.amo.core.scmp.StableLatest;

/**
 * {@code G.latest} in a file of its own: two slots that are written in turn and forced to disk, so that a write that is cut short
 * leaves the value before it. While it is open no other process can open it.
 *
 * <p>The file is there once {@link #store} has returned for the first time. docs/wire/scmp.md has its bytes. One thread at a
 * time may use it.
 */
public final class FileStableLatest implements StableLatest, AutoCloseable {
    private static final int MAGIC = 0x53434D50;
    private static final int SLOT_BYTES = 16;

    /** Slots lie in different sectors, so that one that is torn does not take the other along. */
    private static final int SLOT_DISTANCE = 4_096;

    private final Path file;
    private final FileChannel lockChannel;
    private final FileLock lock;
    private OptionalLong stored;
    private int nextSlot;
    private long forces;

    private FileStableLatest(Path file, FileChannel lockChannel, FileLock lock) {
        this.file = file;
        this.lockChannel = lockChannel;
        this.lock = lock;
        this.stored = OptionalLong.empty();
    }

    /**
     * Opens the file, or the place where it will be.
     *
     * @throws IOException if another process has it, the folder is missing, or both slots are damaged
     */
    public static FileStableLatest open(Path file) throws IOException {
        Path lockFile = file.resolveSibling(file.getFileName() + ".lock");
        FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = tryLock(channel, file);
            FileStableLatest latest = new FileStableLatest(file, channel, lock);
            latest.read();
            return latest;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static FileLock tryLock(FileChannel channel, Path file) throws IOException {
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        }
        if (lock == null) {
            throw new IOException(
                    file + " belongs to a server that is running; end it, or give this one a file of its own");
        }
        return lock;
    }

    /** The value that the file held when it was opened or that was stored since; empty if there was no file. */
    public OptionalLong stored() {
        return stored;
    }

    @Override
    public long storedMicros() {
        return stored.orElse(Long.MIN_VALUE);
    }

    /** How often data were forced to disk. */
    public long forces() {
        return forces;
    }

    @Override
    public void store(long latestMicros) throws IOException {
        if (latestMicros < storedMicros()) {
            throw new IllegalArgumentException(
                    "the stored latest never falls: stored=" + storedMicros() + " given=" + latestMicros);
        }
        if (stored.isEmpty()) {
            create(latestMicros);
        } else {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                write(channel, nextSlot, latestMicros);
                channel.force(false);
            }
        }
        forces++;
        nextSlot = 1 - nextSlot;
        stored = OptionalLong.of(latestMicros);
    }

    @Override
    public void close() throws IOException {
        lock.release();
        lockChannel.close();
    }

    private void read() throws IOException {
        if (!Files.exists(file)) {
            return;
        }
        byte[] bytes = Files.readAllBytes(file);
        OptionalLong first = slot(bytes, 0);
        OptionalLong second = slot(bytes, 1);
        if (first.isEmpty() && second.isEmpty()) {
            throw new IOException(
                    file + " is damaged: neither slot has a right checksum; move it away and start the server"
                            + " again, which then refuses calls for the time of beta");
        }
        stored = OptionalLong.of(Math.max(first.orElse(Long.MIN_VALUE), second.orElse(Long.MIN_VALUE)));
        nextSlot = first.isPresent() && first.getAsLong() == stored.getAsLong() ? 1 : 0;
    }

    private static OptionalLong slot(byte[] bytes, int slot) {
        int at = slot * SLOT_DISTANCE;
        if (bytes.length < at + SLOT_BYTES) {
            return OptionalLong.empty();
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes, at, SLOT_BYTES);
        int magic = buffer.getInt();
        long value = buffer.getLong();
        return magic == MAGIC && buffer.getInt() == checksum(value) ? OptionalLong.of(value) : OptionalLong.empty();
    }

    private void create(long value) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        try (FileChannel channel = FileChannel.open(
                fresh, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            write(channel, 0, value);
            channel.force(true);
        }
        try {
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            throw new IOException("the file system of " + file + " cannot rename atomically; choose another", e);
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    private static void write(FileChannel channel, int slot, long value) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(SLOT_BYTES);
        buffer.putInt(MAGIC).putLong(value).putInt(checksum(value)).flip();
        long at = (long) slot * SLOT_DISTANCE;
        while (buffer.hasRemaining()) {
            at += channel.write(buffer, at);
        }
    }

    private static int checksum(long value) {
        CRC32 crc = new CRC32();
        crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, value));
        return (int) crc.getValue();
    }
}
