package org.amo.jdbc;

/**
 * A transaction at the server.
 *
 * @param process of the server that runs it
 * @param id that the server gave it
 * @param readsCommitted whether each statement sees the commits before it
 */
record TransactionId(int process, String id, boolean readsCommitted) {
    /** Of a database in the own process: no transaction there outlives its connection. */
    static final TransactionId LOCAL = new TransactionId(0, "", true);
}
