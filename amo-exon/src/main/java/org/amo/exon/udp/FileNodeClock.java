package org.amo.exon.udp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Optional;
import org.amo.exon.NodeId;
import org.amo.net.CheckedFile;
import org.jspecify.annotations.Nullable;

/**
 * The bound of a node's clock in a file, forced to disk before a value below it is used. While it is open no other
 * process can open it. docs/wire/small-files.md has its bytes. One thread at a time may use it.
 *
 * <p>A node that has lost its file starts above the wall clock's time in microseconds since 2026: higher than any former
 * life, unless that clock was set back or the node sent a million messages a second all its life.
 */
final class FileNodeClock implements AutoCloseable {
    private static final int MAGIC = 0x616D6F43; // amoC
    private static final String REMEDY = "move it away and start the node again, under another id";
    private static final int BYTES = 16 + 8;
    private static final long EPOCH_MILLIS = 1_767_225_600_000L;

    private final Optional<CheckedFile> file;
    private final String name;
    private final NodeId node;
    private final Optional<FileChannel> claim;

    private FileNodeClock(Optional<CheckedFile> file, String name, NodeId node, Optional<FileChannel> claim) {
        this.file = file;
        this.name = name;
        this.node = node;
        this.claim = claim;
    }

    /** Opens the node's file, or the place where it will be; null for a clock without a file. */
    static FileNodeClock open(@Nullable Path path, NodeId node) throws IOException {
        if (path == null) {
            return new FileNodeClock(Optional.empty(), "", node, Optional.empty());
        }
        FileChannel claim = CheckedFile.claim(path);
        return new FileNodeClock(
                Optional.of(new CheckedFile(path, MAGIC, REMEDY)), path.toString(), node, Optional.of(claim));
    }

    /** The bound that is stored, or a first one. */
    long stored(long wallMillis) throws IOException {
        Optional<ByteBuffer> content = file.isPresent() ? file.get().read() : Optional.empty();
        if (content.isEmpty()) {
            return Math.max(1, (wallMillis - EPOCH_MILLIS) * 1_000);
        }
        ByteBuffer buffer = content.get();
        NodeId owner = new NodeId(buffer.getLong(), buffer.getLong());
        if (!owner.equals(node)) {
            throw new IOException(name + " belongs to node " + owner + "; give node " + node + " a file of its own");
        }
        return buffer.getLong();
    }

    /** Returns when the bound is on disk. */
    void store(long bound) throws IOException {
        if (file.isPresent()) {
            ByteBuffer content = ByteBuffer.allocate(BYTES);
            content.putLong(node.high()).putLong(node.low()).putLong(bound);
            file.get().write(content.array());
        }
    }

    @Override
    public void close() throws IOException {
        if (claim.isPresent()) {
            claim.get().close();
        }
    }
}
