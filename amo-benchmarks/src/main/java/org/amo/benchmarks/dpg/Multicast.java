package org.amo.benchmarks.dpg;

/** A way to multicast in one order. Members come and go. Any thread. */
interface Multicast extends AutoCloseable {
    String name();

    /**
     * Opens a member; it may return before it takes part.
     *
     * @param site 0, 1, 2 …; of one site there is a member at a time
     */
    Member join(int site, DeliveryLog deliveries) throws Exception;

    /** Takes part until it is closed. */
    interface Member extends AutoCloseable {
        /**
         * Sends a message; waits while too much is on its way.
         *
         * @return false if it was not sent
         */
        boolean send(byte[] message) throws Exception;

        @Override
        void close();
    }

    /** After all members. */
    @Override
    void close();
}
