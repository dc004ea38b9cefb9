package org.amo.core.replica;

/**
 * Where a request stands that the group decided to run.
 *
 * @param position of its entry in the ordered log
 * @param index among the requests of that entry that run, from 0
 */
public record Place(long position, int index) implements Comparable<Place> {

    public Place {
        if (position < 0 || index < 0) {
            throw new IllegalArgumentException(
                    "position and index begin at 0: position=" + position + " index=" + index);
        }
    }

    @Override
    public int compareTo(Place other) {
        int byPosition = Long.compare(position, other.position);
        return byPosition != 0 ? byPosition : Integer.compare(index, other.index);
    }

    @Override
    public String toString() {
        return position + "/" + index;
    }
}
