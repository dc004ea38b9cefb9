package org.amo.replication.rpc;

/**
 * Why a member does not take a client.
 *
 * @param kind how that became known
 * @param lasting the user's mistake: it is of no use to try again
 * @param why one line: the cause, and the remedy
 */
public record RpcRefusal(Kind kind, boolean lasting, String why) {

    /** The ways to become known. */
    public enum Kind {
        /** No connection came about. */
        UNREACHABLE,
        /** There was no answer in time. */
        SILENT,
        /** The connection ended, or brought bytes that no member sends. */
        BROKEN,
        /** The member said so. */
        TOLD
    }
}
