package org.amo.benchmarks.order;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.amo.base.DaemonThreads;
import org.amo.core.order.LogListener;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.order.OrderedLogs;

/** The bare ordered log, one message an entry. It forgets old entries as a replica does, by snapshots, here of nothing. */
final class LogSender implements Sender, LogListener {
    private static final long RETRY_MILLIS = 5;
    private static final long SNAPSHOT_BYTES = 64L << 20;
    private static final byte[] NOTHING = {};

    private final ReplicaSettings settings;
    private final OrderedLog log;
    private final long tag;
    private final Map<Long, byte[]> open = new ConcurrentHashMap<>();
    private final AtomicLong repeats = new AtomicLong();
    private final ScheduledExecutorService retries =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.factory("amo-bench-retries"));
    private volatile LongConsumer completed = sequence -> {};
    private volatile String leader = "";
    // The delivering thread's.
    private long bytesSinceSnapshot;

    LogSender(ReplicaSettings settings) {
        this.settings = settings;
        this.log = OrderedLogs.open(settings);
        this.tag = settings.id().hashCode();
    }

    @Override
    public void start(LongConsumer toTell) {
        completed = toTell;
        log.start(this);
    }

    @Override
    public void send(long sequence, byte[] payload) {
        ByteBuffer.wrap(payload).putLong(tag).putLong(sequence);
        open.put(sequence, payload);
        log.submit(sequence, payload);
    }

    @Override
    public long repeats() {
        return repeats.get();
    }

    @Override
    public boolean leads() {
        return leader.equals(settings.id());
    }

    @Override
    public void close() {
        retries.shutdownNow();
        log.close();
    }

    @Override
    public void onDelivered(long position, byte[] entry) {
        bytesSinceSnapshot += entry.length;
        if (bytesSinceSnapshot > SNAPSHOT_BYTES) {
            bytesSinceSnapshot = 0;
            retries.execute(() -> log.compact(new LogSnapshot(position, NOTHING, NOTHING)));
        }
        ByteBuffer bytes = ByteBuffer.wrap(entry);
        if (bytes.getLong() == tag) {
            long sequence = bytes.getLong();
            open.remove(sequence);
            completed.accept(sequence);
        }
    }

    @Override
    public void onRejected(long submission) {
        byte[] payload = open.get(submission);
        if (payload != null) {
            repeats.incrementAndGet();
            ScheduledFuture<?> unused =
                    retries.schedule(() -> log.submit(submission, payload), RETRY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void onLeader(String member) {
        leader = member;
    }

    @Override
    public void onMessage(String member, byte[] message) {
        // No member sends any.
    }

    @Override
    public void onEnded(OrderedLogException why) {
        System.err.println("the log ended: " + why.getMessage());
        Runtime.getRuntime().halt(1);
    }
}
