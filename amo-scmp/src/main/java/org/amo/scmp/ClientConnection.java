package org.amo.scmp;

import java.util.Optional;

/** One connection of a client: it carries one call at a time, and is used again for the next. */
final class ClientConnection {
    static final CallListener NOBODY = outcome -> {};
    static final Call NO_CALL = new Call(new ConnectionId(0, 0, 0), 0, 0, new byte[0]);

    final int number;
    ConnectionId connection;
    boolean busy;

    /** Timestamp of a reply that the server still keeps, 0 for none. */
    long unacknowledged;

    long repliedAtMicros;

    Call call = NO_CALL;
    CallListener listener = NOBODY;

    /** The last refusal of the server. */
    Optional<RefusalReason> refusal = Optional.empty();

    /** When it was first sent. */
    long sentAtMicros;

    /** {@code corrections} when the call was stamped. */
    int stampedAfter;

    long endMicros;
    long sendAgainAtMicros;
    long intervalMicros;
    int sends;

    /** The server has the call: arguments need not be sent again. */
    boolean arrived;

    int roomForReplyBytes;

    ClientConnection(int number, ConnectionId connection) {
        this.number = number;
        this.connection = connection;
    }
}
