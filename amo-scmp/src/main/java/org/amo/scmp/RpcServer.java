package org.amo.scmp;

import java.util.BitSet;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Runs each call at most once (the server of figure 3-1), even if messages are lost, repeated or late, or a process
 * crashes. While the server is up, a client that repeats its call gets an ACK while the call runs, and the reply afterwards.
 *
 * <p>Differences from the figure: REPLY-ACKs and duplicates must carry the timestamp of the connection's present call, and so
 * must the end of an execution. The server answers messages that the figure ignores with a reason, so that no client waits
 * in vain. An entry goes only when both its reply and its call are old, so that {@code upper} stays below G.time - ρ. Room
 * is never made by forgetting.
 *
 * <p>Times are microseconds. One thread owns the server. After a crash: {@link StartModes#recovered} with the stored value.
 */
public class RpcServer {
    /** Entries looked at in each tick, if the table is nearly full. */
    private static final int SWEEP_PER_TICK = 20_000;

    private final RpcServerOptions options;
    private final RpcServerEffects effects;
    private final MessageFilter filter;
    private final CallColumns columns = new CallColumns();
    private final BitSet services = new BitSet();

    private int computing;
    private int storedReplies;
    private long storedReplyBytes;
    private long accepted;
    private long repliesSentAgain;
    private long acknowledged;
    private long held;
    private long ignored;
    private final Map<RefusalReason, Long> refused = new EnumMap<>(RefusalReason.class);

    public RpcServer(RpcServerOptions options, StartModes.Beginning beginning, RpcServerEffects effects) {
        this.options = options;
        this.effects = effects;
        options.services().forEach(services::set);
        this.filter = beginning.filter(new MessageFilter.Keeper() {
            @Override
            public boolean mayForget(int slot, long nowMicros) {
                return RpcServer.this.mayForget(slot, nowMicros);
            }

            @Override
            public void onForgotten(int slot) {
                freeReply(slot);
            }
        });
    }

    /** CALL. */
    public void onCall(CallPeer from, Call call, long nowMicros) {
        ConnectionId connection = call.connection();
        int slot = filter.find(connection);
        Verdict verdict = filter.judge(slot, connection, call.timestampMicros(), nowMicros);
        switch (verdict) {
            case NEW -> onNewCall(from, call, slot, nowMicros);
            case DUPLICATE -> onDuplicate(from, connection, call.timestampMicros(), slot, nowMicros);
            // The figure ignores it. It may have run before a crash, or before it was forgotten.
            case OLD -> refuse(from, connection, call.timestampMicros(), RefusalReason.STALE, nowMicros);
            // "We need not discard a message that arrives too early": its client sends it again.
            case TOO_EARLY -> refuse(from, connection, call.timestampMicros(), RefusalReason.TOO_EARLY, nowMicros);
            case FULL -> throw new IllegalStateException("judge said FULL");
        }
    }

    /** A retransmission that contains only connection and timestamp, since an ACK said that the call arrived. */
    public void onTruncatedCall(CallPeer from, ConnectionId connection, long timestampMicros, long nowMicros) {
        int slot = filter.find(connection);
        if (slot != ConnectionTable.NONE && timestampMicros <= filter.table().timestamp(slot)) {
            onDuplicate(from, connection, timestampMicros, slot, nowMicros);
        } else {
            // It cannot run: its arguments died with the server that had them.
            refuse(from, connection, timestampMicros, RefusalReason.UNKNOWN_CALL, nowMicros);
        }
    }

    /** REPLY-ACK: the client has the reply of this call. */
    public void onReplyAck(ConnectionId connection, long timestampMicros) {
        int slot = filter.find(connection);
        if (slot == ConnectionTable.NONE || !acknowledges(slot, timestampMicros)) {
            ignored++;
            return;
        }
        freeReply(slot);
    }

    /** Whether a REPLY-ACK is of the reply that the slot holds, not of an earlier one. */
    boolean acknowledges(int slot, long timestampMicros) {
        return filter.table().timestamp(slot) == timestampMicros && columns.state(slot) == ConnectionState.REPLYING;
    }

    /** Whether an execution that ended is of the slot's present call. */
    boolean completes(int slot, long timestampMicros) {
        return filter.table().timestamp(slot) == timestampMicros;
    }

    /** Completion of user-level computation. */
    public void onExecuted(ConnectionId connection, long timestampMicros, Reply reply, long nowMicros) {
        computing--;
        int slot = filter.find(connection);
        boolean present = slot != ConnectionTable.NONE && isComputing(slot) && completes(slot, timestampMicros);
        if (!present) {
            // The client gave this call up and has begun another.
            ignored++;
            return;
        }
        CallPeer peer = columns.peer(slot);
        columns.replying(slot, reply, nowMicros);
        storedReplies++;
        storedReplyBytes += reply.body().length;
        sendReply(peer, connection, filter.table().timestamp(slot), reply);
    }

    /** Stable storage has it. */
    public void onLatestStored(long latestMicros) {
        filter.onStored(latestMicros);
    }

    /** Stable storage may not have it. */
    public void onStoreFailed() {
        filter.onStoreFailed();
    }

    /** Several times in each store interval. */
    public void onTick(long nowMicros) {
        if (filter.isNearlyFull() || storedReplyBytes > options.maxReplyBytes() / 4 * 3) {
            filter.collectSome(SWEEP_PER_TICK, nowMicros);
        }
        OptionalLong latest = filter.toStore(nowMicros);
        if (latest.isPresent()) {
            effects.storeLatest(latest.getAsLong());
        }
    }

    /** Forgets all that may be forgotten, needed or not; returns how many connections. */
    public int collect(long nowMicros) {
        return filter.collect(nowMicros);
    }

    /** The largest timestamp that is accepted now. */
    public long latestMicros(long nowMicros) {
        return filter.latestMicros(nowMicros);
    }

    /** The bound that judges unknown connections of the class of a uid. */
    public long upperMicros(int uid) {
        return filter.upperMicros(uid);
    }

    public RpcCounters counters() {
        return new RpcCounters(
                accepted,
                repliesSentAgain,
                acknowledged,
                held,
                refused(RefusalReason.STALE),
                refused(RefusalReason.TOO_EARLY),
                refused(RefusalReason.OVERLOADED),
                refused(RefusalReason.NO_SUCH_SERVICE),
                refused(RefusalReason.UNKNOWN_CALL),
                ignored,
                filter.size(),
                computing,
                storedReplies,
                storedReplyBytes);
    }

    private long refused(RefusalReason reason) {
        return refused.getOrDefault(reason, 0L);
    }

    private void onNewCall(CallPeer from, Call call, int known, long nowMicros) {
        ConnectionId connection = call.connection();
        // Refusals come before anything is remembered: a copy that was refused leaves no trace.
        if (!services.get(call.service())) {
            refuse(from, connection, call.timestampMicros(), RefusalReason.NO_SUCH_SERVICE, nowMicros);
            return;
        }
        int freed = known == ConnectionTable.NONE ? 0 : columns.replyBytes(known);
        boolean room = computing < options.maxComputing()
                && storedReplyBytes + reservedReplyBytes() - freed < options.maxReplyBytes();
        if (!room || !hasEntry(known, nowMicros)) {
            overloaded(from, call, known, nowMicros);
            return;
        }
        remember(from, call, known);
        computing++;
        accepted++;
        effects.execute(call);
    }

    /** A reply is never dropped for lack of room, so its room is reserved before its call runs. */
    long reservedReplyBytes() {
        return (long) computing * options.reservedReplyBytes();
    }

    /** Whether the connection has an entry, or there is room for one. */
    final boolean hasEntry(int known, long nowMicros) {
        return known != ConnectionTable.NONE || filter.makeRoom(nowMicros);
    }

    /** From now on the call is the present one of its connection. */
    final void remember(CallPeer from, Call call, int known) {
        if (known != ConnectionTable.NONE) {
            freeReply(known);
        }
        int slot = filter.record(known, call.connection(), call.timestampMicros());
        columns.computing(slot, from);
    }

    final boolean isComputing(int slot) {
        return columns.state(slot) == ConnectionState.COMPUTING;
    }

    /** Refuses a call for lack of room. */
    void overloaded(CallPeer from, Call call, int known, long nowMicros) {
        refuse(from, call.connection(), call.timestampMicros(), RefusalReason.OVERLOADED, nowMicros);
    }

    private void onDuplicate(CallPeer from, ConnectionId connection, long timestampMicros, int slot, long nowMicros) {
        long present = filter.table().timestamp(slot);
        if (!isAnswered(timestampMicros, present)) {
            refuse(from, connection, timestampMicros, RefusalReason.STALE, nowMicros);
            return;
        }
        switch (columns.state(slot)) {
            // The client has acknowledged the reply, so it waits for nothing.
            case IDLE -> ignored++;
            case COMPUTING -> {
                columns.computing(slot, from);
                acknowledged++;
                effects.acknowledge(from, connection, timestampMicros);
            }
            case REPLYING -> {
                repliesSentAgain++;
                sendReply(from, connection, timestampMicros, columns.reply(slot));
            }
        }
    }

    /** Whether a duplicate is of the present call, so that its state is the answer. */
    boolean isAnswered(long timestampMicros, long presentMicros) {
        return timestampMicros == presentMicros;
    }

    private void sendReply(CallPeer to, ConnectionId connection, long timestampMicros, Reply reply) {
        if (reply.body().length <= to.mostReplyBytes()) {
            effects.reply(to, connection, timestampMicros, reply);
        } else {
            held++;
            effects.hold(to, connection, timestampMicros, reply.body().length);
        }
    }

    private void refuse(
            CallPeer to, ConnectionId connection, long timestampMicros, RefusalReason reason, long nowMicros) {
        refused.merge(reason, 1L, Long::sum);
        long bound = reason == RefusalReason.TOO_EARLY
                ? filter.latestMicros(nowMicros)
                : filter.upperMicros(connection.uid());
        effects.refuse(to, connection, timestampMicros, reason, nowMicros, bound);
    }

    private void freeReply(int slot) {
        if (columns.state(slot) == ConnectionState.REPLYING) {
            storedReplies--;
            storedReplyBytes -= columns.replyBytes(slot);
        }
        columns.idle(slot);
    }

    /** Figure 3-1, garbage collection: never COMPUTING; others when no client can need the reply any more. */
    boolean mayForget(int slot, long nowMicros) {
        if (isComputing(slot)) {
            return false;
        }
        int retentionClass = options.scmp().classOf(filter.table().uid(slot));
        long kept = Math.max(options.scmp().retentionMicros().get(retentionClass), options.replyKeptMicros());
        return columns.replyTime(slot) < nowMicros - kept;
    }
}
