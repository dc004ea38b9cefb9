package org.amo.core.replica;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.amo.base.ClientId;
import org.amo.core.sack.FinishedNumbers;

/**
 * Collects requests and acknowledgements into batches for the order, and holds the submissions under way. Natural batching:
 * one entry is in flight. The next goes when that one was ordered, executed and answered, or when 50 kB wait. An idle
 * replica submits at once. A busy one gathers the requests that arrive meanwhile, and those of returning callers
 * ({@link ReturningCallers}). Friedman and Hadad, section 2.4, batch by a window of 1 s.
 */
final class Batcher {
    private static final int EAGER_BYTES = 50_000;
    private static final int ENTRY_BYTES = 64_000;
    private static final int MAX_UNDER_WAY = 64;

    private final ArrayDeque<PendingRequest> queue = new ArrayDeque<>();
    private final WaitingAcknowledgements acknowledgements = new WaitingAcknowledgements();
    private final Map<Long, Submission> underWay = new HashMap<>();
    private final ReturningCallers callers = new ReturningCallers();
    private Optional<Submission> inFlight = Optional.empty();
    private long queuedBytes;
    private long nextSubmission = 1;
    private long acknowledgedSinceMillis = Submission.NOTHING_ACKNOWLEDGED;

    void add(PendingRequest request) {
        queue.add(request);
        queuedBytes += request.request().body().length;
    }

    /** Acknowledgements that wait for an entry, apart from requests. */
    void add(ClientId client, FinishedNumbers finished) {
        acknowledgements.add(client, finished);
    }

    /** Acknowledgements have come that no entry carries yet. */
    void acknowledged(FinishedNumbers finished, long nowMillis) {
        if (!finished.isEmpty()) {
            acknowledgedSinceMillis = Math.min(acknowledgedSinceMillis, nowMillis);
        }
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

    /**
     * The next batch, if one may go now. Within it each client's acknowledgements stand once, with its first item: to apply
     * them earlier is only ever stricter.
     *
     * @param news the part of a client's acknowledgements that the order does not know yet
     */
    Optional<Submission> next(long nowMillis, BiFunction<ClientId, FinishedNumbers, FinishedNumbers> news) {
        if (inFlight.isPresent() && inFlight.get().isDone()) {
            callers.answered(inFlight.get().callers(), queue.size(), nowMillis);
            inFlight = Optional.empty();
        }
        boolean waits = inFlight.isPresent() || isGathering(nowMillis);
        if ((waits && queuedBytes < EAGER_BYTES) || underWay.size() >= MAX_UNDER_WAY) {
            return Optional.empty();
        }
        if (!queue.isEmpty()) {
            callers.left(queue.size());
        }
        Batch batch = new Batch(news);
        while (!queue.isEmpty() && batch.bytes < ENTRY_BYTES) {
            PendingRequest next = queue.poll();
            queuedBytes -= next.request().body().length;
            if (next.closed() || next.accepted()) {
                // Another attempt was ordered first; only the acknowledgements are still to go.
                add(next.request().id().client(), next.finished());
            } else {
                batch.add(next);
            }
        }
        while (!acknowledgements.isEmpty() && batch.bytes < ENTRY_BYTES) {
            batch.add(acknowledgements.poll());
        }
        return batch.items.isEmpty() ? Optional.empty() : Optional.of(begin(batch.items, batch.requests, nowMillis));
    }

    /** While nothing goes: requests that have been answered leave the queue, and their acknowledgements wait alone. */
    void dropAnswered() {
        for (int left = queue.size(); left > 0; left--) {
            PendingRequest next = queue.remove();
            if (next.closed()) {
                queuedBytes -= next.request().body().length;
                add(next.request().id().client(), next.finished());
            } else {
                queue.add(next);
            }
        }
    }

    /** Whether the queue could go, and is held back for returning callers. */
    boolean isGathering(long nowMillis) {
        return inFlight.isEmpty() && callers.mayStillCome(queue.size(), nowMillis);
    }

    /** No caller has come for a moment: the queue goes next. */
    void gathered() {
        callers.gaveUp(queue.size());
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
        return Optional.ofNullable(underWay.remove(submission));
    }

    /** The content of the submission that is still open goes again with the next entries. */
    void requeue(Submission submission) {
        if (inFlight.isPresent() && inFlight.get() == submission) {
            inFlight = Optional.empty();
        }
        acknowledgedSinceMillis = Math.min(acknowledgedSinceMillis, submission.acknowledgedSinceMillis());
        for (int i = submission.items().size() - 1; i >= 0; i--) {
            Optional<PendingRequest> request = submission.request(i);
            OrderedEntry.Item item = submission.items().get(i);
            if (request.isEmpty()) {
                add(item.client(), item.finished());
            } else if (request.get().closed() || request.get().accepted()) {
                add(item.client(), item.finished());
            } else {
                queue.addFirst(request.get());
                queuedBytes += request.get().request().body().length;
                // Others of its client may have left theirs to it.
                add(item.client(), item.finished());
            }
        }
    }

    /** A snapshot may have jumped over the submissions under way: their content that is still open goes again. */
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
            submission.acknowledgedSince(acknowledgedSinceMillis);
            acknowledgedSinceMillis = Submission.NOTHING_ACKNOWLEDGED;
        }
        return submission;
    }

    /** An entry while it is filled. */
    private static final class Batch {
        private final BiFunction<ClientId, FinishedNumbers, FinishedNumbers> news;
        private final List<OrderedEntry.Item> items = new ArrayList<>();
        private final List<Optional<PendingRequest>> requests = new ArrayList<>();
        private final Map<ClientId, Integer> firstOf = new HashMap<>();
        private int bytes;

        private Batch(BiFunction<ClientId, FinishedNumbers, FinishedNumbers> news) {
            this.news = news;
        }

        private void add(PendingRequest request) {
            ClientId client = request.request().id().client();
            FinishedNumbers left = leaveToFirst(client, request.finished());
            append(
                    new OrderedEntry.Item(client, left, Optional.of(request.request()), request.principal()),
                    Optional.of(request));
        }

        private void add(OrderedEntry.Item acknowledgements) {
            FinishedNumbers left = leaveToFirst(acknowledgements.client(), acknowledgements.finished());
            if (!left.isEmpty()) {
                append(OrderedEntry.Item.acknowledgements(acknowledgements.client(), left), Optional.empty());
            }
        }

        /** The acknowledgements that the item itself must carry: none, where its client's first item can. */
        private FinishedNumbers leaveToFirst(ClientId client, FinishedNumbers finished) {
            FinishedNumbers fresh = news.apply(client, finished);
            Integer first = firstOf.get(client);
            if (first == null || fresh.isEmpty()) {
                return fresh;
            }
            OrderedEntry.Item holder = items.get(first);
            if (holder.finished().containsAll(fresh)) {
                return FinishedNumbers.NONE;
            }
            if (!fresh.containsAll(holder.finished())) {
                return fresh;
            }
            bytes -= OrderedEntry.encodedSize(holder);
            OrderedEntry.Item fuller = new OrderedEntry.Item(client, fresh, holder.request(), holder.principal());
            items.set(first, fuller);
            bytes += OrderedEntry.encodedSize(fuller);
            return FinishedNumbers.NONE;
        }

        private void append(OrderedEntry.Item item, Optional<PendingRequest> request) {
            firstOf.putIfAbsent(item.client(), items.size());
            items.add(item);
            requests.add(request);
            bytes += OrderedEntry.encodedSize(item);
        }
    }
}
