package org.amo.jdbc;

/**
 * A transaction at the server.
 *
 * @param process of the server that runs it
 * @param id that the server gave it
 * @param readsCommitted whether each statement sees the commits before it
 */
record TransactionId(int process, String id, boolean readsCommitted) {
    /** Of a database in the own process, whose connections do not outlive their loss. */
    static final TransactionId LOCAL = new TransactionId(0, "", true);
}
