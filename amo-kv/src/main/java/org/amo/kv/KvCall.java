package org.amo.kv;

import java.util.concurrent.CompletableFuture;

/** One call of a client on its way. The client's thread owns all but the future. */
final class KvCall {
    /** Of a call that has no number: a read, or one that waits for its turn. */
    static final long NO_NUMBER = 0;

    private final KvRequest request;
    private final long keyHash;
    private final long deadlineNanos;
    private final CompletableFuture<KvResult> result = new CompletableFuture<>();

    private long number = NO_NUMBER;
    private long lastCopy;
    private int sent;
    private long againNanos;

    KvCall(KvRequest request, long deadlineNanos) {
        this.request = request;
        this.keyHash = request.object().hash();
        this.deadlineNanos = deadlineNanos;
    }

    KvRequest request() {
        return request;
    }

    long keyHash() {
        return keyHash;
    }

    CompletableFuture<KvResult> result() {
        return result;
    }

    void fail(KvException why) {
        result.completeExceptionally(why);
    }

    long number() {
        return number;
    }

    void number(long taken) {
        number = taken;
    }

    /** Attempts that may have left. */
    int sent() {
        return sent;
    }

    /** The attempt with the awaited answer; another attempt's would do as well, but the connection knows one. */
    long lastCopy() {
        return lastCopy;
    }

    void onSent(long copy) {
        lastCopy = copy;
        sent++;
    }

    boolean isOver(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    boolean isDue(long nowNanos) {
        return nowNanos - againNanos >= 0;
    }

    void againAt(long nanos) {
        againNanos = nanos;
    }
}
