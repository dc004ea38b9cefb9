package org.amo.core.replica;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.amo.base.ClientId;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Request;
import org.amo.sim.SimViolationException;

/** The replicated state machine of the simulation: a ledger of executions, and a counter per client. */
final class FtsServant {
    private static final byte[] NO_RESULT = {};

    private final Map<Long, Long> positions;
    private final Map<ClientId, Long> counters;
    /** One for each key. */
    private final long[] chains;

    private final TreeSet<FtsTimers.Timer> timers;
    /** State that no reply tells. */
    private long hidden;
    /** Whether an execution had another result than at the other members. */
    private boolean tainted;

    /** @param keys above 1: executions with different keys may change places */
    FtsServant(int keys) {
        positions = new HashMap<>();
        counters = new HashMap<>();
        chains = new long[keys];
        timers = new TreeSet<>();
    }

    private FtsServant(FtsServant other) {
        positions = new HashMap<>(other.positions);
        counters = new HashMap<>(other.counters);
        chains = other.chains.clone();
        timers = new TreeSet<>(other.timers);
        hidden = other.hidden;
        tainted = other.tainted;
    }

    FtsServant copy() {
        return new FtsServant(this);
    }

    /** A request's body: the logical call that it stands for, independent of its id. */
    static byte[] body(long call) {
        WireWriter writer = new WireWriter(8);
        writer.i64(call);
        return writer.toBytes();
    }

    static long call(byte[] body) {
        return new WireReader("call", body).i64("call");
    }

    /** The reply to a request that the group skips. */
    static byte[] skipped() {
        return new byte[] {0};
    }

    static boolean isSkipped(byte[] reply) {
        return reply.length == 1;
    }

    /** The reply to a request of a run that the group has undone. */
    static byte[] undone() {
        return new byte[] {0, 0};
    }

    static boolean isUndone(byte[] reply) {
        return reply.length == 2;
    }

    /** Applies the partial effects of a request that ends its member. */
    void runPartly(long position, long call) {
        positions.put(call, position);
        chains[0] = (chains[0] ^ call) * 0x9E37_79B9_7F4A_7C15L;
    }

    /** Flips a bit of the state, as in a damaged snapshot. */
    void flip(int bit) {
        chains[0] ^= 1L << bit;
    }

    /** The next result differs from that of the other members. */
    void diverge(boolean inStateAlone) {
        tainted = true;
        if (inStateAlone) {
            hidden++;
        } else {
            chains[0]++;
        }
    }

    boolean isTainted() {
        return tainted;
    }

    long stateDigest() {
        return chain() * 31 + hidden;
    }

    boolean hasRun(long call) {
        return positions.containsKey(call);
    }

    long chain() {
        long all = 0;
        for (long chain : chains) {
            all = all * 31 + chain;
        }
        return all;
    }

    void set(FtsTimers.Timer timer) {
        timers.add(timer);
    }

    /** The pending timer that is due first. */
    Optional<FtsTimers.Timer> nextTimer() {
        return timers.isEmpty() ? Optional.empty() : Optional.of(timers.first());
    }

    void fireTimer(long nowMillis) {
        FtsTimers.Timer fired = dropTimer();
        chains[0] = (chains[0] ^ fired.call()) * 0x9E37_79B9_7F4A_7C15L + fired.fired();
        fired.next(nowMillis).ifPresent(timers::add);
    }

    /** It never fires again. */
    FtsTimers.Timer dropTimer() {
        FtsTimers.Timer first = timers.first();
        timers.remove(first);
        return first;
    }

    /** The effects of a run, for the members that do not execute it. */
    static final class Update {
        /** Of one execution. */
        static final int EXECUTION_BYTES = 56;

        private final WireWriter writer = new WireWriter(64);

        byte[] encode() {
            return writer.toBytes();
        }
    }

    /** As {@link #execute} with a draw of its own, which no other execution makes. */
    byte[] execute(Execution execution, long draw, Update update) {
        Request request = execution.request();
        update.writer.i64(chains[0]);
        chains[0] ^= draw;
        byte[] reply = execute(execution);
        update.writer.i64(call(request.body()));
        update.writer.i64(execution.position());
        update.writer.clientId(request.id().client());
        update.writer.i64(counters.getOrDefault(request.id().client(), 0L));
        update.writer.i64(chains[0]);
        return reply;
    }

    /** Brings the state before a run to the state behind it. */
    void apply(byte[] update) {
        WireReader reader = new WireReader("update", update);
        while (reader.remaining() > 0) {
            if (reader.i64("chain before") != chains[0]) {
                throw new SimViolationException(
                        FtsLedger.DIVERGED, "an update is applied to another state than the one that it was made on");
            }
            long call = reader.i64("call");
            if (positions.put(call, reader.i64("position")) != null) {
                throw new SimViolationException(
                        FtsLedger.EXECUTED_TWICE, "call " + call + " is twice in the updates of one replica");
            }
            counters.put(reader.clientId("client"), reader.i64("count"));
            chains[0] = reader.i64("chain");
        }
    }

    /** The reply names the call first, so that a client can tell a wrong one. */
    byte[] execute(Execution execution) {
        return execute(execution, List.of());
    }

    /** @param nested results of the operation's nested calls */
    byte[] execute(Execution execution, List<Optional<byte[]>> nested) {
        Request request = execution.request();
        long position = execution.position();
        long call = call(request.body());
        if (positions.put(call, position) != null) {
            throw new SimViolationException(
                    FtsLedger.EXECUTED_TWICE,
                    "call " + call + " runs again on the state of one replica: " + request.id() + " at " + position);
        }
        long count = counters.merge(request.id().client(), 1L, Long::sum);
        int key = FtsParallel.key(request, chains.length);
        chains[key] = (chains[key] ^ call) * 0x9E37_79B9_7F4A_7C15L + count + FtsDraws.number(execution);
        for (Optional<byte[]> result : nested) {
            chains[key] = chains[key] * 31 + Arrays.hashCode(result.orElse(NO_RESULT));
        }
        WireWriter writer = new WireWriter(24);
        writer.i64(call);
        writer.i64(count);
        writer.i64(chains[key]);
        return writer.toBytes();
    }
}
