package org.amo.scmp;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Stores the values that figure 3-1 keeps for a connection beside the timestamp, by slot of the connection table: 8 bytes of
 * reply time and one reference. The state follows from the reference, so the two cannot contradict. One thread owns it.
 */
final class CallColumns {
    private static final int CHUNK_BITS = 12;
    private static final int MASK = (1 << CHUNK_BITS) - 1;

    private final List<long[]> replyTimes = new ArrayList<>();

    /** null: IDLE; a Peer: COMPUTING, to be answered there; a Reply: REPLYING. */
    private final List<@Nullable Object[]> calls = new ArrayList<>();

    ConnectionState state(int slot) {
        Object call = call(slot);
        if (call == null) {
            return ConnectionState.IDLE;
        }
        return call instanceof Reply ? ConnectionState.REPLYING : ConnectionState.COMPUTING;
    }

    /** Only while COMPUTING. */
    CallPeer peer(int slot) {
        return (CallPeer) Objects.requireNonNull(call(slot));
    }

    /** Only while REPLYING. */
    Reply reply(int slot) {
        return (Reply) Objects.requireNonNull(call(slot));
    }

    /** Bytes of the stored reply, 0 if there is none. */
    int replyBytes(int slot) {
        return call(slot) instanceof Reply reply ? reply.body().length : 0;
    }

    void computing(int slot, CallPeer peer) {
        while (slot >>> CHUNK_BITS >= calls.size()) {
            calls.add(new Object[1 << CHUNK_BITS]);
            replyTimes.add(new long[1 << CHUNK_BITS]);
        }
        set(slot, peer);
    }

    void replying(int slot, Reply reply, long nowMicros) {
        set(slot, reply);
        setReplyTime(slot, nowMicros);
    }

    void idle(int slot) {
        set(slot, null);
    }

    /** When the reply was first sent. */
    long replyTime(int slot) {
        return replyTimes.get(slot >>> CHUNK_BITS)[slot & MASK];
    }

    private void setReplyTime(int slot, long micros) {
        replyTimes.get(slot >>> CHUNK_BITS)[slot & MASK] = micros;
    }

    private @Nullable Object call(int slot) {
        return calls.get(slot >>> CHUNK_BITS)[slot & MASK];
    }

    private void set(int slot, @Nullable Object call) {
        calls.get(slot >>> CHUNK_BITS)[slot & MASK] = call;
    }
}
