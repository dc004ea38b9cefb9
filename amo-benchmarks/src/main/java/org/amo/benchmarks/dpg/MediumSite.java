package org.amo.benchmarks.dpg;

import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.amo.base.DaemonThreads;
import org.amo.base.wire.MalformedFrameException;
import org.amo.dpg.ContiguityDetector;
import org.amo.dpg.ContiguityDetector.Arrival;
import org.amo.dpg.DpgCodec;
import org.amo.dpg.DpgOptions;
import org.amo.dpg.DpgSite;
import org.amo.dpg.Message;
import org.amo.dpg.OwnMessages;
import org.amo.dpg.Report;
import org.jspecify.annotations.Nullable;

/**
 * A site on the {@link Medium}, as in Konorski, section 6: 20 reception buffers, a thread that fetches from them, the detector that
 * sees when one was overwritten, and a generator that always has another message.
 */
final class MediumSite extends WatchedSite {
    private static final int RECEPTION_BUFFERS = 20;

    private final Medium medium;
    private final int index;
    private final DpgOptions options;
    private final OwnMessages own;
    private final boolean detects;
    private final int bytes;
    private final AtomicLong ids;
    private final SecureRandom random = new SecureRandom();
    private final long startNanos = System.nanoTime();
    private final Thread thread;

    private final ArrayDeque<Received> buffer = new ArrayDeque<>();
    private boolean overwrote;
    private long overwritten;

    private final ContiguityDetector detector = ContiguityDetector.ofOverwrites();
    private volatile boolean closed;
    private long messageBytes;
    private long reportBytes;
    private volatile int mostVertices;
    private volatile long returns;

    private record Received(Medium.Frame frame, boolean overwrote) {}

    /** @param detects whether the detector is on */
    MediumSite(
            Medium medium,
            int index,
            DpgOptions options,
            OwnMessages own,
            boolean detects,
            int bytes,
            AtomicLong ids,
            DeliveryLog deliveries) {
        super(deliveries);
        this.medium = medium;
        this.index = index;
        this.options = options;
        this.own = own;
        this.detects = detects;
        this.bytes = bytes;
        this.ids = ids;
        this.thread = DaemonThreads.unstarted("amo-bench-medium-site-" + index, this::run);
    }

    int index() {
        return index;
    }

    void start() {
        thread.start();
    }

    /** The medium's thread: a frame has been carried. */
    void arrive(Medium.Frame frame) {
        synchronized (buffer) {
            if (closed) {
                return;
            }
            if (frame.from() == this && own == OwnMessages.MISSED) {
                overwrote |= frame.isMessage();
                return;
            }
            if (buffer.size() == RECEPTION_BUFFERS) {
                overwritten++;
                overwrote = true;
                buffer.removeLast();
            }
            buffer.add(new Received(frame, overwrote));
            overwrote = false;
        }
        LockSupport.unpark(thread);
    }

    private @Nullable Received fetch() {
        synchronized (buffer) {
            return buffer.poll();
        }
    }

    private long micros() {
        return (System.nanoTime() - startNanos) / 1_000;
    }

    private void run() {
        DpgSite site = new DpgSite(options, () -> random.nextLong() | 1, this, micros());
        while (!closed) {
            Received received = fetch();
            if (received != null) {
                take(site, received);
            }
            long now = micros();
            if (now >= site.nextDeadline()) {
                site.onTick(now);
            }
            while (site.isAnchored() && site.submit(DeliveryLog.message(ids.incrementAndGet(), bytes), now)) {
                // The generator fills the admission buffers.
            }
            mostVertices = site.counters().mostVertices();
            returns = site.counters().returns();
            if (received == null) {
                long wait = Math.min(site.nextDeadline() - micros(), 1_000);
                if (wait > 0) {
                    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(wait));
                }
            }
        }
    }

    private void take(DpgSite site, Received received) {
        Medium.Frame frame = received.frame;
        boolean hidden = frame.from() == this && own == OwnMessages.SUSPENDED;
        long now = micros();
        boolean contiguous =
                detector.onReception(new Arrival(frame.isMessage() && !hidden, received.overwrote, 0, now, now));
        if (hidden) {
            return;
        }
        try {
            if (frame.isMessage()) {
                site.onMessage(DpgCodec.decodeMessage(frame.pdu()), detects && contiguous, now);
            } else {
                site.onReport(DpgCodec.decodeReport(frame.pdu()), now);
            }
        } catch (MalformedFrameException e) {
            throw new IllegalStateException("a site cannot read what another one wrote", e);
        }
    }

    /** Stops at once, as a site that goes does. */
    void close() {
        synchronized (buffer) {
            closed = true;
        }
        LockSupport.unpark(thread);
        DaemonThreads.join(thread, TimeUnit.SECONDS.toMillis(5));
    }

    DeliveryLog deliveries() {
        return deliveries;
    }

    /** After {@link #close}. */
    long messageBytes() {
        return messageBytes;
    }

    /** After {@link #close}. */
    long reportBytes() {
        return reportBytes;
    }

    /** Frames that the site did not fetch in time. */
    long overwritten() {
        synchronized (buffer) {
            return overwritten;
        }
    }

    int mostVertices() {
        return mostVertices;
    }

    long returns() {
        return returns;
    }

    @Override
    public void multicast(Message message) {
        byte[] pdu = DpgCodec.encode(message);
        messageBytes += pdu.length;
        medium.send(new Medium.Frame(this, pdu, true));
    }

    @Override
    public void multicast(Report report) {
        byte[] pdu = DpgCodec.encode(report);
        reportBytes += pdu.length;
        medium.send(new Medium.Frame(this, pdu, false));
    }
}
