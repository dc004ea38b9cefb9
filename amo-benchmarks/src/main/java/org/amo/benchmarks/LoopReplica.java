package org.amo.benchmarks;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.amo.base.ClientId;
import org.amo.core.replica.Execution;
import org.amo.core.replica.GroupParameters;
import org.amo.core.replica.Replica;
import org.amo.core.replica.ReplicaEffects;
import org.amo.core.replica.ReplicaOptions;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService.AnswerListener;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;

/** A replica alone in its group, in one thread: its submissions are delivered at once and executed for nothing. */
public final class LoopReplica implements ReplicaEffects {
    /** Enough for a million entries, each charged for the reply that is allowed for. */
    private static final long BUDGET_BYTES = 4L << 30;

    private static final long WALL = 1_700_000_000_000L;
    /** The size of a reply without a result, captured from JacORB. */
    public static final int REPLY_BYTES = 40;

    private static final byte[] REPLY = new byte[REPLY_BYTES];

    private final ArrayDeque<byte[]> submitted = new ArrayDeque<>();
    private final List<Execution> executions = new ArrayList<>();
    private final Replica replica;
    private long position;
    private long now = 1_000;

    public LoopReplica() {
        replica = new Replica(
                new ReplicaOptions(
                        "a",
                        List.of("a"),
                        1,
                        new ClientId(9, 9),
                        // One client, or one principal, may take all.
                        GroupParameters.builder()
                                .budgetBytes(BUDGET_BYTES)
                                .maxClients(10_000_000)
                                .clientShare(GroupParameters.MOST_SHARE)
                                .principalShare(GroupParameters.MOST_SHARE)
                                .build()),
                this);
        replica.onLeader("a", now);
        while (!replica.started()) {
            now += 1_000;
            replica.onTick(now, WALL + now);
            settle();
        }
    }

    /** A timestamp that the group accepts; its time stands still between calls of {@link #pass}. */
    public long timestamp() {
        ReplicaStatus status = replica.status();
        return Math.max(status.upperMillis() + 1, status.orderedTimeMillis());
    }

    /** One copy of a request, answered before this returns. */
    public void call(Request request, FinishedNumbers finished, AnswerListener listener) {
        replica.onCopy(request, finished, listener, now);
        settle();
    }

    /** A request of an own client that lives for a minute. */
    public Request request(ClientId client, long number, long timestamp, byte[] body) {
        return new Request(RequestId.own(client, number), timestamp, timestamp + 60_000, number, false, body);
    }

    /** Acknowledgements without a request. */
    public void acknowledge(ClientId client, FinishedNumbers finished) {
        replica.onFinished(client, finished, now);
        settle();
    }

    /** Live entries now. */
    public long entries() {
        return replica.status().entries();
    }

    /** Lets time pass, to each moment at which the replica wants to be woken. */
    public void pass(long millis) {
        long end = now + millis;
        while (now < end) {
            now = Math.min(end, now + 1_000);
            replica.onTick(now, WALL + now);
            settle();
        }
    }

    /** Records of clients now. */
    public long clients() {
        return replica.status().clients();
    }

    private void settle() {
        while (!submitted.isEmpty() || !executions.isEmpty()) {
            while (!submitted.isEmpty()) {
                replica.onDelivered(++position, submitted.poll(), now);
            }
            if (!executions.isEmpty()) {
                List<Execution> done = List.copyOf(executions);
                executions.clear();
                List<byte[]> replies = new ArrayList<>(done.size());
                done.forEach(each -> replies.add(REPLY.clone()));
                replica.onExecuted(done, replies, now);
            }
        }
    }

    @Override
    public void submit(long submission, byte[] entry) {
        submitted.add(entry);
    }

    @Override
    public void execute(List<Execution> more) {
        executions.addAll(more);
    }

    @Override
    public void answer(AnswerListener copy, Answer answer) {
        copy.onAnswer(answer);
    }

    @Override
    public void send(String member, byte[] message) {
        // No other member is there to read it.
    }

    @Override
    public void parametersDiffer(GroupParameters ofGroup) {
        throw new IllegalStateException("the group has other parameters: " + ofGroup);
    }
}
