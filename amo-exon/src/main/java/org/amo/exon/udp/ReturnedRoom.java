package org.amo.exon.udp;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts room that the application has given back and the event loop has not taken yet. The loop takes it whenever it runs.
 * The loop is woken for it only if a peer waits for room, or much has gathered. Any threads give back; the loop takes.
 *
 * <p>Invariant: when both sides have finished, room that is wanted is taken or the loop has been asked to run, because each
 * side first writes its own field and then reads the other's.
 */
final class ReturnedRoom {
    /** Units, which are datagrams' worth, that the loop is woken for. */
    static final int MUCH = 256;

    private final AtomicLong units = new AtomicLong();
    private volatile boolean wanted;

    /** Returns whether the loop has to be asked to run. */
    boolean giveBack(int more) {
        return units.addAndGet(more) >= MUCH || wanted;
    }

    /** The loop: the room given back since it asked last. */
    int take() {
        return units.get() == 0 ? 0 : (int) units.getAndSet(0);
    }

    /**
     * The loop, before it rests.
     *
     * @param room whether a peer waits for it
     * @return whether room was given back meanwhile without a wake-up of the loop
     */
    boolean want(boolean room) {
        if (room != wanted) {
            wanted = room;
        }
        return room && units.get() > 0;
    }
}
