package org.amo.exon;

/**
 * Room for datagrams at a receiver: open slots, pieces of messages that are not whole, and messages that the application
 * has not taken. A slot is a promise of room, so nothing that was promised is ever refused. One thread owns it.
 */
final class ReceiveBudget {
    private final long limit;
    private long open;
    private long held;

    ReceiveBudget(long limit) {
        this.limit = limit;
    }

    long room() {
        return limit - open - held;
    }

    void opened(long slots) {
        open += slots;
    }

    void closed(long slots) {
        open -= slots;
    }

    /** A slot became a datagram that is held. */
    void consumed() {
        open--;
        held++;
    }

    /** Datagrams of a former life are held. */
    void kept(long units) {
        held += units;
    }

    /** Datagrams are held no more. */
    void released(long units) {
        held -= units;
    }

    long open() {
        return open;
    }

    long held() {
        return held;
    }
}
