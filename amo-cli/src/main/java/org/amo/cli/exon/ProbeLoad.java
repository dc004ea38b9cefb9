package org.amo.cli.exon;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.cli.CliException;
import org.amo.exon.Outcome;

/** Messages that have no other use than to be counted and timed. One thread. */
final class ProbeLoad {
    private static final int MOST_BYTES_UNDER_WAY = 4 << 20;
    private static final int MOST_UNDER_WAY = 4_096;

    /** Of latencies; more would take more memory than they tell. */
    private static final int MOST_SAMPLES = 1_000_000;

    private final ReceiverLink link;
    private final byte[] message;

    /** @param seconds from the first message to the last outcome */
    record Throughput(long delivered, long undelivered, double seconds) {}

    /** From the call to the outcome. */
    record Latency(long p50Micros, long p99Micros, long maxMicros) {}

    ProbeLoad(ReceiverLink link, int bytes) {
        this.link = link;
        this.message = TransferWire.probe(bytes);
    }

    /** Also waits for a receiver that starts. */
    void warmUp(long millis) throws InterruptedException {
        Latency unused = oneAtATime(millis);
    }

    Throughput manyAtOnce(long millis) throws InterruptedException {
        int permits = Math.max(1, Math.min(MOST_UNDER_WAY, MOST_BYTES_UNDER_WAY / message.length));
        Semaphore underWay = new Semaphore(permits);
        AtomicLong delivered = new AtomicLong();
        AtomicLong undelivered = new AtomicLong();
        long begin = System.nanoTime();
        long end = begin + TimeUnit.MILLISECONDS.toNanos(millis);
        while (System.nanoTime() < end) {
            acquire(underWay, 1);
            CompletableFuture<Void> unused = link.send(message).thenAccept(outcome -> {
                (outcome == Outcome.DELIVERED ? delivered : undelivered).incrementAndGet();
                underWay.release();
            });
        }
        acquire(underWay, permits);
        return new Throughput(delivered.get(), undelivered.get(), (System.nanoTime() - begin) / 1e9);
    }

    private void acquire(Semaphore underWay, int permits) throws InterruptedException {
        while (!underWay.tryAcquire(permits, 100, TimeUnit.MILLISECONDS)) {
            link.checkHeard();
        }
    }

    Latency oneAtATime(long millis) throws InterruptedException {
        long[] nanos = new long[1_024];
        int count = 0;
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        do {
            long begin = System.nanoTime();
            await(link.send(message));
            if (count == nanos.length) {
                nanos = Arrays.copyOf(nanos, 2 * count);
            }
            nanos[count++] = System.nanoTime() - begin;
        } while (System.nanoTime() < end && count < MOST_SAMPLES);
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return new Latency(sorted[count / 2] / 1_000, sorted[(int) (count * 0.99)] / 1_000, sorted[count - 1] / 1_000);
    }

    private void await(CompletableFuture<Outcome> sent) throws InterruptedException {
        while (true) {
            try {
                Outcome outcome = sent.get(100, TimeUnit.MILLISECONDS);
                if (outcome != Outcome.DELIVERED) {
                    throw CliException.failedCheck("a message to " + link + " is " + outcome
                            + ": the receiver ended; start it, and run this command again");
                }
                return;
            } catch (TimeoutException e) {
                link.checkHeard();
            } catch (ExecutionException e) {
                throw new IllegalStateException("an outcome never fails", e);
            }
        }
    }
}
