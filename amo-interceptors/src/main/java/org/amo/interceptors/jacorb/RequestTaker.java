package org.amo.interceptors.jacorb;

/** Takes requests in the threads that read the connections. */
public interface RequestTaker {

    /**
     * Takes a request, or leaves it to JacORB. Does not block.
     *
     * @return true when the taker answers the request, now or later; false when it has done nothing with it
     */
    boolean take(ArrivedRequest request);
}
