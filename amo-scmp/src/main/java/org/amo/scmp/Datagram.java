package org.amo.scmp;

/**
 * One datagram, decoded; docs/wire/scmp.md has the bytes.
 *
 * @param kind of message
 * @param connection of the call that the datagram is about
 * @param timestampMicros of that call
 * @param code CALL: the service; REPLY: 1 if it failed; REFUSED: the reason; else 0
 * @param body CALL: the arguments; REPLY: the result; else empty
 * @param first REFUSED: the server's time; HELD: the size of the reply; else 0
 * @param second REFUSED: the bound; else 0
 */
public record Datagram(
        Kind kind, ConnectionId connection, long timestampMicros, int code, byte[] body, long first, long second) {

    /** Kinds in the order of their codes. */
    public enum Kind {
        CALL(1),
        TRUNCATED_CALL(2),
        REPLY_ACK(3),
        REPLY(4),
        ACK(5),
        HELD(6),
        REFUSED(7);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        /** The code on the wire. */
        public int code() {
            return code;
        }

        /** Whether a client sends it. */
        public boolean isOfClient() {
            return this == CALL || this == TRUNCATED_CALL || this == REPLY_ACK;
        }
    }
}
