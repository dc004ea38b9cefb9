package org.amo.benchmarks.scmp;

/** A client and a server that do nothing but exchange 64 bytes. */
interface NullCall extends AutoCloseable {
    int BYTES = 64;
    long TIMEOUT_SECONDS = 20;

    /** One request and its reply, as a blocking stub makes it. */
    void call() throws Exception;

    /** What belongs to no measured time, such as the end of a client that made one call. */
    default void afterwards() {}

    @Override
    void close();
}
