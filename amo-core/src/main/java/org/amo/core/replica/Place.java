package org.amo.core.replica;

/**
 * Where a request stands that the group decided to run, or a timer of an operation that fires. The timers that fire at an entry
 * stand before its requests.
 *
 * @param position of its entry in the ordered log
 * @param index of a request: among the requests of that entry that run, from 0. Of a timer: among those that fire there, from
 *     {@link Integer#MIN_VALUE}
 */
public record Place(long position, int index) implements Comparable<Place> {

    public Place {
        if (position < 0) {
            throw new IllegalArgumentException("positions begin at 0: position=" + position + " index=" + index);
        }
    }

    /** @param turn of the timer among those that fire at that position, from 0 */
    public static Place ofTimer(long position, int turn) {
        return new Place(position, Integer.MIN_VALUE + turn);
    }

    public boolean isTimer() {
        return index < 0;
    }

    /** Of a timer: among those that fire at its position, from 0. */
    public int turn() {
        return index - Integer.MIN_VALUE;
    }

    /** For messages to the operator: the kind and the place. */
    public String named() {
        return (isTimer() ? "timer at " : "request at ") + this;
    }

    @Override
    public int compareTo(Place other) {
        int byPosition = Long.compare(position, other.position);
        return byPosition != 0 ? byPosition : Integer.compare(index, other.index);
    }

    /** As "7/0" for a request, and "7/t0" for a timer. */
    @Override
    public String toString() {
        return position + (isTimer() ? "/t" + turn() : "/" + index);
    }
}
