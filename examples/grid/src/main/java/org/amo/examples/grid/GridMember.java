package org.amo.examples.grid;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.base.DaemonThreads;

/** A site in a thread of its own, on a real network. */
final class GridMember implements AutoCloseable {
    private static final long TICK_MICROS = 2_000;
    /** Begins with the wall clock, so that a site that is started again, as another process, does not count as its earlier life. */
    private static final long START_MICROS = 1_000 * System.currentTimeMillis();

    private static final long START_NANOS = System.nanoTime();

    private final int id;
    private final Network network;
    private final GridSite site;
    private final Disorder disorder;
    private final LinkedBlockingQueue<GridMessage> delivered = new LinkedBlockingQueue<>();
    private final Thread thread;
    private volatile boolean closed;
    private volatile long done;
    private volatile long timeouts;
    private volatile String holders = "";

    /** Multicasts in one order, as far as it does. */
    interface Network extends AutoCloseable {
        /** Sends to all, the own site included; may wait a while. */
        void send(byte[] message) throws InterruptedException;

        @Override
        void close();
    }

    /** Opens the way of one site. */
    interface NetworkOfSite {
        Network open(int site, Consumer<byte[]> deliveries) throws IOException;
    }

    GridMember(int id, GridSettings settings, double share, long seed, NetworkOfSite networks) throws IOException {
        this.id = id;
        this.site = new GridSite(id, settings, seed, micros());
        this.disorder = new Disorder(share, seed + 1, message -> say(site.onMessage(message, micros())));
        this.network = networks.open(id, bytes -> delivered.add(GridMessage.of(bytes)));
        this.thread = DaemonThreads.start("amo-grid-site-" + id, this::run);
    }

    private static long micros() {
        return START_MICROS + (System.nanoTime() - START_NANOS) / 1_000;
    }

    private void run() {
        try {
            while (!closed) {
                GridMessage message = delivered.poll(TICK_MICROS, TimeUnit.MICROSECONDS);
                if (message == null) {
                    say(site.onTick(micros()));
                } else {
                    disorder.accept(message);
                }
                done = site.done();
                timeouts = site.timeouts();
                holders = site.holders();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void say(List<GridMessage> messages) {
        try {
            for (GridMessage message : messages) {
                network.send(message.toBytes());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closed = true;
        }
    }

    int id() {
        return id;
    }

    long done() {
        return done;
    }

    long timeouts() {
        return timeouts;
    }

    /** {@link GridSite#holders}, a moment ago. */
    String holders() {
        return holders;
    }

    /** Goes at once; other sites take over its units. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        network.close();
    }
}
