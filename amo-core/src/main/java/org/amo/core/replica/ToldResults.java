package org.amo.core.replica;

import java.util.ArrayList;
import java.util.List;
import org.amo.core.replica.PeerMessage.Result;
import org.amo.core.replica.PeerMessage.Results;

/**
 * The results that the leader tells the member of an entry: up to a megabyte of replies, or one that is larger. The others
 * are not told, and the member answers from its own execution a little later. One client can put a thousand attempts of
 * one request into an entry, and each would bring the whole reply.
 */
final class ToldResults {
    private static final long MOST_REPLY_BYTES = 1L << 20;

    private final List<Result> results = new ArrayList<>();
    private long replyBytes;

    void add(Result result) {
        int bytes = result.answer().reply().length;
        if (replyBytes == 0 || bytes == 0 || replyBytes + bytes <= MOST_REPLY_BYTES) {
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
