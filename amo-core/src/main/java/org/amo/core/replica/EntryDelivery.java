package org.amo.core.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.core.replica.OrderedEntry.Item;
import org.amo.core.replica.PeerMessage.Result;
import org.amo.core.replica.PeerMessage.Results;
import org.amo.core.replica.Waiter.RemoteItem;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;

/**
 * Delivers one entry: has the table decide on its items in order, tells the waiters, and collects the executions, the digest
 * and, at the leader, the results for the member that submitted the entry.
 */
final class EntryDelivery {
    private final OrderedEntry entry;
    private final Optional<Submission> submission;
    private final boolean leads;
    private final GroupState group;
    private final Waiters waiters;

    private final List<Execution> executions = new ArrayList<>();
    private final ToldResults results = new ToldResults();
    private final Optional<byte[]> seed;
    private boolean awaitsExecutions;
    private long digest;

    /**
     * @param submission of this replica, if the entry is its own
     * @param leads whether this member tells another one of the results of its entry
     */
    EntryDelivery(
            OrderedEntry entry, Optional<Submission> submission, boolean leads, GroupState group, Waiters waiters) {
        this.entry = entry;
        this.submission = submission;
        this.leads = leads;
        this.group = group;
        this.waiters = waiters;
        this.seed = group.seed(entry);
    }

    void items() {
        for (int i = 0; i < entry.items().size(); i++) {
            item(entry.items().get(i), i);
        }
    }

    /** @return the request of the entry's report, if the group skips it from here on */
    Optional<Place> report(HeldRequests held) {
        if (entry.report().isEmpty()) {
            return Optional.empty();
        }
        ExecutionReport report = entry.report().get();
        Place place = report.place();
        boolean skipped = held.report(entry.origin(), report);
        digest = Digest.mix(Digest.mix(digest, place.position()), place.index());
        digest = Digest.mix(digest, skipped ? 0 : report.word().code());
        return skipped ? Optional.of(place) : Optional.empty();
    }

    /** Of the decisions. */
    long digest() {
        return digest;
    }

    List<Execution> executions() {
        return executions;
    }

    /** Known without waiting for an execution. An entry without requests has a result, too: it was ordered. */
    Optional<Results> results() {
        return leads && !(results.isEmpty() && awaitsExecutions)
                ? Optional.of(results.of(entry.incarnation(), entry.submission()))
                : Optional.empty();
    }

    private void item(Item item, int index) {
        if (item.request().isEmpty()) {
            group.table().finished(item.client(), item.finished());
            return;
        }
        Request request = item.request().get();
        Decision decision = group.table().decide(item);
        digest = Digest.mix(Digest.mix(digest, request.id()), decision.code());
        if (decision == Decision.EXECUTE) {
            executions.add(new Execution(
                    group.position(), executions.size(), group.table().orderedTimeMillis(), request, seed));
        }
        Optional<PendingRequest> ours = submission.flatMap(own -> own.decided(index));
        if (decision.refusal().isPresent()) {
            Answer refused = group.refused(decision);
            ours.ifPresent(waiting -> waiters.onRefusal(waiting, refused, submission.orElseThrow()));
            results.add(new Result(index, refused));
        } else {
            accepted(request, index, decision);
        }
    }

    private void accepted(Request request, int index, Decision decision) {
        boolean live = decision == Decision.LIVE;
        Optional<byte[]> reply = live ? group.table().reply(request.id()) : Optional.empty();
        if (reply.isPresent() && group.isCaughtUp()) {
            waiters.onReplay(request, reply.get());
            results.add(new Result(index, group.replied(reply.get())));
            return;
        }
        if (reply.isEmpty() && leads && group.isCaughtUp()) {
            awaitsExecutions = true;
            waiters.awaits(request, new RemoteItem(entry.origin(), entry.incarnation(), entry.submission(), index));
        }
        waiters.onAccepted(request, live && reply.isEmpty());
    }
}
