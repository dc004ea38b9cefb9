package org.amo.core.replica;

import org.amo.core.request.Request;

/**
 * Where requests are really executed. Called from one thread, in the order of the log, once for each
 * request that the group decided to run.
 */
public interface ServantPort {

    /**
     * Runs a request against the real servant.
     *
     * @param position of the entry in the ordered log
     * @param orderedTimeMillis the group's time at that position
     * @return the reply, which must be byte-identical at every replica; exceptions of the servant are
     *     replies too and are encoded in it. Empty for a oneway
     */
    byte[] execute(long position, long orderedTimeMillis, Request request);
}
