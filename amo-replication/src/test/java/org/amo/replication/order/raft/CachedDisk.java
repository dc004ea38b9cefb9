package org.amo.replication.order.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.amo.replication.DelegatingChannel;

/**
 * A disk under a page cache that does as Linux does: after a sync that failed, the cache takes its pages for written. They stay
 * readable until power is lost, and no later sync writes them. One thread at a time.
 */
final class CachedDisk implements Disk {
    boolean forceFails;

    private final Map<Path, Content> contents = new ConcurrentHashMap<>();

    private static final class Content {
        private byte[] onDisk;
        private final List<UnaryOperator<byte[]>> notWritten = new ArrayList<>();

        private Content(byte[] onDisk) {
            this.onDisk = onDisk;
        }

        private void write() {
            notWritten.forEach(change -> onDisk = change.apply(onDisk));
            notWritten.clear();
        }
    }

    /** The files get the bytes that reached the disk. */
    void losePower() throws IOException {
        for (Map.Entry<Path, Content> each : contents.entrySet()) {
            each.getValue().notWritten.clear();
            Files.write(each.getKey(), each.getValue().onDisk);
        }
    }

    @Override
    public FileChannel open(Path file) throws IOException {
        FileChannel real = Disk.LOCAL.open(file);
        byte[] there = Files.readAllBytes(file);
        return new Cached(real, contents.computeIfAbsent(file, key -> new Content(there)));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        Disk.super.rename(from, to);
        Content moved = contents.remove(from);
        if (moved != null) {
            contents.put(to, moved);
        }
    }

    private final class Cached extends DelegatingChannel {
        private final Content content;

        private Cached(FileChannel real, Content content) {
            super(real);
            this.content = content;
        }

        @Override
        public int write(ByteBuffer from, long at) throws IOException {
            byte[] bytes = new byte[from.remaining()];
            from.duplicate().get(bytes);
            int written = super.write(from, at);
            content.notWritten.add(was -> {
                byte[] now = Arrays.copyOf(was, Math.max(was.length, (int) at + written));
                System.arraycopy(bytes, 0, now, (int) at, written);
                return now;
            });
            return written;
        }

        @Override
        public FileChannel truncate(long size) throws IOException {
            content.notWritten.add(was -> Arrays.copyOf(was, Math.min(was.length, (int) size)));
            return super.truncate(size);
        }

        @Override
        public void force(boolean metadata) throws IOException {
            if (forceFails) {
                content.notWritten.clear();
                throw new IOException("Input/output error");
            }
            content.write();
        }
    }
}
