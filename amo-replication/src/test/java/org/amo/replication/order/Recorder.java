package org.amo.replication.order;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.amo.core.order.LogListener;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.OrderedLogException;

/** A listener that remembers everything. */
public class Recorder implements LogListener {
    private final List<String> entries = new ArrayList<>();
    private final List<Long> positions = new ArrayList<>();
    private final List<String> messages = new CopyOnWriteArrayList<>();
    private final List<String> leaders = new CopyOnWriteArrayList<>();
    private final List<String> endings = new CopyOnWriteArrayList<>();
    private final List<Long> snapshots = new CopyOnWriteArrayList<>();
    private final Set<Long> rejected = ConcurrentHashMap.newKeySet();

    @Override
    public void onDelivered(long position, byte[] entry) {
        synchronized (this) {
            positions.add(position);
            entries.add(new String(entry, StandardCharsets.UTF_8));
            notifyAll();
        }
    }

    @Override
    public synchronized void onSnapshot(LogSnapshot snapshot) {
        snapshots.add(snapshot.position());
        positions.clear();
        positions.add(snapshot.position());
        entries.clear();
        entries.addAll(List.of(new String(snapshot.servant(), StandardCharsets.UTF_8).split("\n")));
    }

    /** Of everything up to the last delivery; entries must not be empty. */
    public synchronized LogSnapshot snapshot() {
        return new LogSnapshot(
                positions.get(positions.size() - 1),
                new byte[] {1, 2, 3},
                String.join("\n", entries).getBytes(StandardCharsets.UTF_8));
    }

    /** Positions of the snapshots that it was given. */
    public List<Long> snapshots() {
        return List.copyOf(snapshots);
    }

    @Override
    public void onRejected(long submission) {
        rejected.add(submission);
    }

    @Override
    public void onLeader(String member) {
        leaders.add(member);
    }

    @Override
    public void onEnded(OrderedLogException why) {
        endings.add(String.valueOf(why.getMessage()));
    }

    @Override
    public void onMessage(String member, byte[] message) {
        messages.add(member + ": " + new String(message, StandardCharsets.UTF_8));
    }

    public synchronized List<String> entries() {
        return List.copyOf(entries);
    }

    public synchronized int count() {
        return entries.size();
    }

    /** True as soon as there are so many entries; false if there are fewer at the end of this time. */
    public synchronized boolean reaches(int entriesDelivered, Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        while (entries.size() < entriesDelivered) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return true;
    }

    public synchronized List<Long> positions() {
        return List.copyOf(positions);
    }

    public List<String> messages() {
        return List.copyOf(messages);
    }

    /** As last told; empty before that. */
    public String leader() {
        return leaders.isEmpty() ? "" : leaders.get(leaders.size() - 1);
    }

    /** Whether it was told of a leader, and then of another one or of none. */
    public boolean lostALeader() {
        return leaders.stream().dropWhile(String::isEmpty).count() > 1;
    }

    public Set<Long> rejected() {
        return Set.copyOf(rejected);
    }

    /** As {@link #rejected}; from now on they count as not rejected. */
    public Set<Long> takeRejected() {
        Set<Long> taken = Set.copyOf(rejected);
        rejected.removeAll(taken);
        return taken;
    }

    /** What the log said when it ended by itself. */
    public List<String> endings() {
        return endings;
    }
}
