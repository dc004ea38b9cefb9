package org.amo.interceptors.jacorb;

import java.util.concurrent.Executor;

/** Takes requests in the threads that read the connections. */
public interface RequestTaker {

    /**
     * Takes a request, or leaves it to JacORB. Does not block.
     *
     * @return true when the taker answers the request, now or later; false when it has done nothing with it
     */
    boolean take(ArrivedRequest request);

    /** Runs the tasks that write replies; a client that does not read blocks the thread of its task. */
    Executor writers();

    /** For the replies that wait for such clients. */
    ReplyRoom replyRoom();
}
