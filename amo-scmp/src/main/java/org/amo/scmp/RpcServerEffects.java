package org.amo.scmp;

/** The effects that an {@link RpcServer} asks for. No effect may call back into the server. */
public interface RpcServerEffects {
    /** Begin user-level computation; answered later by {@link RpcServer#onExecuted}. */
    void execute(Call call);

    /** REPLY. */
    void reply(CallPeer to, ConnectionId connection, long timestampMicros, Reply reply);

    /** ACK: the call is being computed. */
    void acknowledge(CallPeer to, ConnectionId connection, long timestampMicros);

    /** HELD: the reply is ready and larger than an unproven sender's datagram; it must send one of this size for it. */
    void hold(CallPeer to, ConnectionId connection, long timestampMicros, int replyBytes);

    /**
     * REFUSED, with the values that the client needs to correct its timestamps.
     *
     * @param serverMicros G.time
     * @param boundMicros for TOO_EARLY {@code latest}, else {@code upper} of the connection's class
     */
    void refuse(
            CallPeer to,
            ConnectionId connection,
            long timestampMicros,
            RefusalReason reason,
            long serverMicros,
            long boundMicros);

    /** Make this durable, then {@link RpcServer#onLatestStored} or {@link RpcServer#onStoreFailed}. */
    void storeLatest(long latestMicros);
}
