package org.amo.core.replica;

import java.util.ArrayList;
import java.util.List;
import org.amo.core.replica.PeerMessage.Result;
import org.amo.core.replica.PeerMessage.Results;

/**
 * The results that the leader tells the member of an entry, which is faster than to wait for the member's own execution. Long
 * replies are not told, nor more than a quarter of a megabyte of them together: the member answers from its own execution a
 * little later. They would travel in the memory of two members, and one client can put a thousand attempts of one request
 * into an entry.
 */
final class ToldResults {
    private static final int LONGEST_REPLY = 64 << 10;
    private static final long MOST_REPLY_BYTES = 256 << 10;

    private final List<Result> results = new ArrayList<>();
    private long replyBytes;

    void add(Result result) {
        int bytes = result.answer().reply().length;
        if (bytes <= LONGEST_REPLY && replyBytes + bytes <= MOST_REPLY_BYTES) {
            results.add(result);
            replyBytes += bytes;
        }
    }

    boolean isEmpty() {
        return results.isEmpty();
    }

    Results of(long incarnation, long submission) {
        return new Results(incarnation, submission, results);
    }
}
