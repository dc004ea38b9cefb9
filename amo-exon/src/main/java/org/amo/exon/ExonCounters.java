package org.amo.exon;

/** Figures of a node; read them in its thread, right after {@link ExonNode#counters}. */
public final class ExonCounters {
    long delivered;
    long repeated;
    long unauthentic;
    long malformed;
    long formerLife;
    long abandoned;
    int peers;
    int sendRecords;
    int receiveRecords;
    int mostSlotsOfARecord;
    long reorderingMicros;
    long openSlots;
    long heldUnits;

    ExonCounters() {}

    /** Messages handed to the application. */
    public long delivered() {
        return delivered;
    }

    /** Tokens that came for a slot that was not open. */
    public long repeated() {
        return repeated;
    }

    /** Datagrams dropped for want of a good seal. */
    public long unauthentic() {
        return unauthentic;
    }

    /** Datagrams dropped for their form. */
    public long malformed() {
        return malformed;
    }

    /** Datagrams dropped since their sender has been started anew since. */
    public long formerLife() {
        return formerLife;
    }

    /** Records forgotten since their sender was silent too long. */
    public long abandoned() {
        return abandoned;
    }

    /** Nodes of which anything is remembered. */
    public int peers() {
        return peers;
    }

    /** |S|. */
    public int sendRecords() {
        return sendRecords;
    }

    /** |R|. */
    public int receiveRecords() {
        return receiveRecords;
    }

    /** The most slots that one sender has open. */
    public int mostSlotsOfARecord() {
        return mostSlotsOfARecord;
    }

    /** How late datagrams come that others have overtaken, on the path that reorders most. */
    public long reorderingMicros() {
        return reorderingMicros;
    }

    /** Slots open in all. */
    public long openSlots() {
        return openSlots;
    }

    /** Datagrams' worth of messages that are not whole or not taken. */
    public long heldUnits() {
        return heldUnits;
    }
}
