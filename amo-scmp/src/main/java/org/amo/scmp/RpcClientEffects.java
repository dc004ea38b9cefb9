package org.amo.scmp;

/** The datagrams that an {@link RpcClient} wants sent to its server. No effect may call back into the client. */
public interface RpcClientEffects {
    /**
     * CALL.
     *
     * @param roomForReplyBytes how large a reply the datagram must be padded for; 0 for none
     */
    void call(Call call, int roomForReplyBytes);

    /** A CALL without its arguments. */
    void truncatedCall(ConnectionId connection, long timestampMicros, int roomForReplyBytes);

    /** REPLY-ACK. */
    void replyAck(ConnectionId connection, long timestampMicros);
}
