package org.amo.core.replica;

import org.amo.core.request.Request;

/**
 * A request that the group decided to run.
 *
 * @param position of its entry in the ordered log
 * @param index among the requests of that entry that run, from 0
 * @param orderedTimeMillis the group's time there
 * @param request to run
 */
public record Execution(long position, int index, long orderedTimeMillis, Request request) {

    public Place place() {
        return new Place(position, index);
    }
}
