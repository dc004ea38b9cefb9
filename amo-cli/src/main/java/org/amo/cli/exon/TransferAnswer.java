package org.amo.cli.exon;

import java.util.Arrays;
import java.util.Optional;

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
        SEND(0),
        /** All pieces are there; the content is compared with the SHA-256. */
        CHECKING(1),
        /** The file is in its place. */
        ARRIVED(2),
        /** The file is not taken. */
        REFUSED(3);

        private final int number;

        State(int number) {
            this.number = number;
        }

        int number() {
            return number;
        }

        static Optional<State> of(int number) {
            return Arrays.stream(values()).filter(each -> each.number == number).findFirst();
        }
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
