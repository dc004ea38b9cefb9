package org.amo.core.replica;

import org.amo.core.request.Request;

/**
 * A request that the group decided to run.
 *
 * @param position of its entry in the ordered log
 * @param orderedTimeMillis the group's time there
 * @param request what to run
 */
public record Execution(long position, long orderedTimeMillis, Request request) {}
