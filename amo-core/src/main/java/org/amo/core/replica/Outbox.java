package org.amo.core.replica;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.core.request.ClientId;
import org.amo.core.sack.FinishedNumbers;

/**
 * What waits here to be ordered, and what is under way. Natural batching: one entry in flight; the next goes when
 * that one was ordered, executed and answered, or when 50 kB wait. No timer: an idle replica submits at once, a
 * busy one gathers what came meanwhile (design section 4; paper 004 section 2.4 batches by a window of 1 s).
 */
final class Outbox {
    private static final int EAGER_BYTES = 50_000;
    private static final int ENTRY_BYTES = 64_000;
    private static final int MAX_UNDER_WAY = 64;

    private final ArrayDeque<PendingRequest> queue = new ArrayDeque<>();
    private final ArrayDeque<OrderedEntry.Item> acknowledgements = new ArrayDeque<>();
    private final Map<Long, Submission> underWay = new HashMap<>();
    private Optional<Submission> inFlight = Optional.empty();
    private long queuedBytes;
    private long nextSubmission = 1;

    void add(PendingRequest request) {
        queue.add(request);
        queuedBytes += request.request().body().length;
    }

    /** Finished numbers are cumulative, so a set of a client replaces those that hold no more; one may be overtaken. */
    void add(ClientId client, FinishedNumbers finished) {
        if (finished.isEmpty()) {
            return;
        }
        acknowledgements.removeIf(item -> item.client().equals(client) && finished.containsAll(item.finished()));
        acknowledgements.add(new OrderedEntry.Item(client, finished, Optional.empty()));
    }

    int queued() {
        return queue.size();
    }

    int acknowledgementsWaiting() {
        return acknowledgements.size();
    }

    boolean isIdle() {
        return underWay.isEmpty();
    }

    /** The next batch, if one may go now. */
    Optional<Submission> next(long nowMillis) {
        if (inFlight.isPresent() && inFlight.get().isDone()) {
            inFlight = Optional.empty();
        }
        if ((inFlight.isPresent() && queuedBytes < EAGER_BYTES) || underWay.size() >= MAX_UNDER_WAY) {
            return Optional.empty();
        }
        List<OrderedEntry.Item> items = new ArrayList<>();
        List<Optional<PendingRequest>> requests = new ArrayList<>();
        int bytes = 0;
        while (!queue.isEmpty() && bytes < ENTRY_BYTES) {
            PendingRequest next = queue.poll();
            queuedBytes -= next.request().body().length;
            if (next.closed() || next.accepted()) {
                // Somebody else's copy was ordered first; only the acknowledgements are still to go.
                add(next.request().id().client(), next.finished());
                continue;
            }
            OrderedEntry.Item item =
                    new OrderedEntry.Item(next.request().id().client(), next.finished(), Optional.of(next.request()));
            items.add(item);
            requests.add(Optional.of(next));
            bytes += OrderedEntry.encodedSize(item);
        }
        while (!acknowledgements.isEmpty() && bytes < ENTRY_BYTES) {
            OrderedEntry.Item item = acknowledgements.poll();
            items.add(item);
            requests.add(Optional.empty());
            bytes += OrderedEntry.encodedSize(item);
        }
        return items.isEmpty() ? Optional.empty() : Optional.of(begin(items, requests, nowMillis));
    }

    /** An entry without content: a tick, a step of the clock, the start of the group. */
    Submission empty(long nowMillis) {
        return begin(List.of(), List.of(), nowMillis);
    }

    Optional<Submission> find(long submission) {
        return Optional.ofNullable(underWay.get(submission));
    }

    /** Delivered, or rejected: it is no longer under way. */
    Optional<Submission> remove(long submission) {
        Optional<Submission> removed = Optional.ofNullable(underWay.remove(submission));
        if (removed.isPresent() && inFlight.equals(removed) && removed.get().isDone()) {
            inFlight = Optional.empty();
        }
        return removed;
    }

    /** Its content goes again with the next entries, what is still open of it. */
    void requeue(Submission submission) {
        if (inFlight.isPresent() && inFlight.get() == submission) {
            inFlight = Optional.empty();
        }
        for (int i = submission.items().size() - 1; i >= 0; i--) {
            Optional<PendingRequest> request = submission.request(i);
            OrderedEntry.Item item = submission.items().get(i);
            if (request.isEmpty()) {
                acknowledgements.addFirst(item);
            } else if (request.get().closed() || request.get().accepted()) {
                add(item.client(), item.finished());
            } else {
                queue.addFirst(request.get());
                queuedBytes += request.get().request().body().length;
            }
        }
    }

    /** Whatever is under way may have been jumped over by a snapshot: what is still open of it goes again. */
    void beginAgain() {
        List<Submission> all = new ArrayList<>(underWay.values());
        underWay.clear();
        inFlight = Optional.empty();
        all.stream().filter(submission -> !submission.isGivenUp()).forEach(this::requeue);
    }

    /** The submissions that were not heard of for so long; each is returned once. */
    List<Submission> giveUpOlderThan(long submittedBeforeMillis) {
        List<Submission> overdue = new ArrayList<>();
        for (Iterator<Submission> all = underWay.values().iterator(); all.hasNext(); ) {
            Submission submission = all.next();
            if (submission.isGivenUp()) {
                if (!submission.hasUnanswered()) {
                    all.remove();
                }
            } else if (!submission.isOrdered() && submission.submittedAtMillis() < submittedBeforeMillis) {
                submission.giveUp();
                overdue.add(submission);
            }
        }
        overdue.sort((one, other) -> Long.compare(other.number(), one.number()));
        return overdue;
    }

    private Submission begin(List<OrderedEntry.Item> items, List<Optional<PendingRequest>> requests, long nowMillis) {
        Submission submission = new Submission(nextSubmission++, nowMillis, items, requests);
        underWay.put(submission.number(), submission);
        if (!items.isEmpty()) {
            inFlight = Optional.of(submission);
        }
        return submission;
    }
}
