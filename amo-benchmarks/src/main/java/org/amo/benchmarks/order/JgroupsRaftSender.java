package org.amo.benchmarks.order;

import java.io.DataInput;
import java.io.DataOutput;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.amo.base.DaemonThreads;
import org.amo.core.order.Member;
import org.jgroups.JChannel;
import org.jgroups.protocols.raft.ELECTION;
import org.jgroups.protocols.raft.InMemoryLog;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.protocols.raft.REDIRECT;
import org.jgroups.raft.Options;
import org.jgroups.raft.RaftHandle;
import org.jgroups.raft.StateMachine;

/**
 * jgroups-raft as it comes, with its log in memory, over JGroups as it comes. A message is complete when its result is there: at
 * a follower when the leader's answer is. The log is cut every 100 MB, behind a snapshot of nothing.
 */
final class JgroupsRaftSender implements Sender {
    private static final long LEADER_SECONDS = 60;
    private static final long RETRY_MILLIS = 5;
    private static final long LOG_BYTES = 100_000_000;
    private static final Options WITHOUT_RESULT = Options.create(true);

    private final int size;
    private final long tag;
    private final JChannel channel;
    private final RaftHandle raft;
    private final AtomicLong repeats = new AtomicLong();
    private final ScheduledExecutorService retries =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.factory("amo-bench-retries"));
    private volatile LongConsumer completed = sequence -> {};

    JgroupsRaftSender(String id, List<Member> members) throws Exception {
        size = members.size();
        tag = id.hashCode();
        RAFT protocol = new RAFT()
                .members(members.stream().map(Member::id).toList())
                .raftId(id)
                .logClass(InMemoryLog.class.getName())
                .maxLogSize(LOG_BYTES);
        channel = BareStack.channel(id, members, List.of(new ELECTION(), protocol, new REDIRECT()));
        raft = new RaftHandle(channel, new Nothing());
    }

    @Override
    public void start(LongConsumer toTell) throws Exception {
        completed = toTell;
        BareStack.join(channel, size);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LEADER_SECONDS);
        while (raft.leader() == null) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("no leader after " + LEADER_SECONDS + " s");
            }
            Thread.sleep(50);
        }
    }

    @Override
    public void send(long sequence, byte[] payload) {
        ByteBuffer.wrap(payload).putLong(tag).putLong(sequence);
        submit(sequence, payload);
    }

    private void submit(long sequence, byte[] payload) {
        try {
            CompletableFuture<byte[]> unused = raft.setAsync(payload, 0, payload.length, WITHOUT_RESULT)
                    .whenComplete((nothing, failure) -> {
                        if (failure == null) {
                            completed.accept(sequence);
                        } else {
                            again(sequence, payload);
                        }
                    });
        } catch (Exception e) {
            again(sequence, payload); // no leader at the moment
        }
    }

    private void again(long sequence, byte[] payload) {
        repeats.incrementAndGet();
        ScheduledFuture<?> unused =
                retries.schedule(() -> submit(sequence, payload), RETRY_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public long repeats() {
        return repeats.get();
    }

    @Override
    public boolean leads() {
        return raft.isLeader();
    }

    @Override
    public void close() {
        retries.shutdownNow();
        channel.close();
    }

    /** Executes nothing and has no state. */
    private static final class Nothing implements StateMachine {
        private static final byte[] RESULT = {};

        @Override
        public byte[] apply(byte[] data, int offset, int length, boolean serializeResponse) {
            return RESULT;
        }

        @Override
        public void readContentFrom(DataInput in) {
            // There is none.
        }

        @Override
        public void writeContentTo(DataOutput out) {
            // There is none.
        }
    }
}
