package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.amo.base.DaemonThreads;

/**
 * Forces the entries of a member of the floor, in a thread of its own: all that wait at once. The member's thread calls it.
 */
final class FloorWriter implements AutoCloseable {
    private static final int FIRST_BYTES = 64 << 10;

    private final Forcing forcing;
    private final Runnable onForced;
    private final BlockingQueue<Turn> handedOver = new LinkedBlockingQueue<>();
    private final Thread thread;

    private ByteBuffer gathered = ByteBuffer.allocate(FIRST_BYTES);
    private long last;
    private volatile long forced;

    /** Brings bytes to stable storage. */
    @FunctionalInterface
    interface Forcing {
        /** Returns when all of them are there. */
        void force(List<ByteBuffer> appended) throws IOException;
    }

    /** The entries that one turn of the member appended. */
    private record Turn(ByteBuffer bytes, long upTo) {}

    /** @param onForced called by the thread of its own; must not block */
    FloorWriter(String member, Forcing forcing, Runnable onForced) {
        this.forcing = forcing;
        this.onForced = onForced;
        this.thread = DaemonThreads.start("amo-floor-writer-" + member, this::run);
    }

    /** A file of a fixed size that is written round and round: no force has to find room for it. */
    static Forcing file(Path path) throws IOException {
        return new RingFile(FileChannel.open(
                path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING));
    }

    void append(long number, byte[] body) {
        int length = Integer.BYTES + Long.BYTES + body.length;
        if (gathered.remaining() < length) {
            ByteBuffer larger = ByteBuffer.allocate(Math.max(gathered.position() + length, 2 * gathered.capacity()));
            gathered = larger.put(gathered.flip());
        }
        gathered.putInt(body.length).putLong(number).put(body);
        last = number;
    }

    /** At the end of a turn. */
    void handOver() {
        if (gathered.position() > 0) {
            gathered.flip();
            handedOver.add(new Turn(
                    ByteBuffer.allocate(gathered.remaining()).put(gathered).flip(), last));
            gathered.clear();
        }
    }

    /** Entries up to this one are on stable storage. */
    long forced() {
        return forced;
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    private void run() {
        List<Turn> turns = new ArrayList<>();
        try {
            while (true) {
                turns.add(handedOver.take());
                handedOver.drainTo(turns);
                forcing.force(turns.stream().map(Turn::bytes).toList());
                forced = turns.get(turns.size() - 1).upTo();
                turns.clear();
                onForced.run();
            }
        } catch (InterruptedException e) {
            // The member has ended.
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            // No call is answered any more, which its callers see.
            System.err.println("the floor cannot force its log: " + e);
        }
    }

    private static final class RingFile implements Forcing {
        private static final int BYTES = 64 << 20;

        private final FileChannel file;
        private long position;

        RingFile(FileChannel file) throws IOException {
            this.file = file;
            ByteBuffer zeros = ByteBuffer.allocate(1 << 20);
            for (long at = 0; at < BYTES; at += zeros.capacity()) {
                writeAt(zeros.clear(), at);
            }
            file.force(true);
        }

        @Override
        public void force(List<ByteBuffer> appended) throws IOException {
            for (ByteBuffer bytes : appended) {
                int length = bytes.remaining();
                if (position + length > BYTES) {
                    position = 0;
                }
                writeAt(bytes, position);
                position += length;
            }
            file.force(false);
        }

        private void writeAt(ByteBuffer bytes, long at) throws IOException {
            long next = at;
            while (bytes.hasRemaining()) {
                next += file.write(bytes, next);
            }
        }
    }
}
