package org.amo.interceptors.client;

/**
 * Limits the nested calls that are being sent and the bytes of their arguments. One call always has room if there is no other. Any thread.
 */
final class SendBudget {
    /** A member executes one operation at a time, so more than one call means that callees do not answer. */
    private static final int MOST_CALLS = 64;

    private static final int HEAP_PART = 16;

    private final int mostCalls;
    private final long mostBytes;

    // Guarded by this.
    private int calls;
    private long bytes;

    SendBudget(int mostCalls, long mostBytes) {
        this.mostCalls = mostCalls;
        this.mostBytes = mostBytes;
    }

    static SendBudget ofHeap() {
        return new SendBudget(MOST_CALLS, Runtime.getRuntime().maxMemory() / HEAP_PART);
    }

    /** Returns whether there is room for the call; then its sender gives the room back. */
    synchronized boolean take(int callBytes) {
        if (calls > 0 && (calls >= mostCalls || bytes + callBytes > mostBytes)) {
            return false;
        }
        calls++;
        bytes += callBytes;
        return true;
    }

    synchronized void giveBack(int callBytes) {
        calls--;
        bytes -= callBytes;
    }
}
