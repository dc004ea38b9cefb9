package org.amo.benchmarks.scmp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.amo.base.DaemonThreads;
import org.amo.core.datagram.CallDatagrams;

/** Sends datagrams that no client of the group sends, at a rate, in a thread of its own until it is closed. */
final class HostileSender implements AutoCloseable {
    private static final long STEP_NANOS = 1_000_000;
    private static final int BUFFER_BYTES = 1 << 20;
    private static final int SEAL_AT = 31;

    private final DatagramChannel channel = DatagramChannel.open();
    private final List<ByteBuffer> datagrams;
    private final int perSecond;
    private final long startNanos = System.nanoTime();
    private final CompletableFuture<Long> ended = new CompletableFuture<>();
    private volatile boolean closed;
    private final AtomicLong sent = new AtomicLong();

    HostileSender(InetSocketAddress member, List<byte[]> datagrams, int perSecond) throws IOException {
        this.datagrams = datagrams.stream()
                .map(each -> ByteBuffer.allocateDirect(each.length).put(each).flip())
                .toList();
        this.perSecond = perSecond;
        channel.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER_BYTES);
        channel.connect(member);
        DaemonThreads.start("amo-bench-hostile", this::send);
    }

    /** Right datagrams with one bit changed behind their heads: the whole of each has to be checked. */
    static List<byte[]> forged(List<byte[]> recorded, Random random) {
        List<byte[]> forged = new ArrayList<>();
        for (byte[] each : recorded) {
            byte[] changed = each.clone();
            changed[SEAL_AT + random.nextInt(each.length - SEAL_AT)] ^= (byte) (1 << random.nextInt(8));
            forged.add(changed);
        }
        return forged;
    }

    /** Random bytes of all lengths, half of them with a right head. */
    static List<byte[]> rubbish(List<byte[]> recorded, Random random) {
        List<byte[]> rubbish = new ArrayList<>();
        for (byte[] each : recorded) {
            byte[] bytes = new byte[random.nextInt(CallDatagrams.MAX_BYTES)];
            random.nextBytes(bytes);
            if (random.nextBoolean()) {
                System.arraycopy(each, 0, bytes, 0, Math.min(SEAL_AT, bytes.length));
            }
            rubbish.add(bytes);
        }
        return rubbish;
    }

    private void send() {
        try {
            int next = 0;
            while (!closed) {
                long due = (System.nanoTime() - startNanos) * perSecond / TimeUnit.SECONDS.toNanos(1);
                while (sent.get() < due && !closed) {
                    write(datagrams.get(next));
                    next = (next + 1) % datagrams.size();
                    sent.incrementAndGet();
                }
                LockSupport.parkNanos(STEP_NANOS);
            }
            ended.complete(sent.get());
        } catch (IOException e) {
            ended.completeExceptionally(e);
        }
    }

    private void write(ByteBuffer datagram) throws IOException {
        try {
            int unused = channel.write(datagram.rewind());
        } catch (PortUnreachableException e) {
            throw new IOException("the member takes no datagrams any more", e);
        }
    }

    /** Datagrams that have left. */
    long sent() {
        return sent.get();
    }

    /** Waits until so many have left, or none leaves any more: then {@link #close} says why. */
    void await(long datagrams) {
        while (sent.get() < datagrams && !ended.isDone()) {
            LockSupport.parkNanos(STEP_NANOS);
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        try {
            ended.join();
        } finally {
            channel.close();
        }
    }
}
