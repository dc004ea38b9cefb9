package org.amo.benchmarks.dpg;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.amo.base.DaemonThreads;
import org.jspecify.annotations.Nullable;

/**
 * Sites of one group, each with a thread that sends: as much as the multicast takes, or so many messages a second, those that could not
 * be sent in time being sent later. One thread owns it.
 */
final class GroupRun implements AutoCloseable {
    private static final long START_SECONDS = 30;

    private final Multicast multicast;
    private final double perSecondAndSite;
    private final int bytes;
    private final List<Site> sites = new ArrayList<>();
    private final List<DeliveryLog> lives = new ArrayList<>();
    private final AtomicLong lastId = new AtomicLong();

    /**
     * The result of a window of time.
     *
     * @param perSecond messages delivered at the sites that were there all the time, on average
     * @param presence sites present on average
     * @param longestPauseMillis at any of the sites that were there all the time
     */
    record Window(double perSecond, double presence, double longestPauseMillis) {}

    /** @param perSecondAndSite messages that each present site offers; 0 for as many as are taken */
    GroupRun(Multicast multicast, int count, double perSecondAndSite, int bytes) {
        this.multicast = multicast;
        this.perSecondAndSite = perSecondAndSite;
        this.bytes = bytes;
        for (int i = 0; i < count; i++) {
            sites.add(new Site(i));
        }
    }

    /** Opens all sites and waits until each delivers the messages of each. */
    void start() throws Exception {
        for (Site site : sites) {
            site.open();
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        for (Site site : sites) {
            while (site.ownDelivered() == 0) {
                if (System.nanoTime() - end > 0) {
                    throw new IOException(multicast.name() + ": site " + site.index + " of " + sites.size()
                            + " has delivered nothing after " + START_SECONDS + " s");
                }
                TimeUnit.MILLISECONDS.sleep(5);
            }
        }
    }

    /** Runs for so long while the last {@code toggling} sites go and come once a second in turn. */
    Window window(long millis, int toggling) throws Exception {
        int steady = sites.size() - toggling;
        long[] before = new long[steady];
        for (int i = 0; i < steady; i++) {
            before[i] = sites.get(i).deliveries.size();
            sites.get(i).deliveries.watch();
        }
        long start = System.nanoTime();
        long end = start + TimeUnit.MILLISECONDS.toNanos(millis);
        double present = steady * (double) (end - start);
        long[] since = new long[sites.size()];
        for (int i = steady; i < sites.size(); i++) {
            since[i] = start;
        }
        long second = TimeUnit.SECONDS.toNanos(1);
        long at = toggling == 0 ? end : start + second / toggling;
        for (int step = 1; at - end < 0; step++) {
            sleepUntil(at);
            at = start + (step + 1) * second / toggling;
            Site site = sites.get(steady + (step - 1) % toggling);
            if (site.isOpen()) {
                present += System.nanoTime() - since[site.index];
                site.close();
            } else {
                since[site.index] = System.nanoTime();
                site.open();
            }
        }
        sleepUntil(end);
        long now = System.nanoTime();
        present += steady * (double) (now - end);
        double delivered = 0;
        double pause = 0;
        for (int i = 0; i < steady; i++) {
            delivered += sites.get(i).deliveries.size() - before[i];
            pause = Math.max(pause, sites.get(i).deliveries.longestPauseMillis());
        }
        for (int i = steady; i < sites.size(); i++) {
            present += sites.get(i).isOpen() ? now - since[i] : 0;
        }
        for (Site site : sites.subList(steady, sites.size())) {
            if (!site.isOpen()) {
                site.open();
            }
        }
        return new Window(delivered / steady * 1e9 / (now - start), present / (now - start), pause);
    }

    private static void sleepUntil(long nanos) throws InterruptedException {
        long left = nanos - System.nanoTime();
        if (left > 0) {
            TimeUnit.NANOSECONDS.sleep(left);
        }
    }

    /** Compares the deliveries; after {@link #close}. */
    void audit(OrderAudit audit) {
        List<DeliveryLog> steady = new ArrayList<>();
        List<DeliveryLog> others = new ArrayList<>();
        for (DeliveryLog life : lives) {
            boolean whole = sites.stream().anyMatch(site -> site.deliveries == life && site.opened == 1);
            (whole && life.segments().size() == 1 ? steady : others).add(life);
        }
        if (steady.isEmpty()) {
            throw new IllegalStateException("no site was there all the time: nothing to compare with");
        }
        audit.compare(steady, others);
    }

    @Override
    public void close() {
        // First all sites stop sending, so that all sent messages can be delivered.
        sites.forEach(Site::rest);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
        sites.forEach(Site::close);
        multicast.close();
    }

    private final class Site {
        private final int index;
        private volatile DeliveryLog deliveries = new DeliveryLog();
        private int opened;
        private volatile Multicast.@Nullable Member member;
        private volatile @Nullable Thread sender;

        Site(int index) {
            this.index = index;
        }

        boolean isOpen() {
            return sender != null;
        }

        int ownDelivered() {
            return deliveries.size();
        }

        void open() {
            DeliveryLog life = new DeliveryLog();
            deliveries = life;
            lives.add(life);
            opened++;
            Thread thread = DaemonThreads.unstarted("amo-bench-site-" + index, () -> sendUntilClosed(life));
            sender = thread;
            thread.start();
        }

        /** Opening takes its time with some; that is the site's own time and not that of the toggling thread. */
        private void sendUntilClosed(DeliveryLog life) {
            long start = System.nanoTime();
            try {
                Multicast.Member joined = multicast.join(index, life);
                member = joined;
                long sent = 0;
                while (sender == Thread.currentThread()) {
                    double due = (System.nanoTime() - start) * 1e-9 * perSecondAndSite;
                    if (perSecondAndSite > 0 && sent >= due) {
                        LockSupport.parkNanos(1_000_000);
                    } else {
                        sent += joined.send(DeliveryLog.message(lastId.incrementAndGet(), bytes)) ? 1 : 0;
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                System.err.println("site " + index + " of " + multicast.name() + " stopped: " + e);
            }
        }

        void rest() {
            Thread thread = sender;
            sender = null;
            if (thread != null) {
                DaemonThreads.join(thread, TimeUnit.SECONDS.toMillis(10));
            }
        }

        void close() {
            rest();
            Multicast.Member gone = member;
            member = null;
            if (gone != null) {
                gone.close();
            }
        }
    }
}
