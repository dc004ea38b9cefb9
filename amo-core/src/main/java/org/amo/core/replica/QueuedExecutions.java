package org.amo.core.replica;

import java.util.List;

/**
 * Counts the requests that this member has decided to execute and has not executed, and the bytes of their bodies. Above a limit
 * the member takes no new requests of clients until half of the limit is left, so that it does not refuse every other one.
 *
 * <p>The counts are local knowledge: no decision of the order depends on them. One thread owns it.
 */
final class QueuedExecutions {
    static final int MOST_REQUESTS = 20_000;

    private final int mostRequests;
    private final long mostBytes;

    private int requests;
    private long bytes;
    private boolean full;

    /** One request may have more bytes than the limit. */
    QueuedExecutions(int mostRequests, long mostBytes) {
        this.mostRequests = mostRequests;
        this.mostBytes = mostBytes;
    }

    void add(List<Execution> executions) {
        requests += executions.size();
        for (Execution execution : executions) {
            bytes += execution.request().body().length;
        }
        full |= requests > mostRequests || (requests > 1 && bytes > mostBytes);
    }

    void remove(Execution execution) {
        requests--;
        bytes -= execution.request().body().length;
        full &= requests > mostRequests / 2 || (requests > 0 && bytes > mostBytes / 2);
    }

    /** The state is that of a snapshot: nothing decided before it runs any more. */
    void clear() {
        requests = 0;
        bytes = 0;
        full = false;
    }

    boolean isFull() {
        return full;
    }
}
