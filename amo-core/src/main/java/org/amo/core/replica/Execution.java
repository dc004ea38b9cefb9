package org.amo.core.replica;

import java.util.Optional;
import org.amo.core.request.Request;

/**
 * A request that the group decided to run.
 *
 * @param position of its entry in the ordered log
 * @param index among the requests of that entry that run, from 0
 * @param orderedTimeMillis the group's time there
 * @param request to run
 * @param seed of the random numbers of its entry, from which every member draws alike; not copied. Empty if the entry carries none
 */
public record Execution(long position, int index, long orderedTimeMillis, Request request, Optional<byte[]> seed) {

    /** Of an entry without a seed. */
    public Execution(long position, int index, long orderedTimeMillis, Request request) {
        this(position, index, orderedTimeMillis, request, Optional.empty());
    }

    public Place place() {
        return new Place(position, index);
    }
}
