package org.amo.cli.exon;

/**
 * What a receiver answers to an offer, or to the end of lines.
 *
 * @param state of the transfer
 * @param position bytes that the receiver has and keeps, or has checked; lines that it has printed
 * @param exitCode of the sender's command, if it is refused
 * @param reason in one line with its remedy, if it is refused
 */
record TransferAnswer(State state, long position, int exitCode, String reason) {
    /** The states, by their numbers on the wire. */
    enum State {
        /** The pieces from the position on are wanted. */
        SEND,
        /** All pieces are there; the content is compared with the SHA-256. */
        CHECKING,
        /** The file is in its place. */
        ARRIVED,
        /** The file is not taken. */
        REFUSED
    }

    static TransferAnswer send(long position) {
        return new TransferAnswer(State.SEND, position, 0, "");
    }

    static TransferAnswer checking(long position) {
        return new TransferAnswer(State.CHECKING, position, 0, "");
    }

    static TransferAnswer arrived(long position) {
        return new TransferAnswer(State.ARRIVED, position, 0, "");
    }

    static TransferAnswer refused(int exitCode, String reason) {
        return new TransferAnswer(State.REFUSED, 0, exitCode, reason);
    }
}
