package org.amo.exon.udp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.amo.exon.NodeId;
import org.amo.net.CheckedFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bound of a node's clock in a file, forced to disk before a value below it is used. While it is open no other
 * process can open it. docs/wire/small-files.md has its bytes. One thread at a time may use it.
 *
 * <p>A node starts at the larger of the stored bound and the wall clock's time in microseconds since 2026. A larger start
 * is always safe, since values are only compared. So a lost file, or an older copy of it, repeats no value while the wall
 * clock is ahead of all former lives. It is not if it was set back, if the node sent a million messages a second all its
 * life, or if the node restarted more often than the values that each start reserves allow: 2^24 of them, 16.8 s.
 */
final class FileNodeClock implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FileNodeClock.class);
    private static final int MAGIC = 0x616D6F43; // amoC
    private static final String REMEDY = "move it away and start the node again, under another id";
    private static final int BYTES = 16 + 8;
    private static final long EPOCH_MILLIS = 1_767_225_600_000L;
    /** Some quick restarts in a row are no news. */
    private static final long WARN_AHEAD_MICROS = TimeUnit.MINUTES.toMicros(1);

    private final Optional<CheckedFile> file;
    private final String name;
    private final NodeId node;
    private final Optional<FileChannel> claim;
    private final boolean openedBefore;

    private FileNodeClock(
            Optional<CheckedFile> file, String name, NodeId node, Optional<FileChannel> claim, boolean openedBefore) {
        this.file = file;
        this.name = name;
        this.node = node;
        this.claim = claim;
        this.openedBefore = openedBefore;
    }

    /** Opens the node's file, or the place where it will be; null for a clock without a file. */
    static FileNodeClock open(@Nullable Path path, NodeId node) throws IOException {
        if (path == null) {
            return new FileNodeClock(Optional.empty(), "", node, Optional.empty(), false);
        }
        boolean openedBefore = CheckedFile.wasClaimed(path);
        FileChannel claim = CheckedFile.claim(path);
        return new FileNodeClock(
                Optional.of(new CheckedFile(path, MAGIC, REMEDY)),
                path.toString(),
                node,
                Optional.of(claim),
                openedBefore);
    }

    /** The first value of this life: the bound that is stored, or the wall clock's time if that is larger. */
    long stored(long wallMillis) throws IOException {
        Optional<ByteBuffer> content = file.isPresent() ? file.get().read() : Optional.empty();
        long ofWallClock = Math.max(1, (wallMillis - EPOCH_MILLIS) * 1_000);
        if (content.isEmpty()) {
            if (openedBefore) {
                LOG.warn(
                        "{} is lost, and node {} starts at the wall clock's time; give it another id if that clock was set"
                                + " back, or if a former start warned that the node was ahead of it",
                        name,
                        node);
            }
            return ofWallClock;
        }
        ByteBuffer buffer = content.get();
        NodeId owner = new NodeId(buffer.getLong(), buffer.getLong());
        if (!owner.equals(node)) {
            throw new IOException(name + " belongs to node " + owner + "; give node " + node + " a file of its own");
        }
        long bound = buffer.getLong();
        if (bound - ofWallClock > WARN_AHEAD_MICROS) {
            LOG.warn(
                    "the clock of node {} is {} s ahead of the wall clock, by many restarts or a clock that was set back;"
                            + " if {} is lost before the wall clock has caught up, give the node another id",
                    node,
                    TimeUnit.MICROSECONDS.toSeconds(bound - ofWallClock),
                    name);
        }
        return Math.max(bound, ofWallClock);
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
