package org.amo.transport.exon;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;
import org.amo.core.exon.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * The bound of a node's clock in a file, forced to disk before a value below it is used. While it is open no other
 * process can open it. One thread at a time may use it.
 *
 * <p>A node that has lost its file starts above what the wall clock says in microseconds since 2026: higher than any
 * former life, unless that clock was set back or the node sent a million messages a second all its life.
 */
final class FileNodeClock implements AutoCloseable {
    private static final int MAGIC = 0x45584E31;
    private static final int BYTES = 4 + 16 + 8 + 4;
    private static final long EPOCH_MILLIS = 1_767_225_600_000L;

    private final @Nullable Path file;
    private final NodeId node;
    private final @Nullable FileChannel lock;

    private FileNodeClock(@Nullable Path file, NodeId node, @Nullable FileChannel lock) {
        this.file = file;
        this.node = node;
        this.lock = lock;
    }

    /** Opens the node's file, or the place where it will be; null for a clock without a file. */
    static FileNodeClock open(@Nullable Path file, NodeId node) throws IOException {
        if (file == null) {
            return new FileNodeClock(null, node, null);
        }
        Path lockFile = file.resolveSibling(file.getFileName() + ".lock");
        FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held;
        try {
            held = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            held = null;
        }
        if (held == null) {
            channel.close();
            throw new IOException(
                    file + " belongs to a node that is running; end it, or give this one a file of its own");
        }
        return new FileNodeClock(file, node, channel);
    }

    /** The bound that is stored, or a first one. */
    long stored(long wallMillis) throws IOException {
        if (file == null || !Files.exists(file)) {
            return Math.max(1, (wallMillis - EPOCH_MILLIS) * 1_000);
        }
        byte[] bytes = Files.readAllBytes(file);
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        boolean whole = bytes.length == BYTES
                && buffer.getInt() == MAGIC
                && checksum(bytes) == ByteBuffer.wrap(bytes).getInt(BYTES - 4);
        if (!whole) {
            throw new IOException(file + " is damaged; move it away and start the node again, under another id");
        }
        NodeId owner = new NodeId(buffer.getLong(), buffer.getLong());
        if (!owner.equals(node)) {
            throw new IOException(file + " belongs to node " + owner + "; give node " + node + " a file of its own");
        }
        return buffer.getLong();
    }

    /** Returns when the bound is on disk. */
    void store(long bound) throws IOException {
        if (file == null) {
            return;
        }
        ByteBuffer buffer = ByteBuffer.allocate(BYTES);
        buffer.putInt(MAGIC).putLong(node.high()).putLong(node.low()).putLong(bound);
        buffer.putInt(checksum(buffer.array())).flip();
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        try (FileChannel channel = FileChannel.open(
                fresh, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    private static int checksum(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, BYTES - 4);
        return (int) crc.getValue();
    }

    @Override
    public void close() throws IOException {
        if (lock != null) {
            lock.close();
        }
    }
}
