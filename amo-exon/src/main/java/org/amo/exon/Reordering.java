package org.amo.exon;

/**
 * Learns how late datagrams of a path come that others have overtaken: the reordering window of RFC 8985, section 6.2, from
 * measured delays. It grows at once, up to four round trips, and shrinks when no datagram was so late for 16 round trips, or a
 * second if that is less. One thread owns it; times in microseconds.
 */
class Reordering {
    private static final int ROUND_TRIPS = 16;

    /** RFC 8985 has one. Here the smoothed round trip is that of datagrams which overtook others. */
    private static final int MOST_ROUND_TRIPS = 4;

    private static final long MOST_MICROS = 1_000_000;

    /** The latest datagrams of the round trips up to the last boundary, and since. */
    private long before;

    private long since;
    private long boundaryMicros;

    /**
     * A datagram came after one that was sent later.
     *
     * @param tookMicros from its departure to the word of it
     * @param rttMicros smoothed
     * @param delayMicros the shortest round trip
     */
    void onLate(long tookMicros, long rttMicros, long delayMicros) {
        long late = tookMicros - rttMicros;
        // RFC 8985 begins with a quarter of the shortest round trip. The longest delay seen will be exceeded by some.
        since = Math.max(since, Math.min(MOST_ROUND_TRIPS * rttMicros, Math.max(delayMicros / 4, late + late / 4)));
    }

    /** Time has passed. */
    void onTime(long nowMicros, long rttMicros) {
        if (nowMicros >= boundaryMicros) {
            boundaryMicros = nowMicros + Math.min(MOST_MICROS, ROUND_TRIPS * rttMicros);
            before = kept(before, since);
            since = 0;
        }
    }

    /** The part of the window that stays at a boundary: the latest datagram since the last one. */
    long kept(long beforeMicros, long sinceMicros) {
        return sinceMicros;
    }

    /** Whether datagrams have overtaken others lately. */
    boolean isSeen() {
        return windowMicros() > 0;
    }

    /**
     * How late datagrams come again and again. Once may be a mistake: while a queue runs empty, the shortest round trip that is
     * known is longer than the path's, and a token that was sent again comes sooner than it could.
     */
    long steadyMicros() {
        return Math.min(before, since);
    }

    /** How much longer than a round trip the word of a datagram may take. */
    long windowMicros() {
        return Math.max(before, since);
    }
}
