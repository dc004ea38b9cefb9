package org.amo.exon.udp;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Room that the application has given back and the event loop has not taken yet. The loop takes it whenever it runs; it is
 * woken for that only if a peer waits for room, or much has gathered. One thread, or several, give back; the loop takes.
 *
 * <p>Invariant: when both have said what they have to say, room that is wanted is taken or the loop has been asked to run.
 * For each side first says it and then looks at what the other said.
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

    /** The loop: what was given back since it asked last. */
    int take() {
        return units.get() == 0 ? 0 : (int) units.getAndSet(0);
    }

    /**
     * The loop, before it rests.
     *
     * @param room whether a peer waits for it
     * @return whether some was given back meanwhile that nobody would wake the loop for
     */
    boolean want(boolean room) {
        if (room != wanted) {
            wanted = room;
        }
        return room && units.get() > 0;
    }
}
