package org.amo.core.replica;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** An entry that this replica has submitted and not yet seen delivered. Volatile. */
final class Submission {
    static final long NOTHING_ACKNOWLEDGED = Long.MAX_VALUE;

    private final long number;
    private final long submittedAtMillis;
    private final List<OrderedEntry.Item> items;
    private final List<Optional<PendingRequest>> requests;
    private final BitSet heard = new BitSet();
    private final int callers;
    private int unanswered;
    private boolean ordered;
    private boolean givenUp;
    private long acknowledgedSinceMillis = NOTHING_ACKNOWLEDGED;

    /** @param requests beside each item, the request that rides in it, if one does */
    Submission(
            long number,
            long submittedAtMillis,
            List<OrderedEntry.Item> items,
            List<Optional<PendingRequest>> requests) {
        this.number = number;
        this.submittedAtMillis = submittedAtMillis;
        this.items = items;
        this.requests = requests;
        for (Optional<PendingRequest> request : requests) {
            if (request.isPresent()) {
                unanswered++;
                request.get().submittedIn(this);
            }
        }
        callers = unanswered;
    }

    long number() {
        return number;
    }

    /** How many requests ride in it. */
    int callers() {
        return callers;
    }

    /** Whether requests ride in it, or did: those may have been answered meanwhile. */
    boolean hasRequests() {
        return callers > 0;
    }

    long submittedAtMillis() {
        return submittedAtMillis;
    }

    /** Of the acknowledgements that waited when this was made, the first came then. */
    void acknowledgedSince(long sinceMillis) {
        acknowledgedSinceMillis = sinceMillis;
    }

    boolean acknowledges() {
        return acknowledgedSinceMillis != NOTHING_ACKNOWLEDGED;
    }

    long acknowledgedSinceMillis() {
        return acknowledgedSinceMillis;
    }

    List<OrderedEntry.Item> items() {
        return items;
    }

    Optional<PendingRequest> request(int item) {
        return item < requests.size() ? requests.get(item) : Optional.empty();
    }

    /**
     * A decision on an item is heard of: from the leader or by delivery.
     *
     * @return the request that rides in it, if this is the first
     */
    Optional<PendingRequest> decided(int item) {
        if (heard.get(item)) {
            return Optional.empty();
        }
        heard.set(item);
        Optional<PendingRequest> request = request(item);
        request.ifPresent(PendingRequest::submissionEnded);
        return request;
    }

    void itemAnswered() {
        unanswered--;
    }

    void ordered() {
        ordered = true;
    }

    boolean isOrdered() {
        return ordered;
    }

    /** Ordered, executed and answered: the next entry may go. */
    boolean isDone() {
        return ordered && unanswered == 0;
    }

    boolean hasUnanswered() {
        return unanswered > 0;
    }

    /** Not heard of in time; its content goes again in another submission, while this one may still come. */
    void giveUp() {
        givenUp = true;
    }

    boolean isGivenUp() {
        return givenUp;
    }
}
