package org.amo.core.replica;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * Decides which outcomes a group of style passive accepts: the first one for the next places without an outcome, if it rests
 * on exactly the outcomes accepted so far. All others are ignored.
 *
 * <p>Replicated state, a function of the log up to a position: a delivered entry changes it, and nothing else does. A snapshot
 * of a position holds it as of the delivery of that position, although the servant's state in the snapshot has executed all places up
 * to there: if a restored member counted these places as settled, it would accept a later outcome that the others ignore.
 *
 * <p>One thread owns it.
 */
class UpdateChain {
    private final ArrayDeque<Open> open = new ArrayDeque<>();
    private long hash;

    /** @param execution absent if the state of a snapshot has executed it */
    private record Open(Place place, Optional<Execution> execution) {}

    /** Of the accepted outcomes. */
    long hash() {
        return hash;
    }

    /** The group runs these, and they have no outcome so far. */
    void decided(List<Execution> executions) {
        executions.forEach(execution -> open.add(new Open(execution.place(), Optional.of(execution))));
    }

    /** Whether it is decided and has no outcome. */
    boolean isOpen(Place place) {
        return open.stream().anyMatch(each -> each.place.equals(place));
    }

    /** Whether the state of a snapshot has executed places whose outcomes have not been delivered here. */
    boolean isAheadOfOrder() {
        return !open.isEmpty() && open.peek().execution.isEmpty();
    }

    /** The place without an outcome that stands so many behind the first one. */
    Optional<Place> openPlace(int number) {
        return open.stream().skip(number).findFirst().map(Open::place);
    }

    /**
     * @param skipped whether the group skips a request
     * @return its executions, without those that the state of a snapshot holds; empty if the outcome is ignored
     */
    Optional<List<Execution>> accept(RunOutcome outcome, Predicate<Place> skipped) {
        if (!restsOnAccepted(outcome) || !fits(outcome, skipped)) {
            return Optional.empty();
        }
        List<Execution> executions = new ArrayList<>(outcome.replies().size());
        for (int i = 0; i < outcome.replies().size(); i++) {
            open.remove().execution.ifPresent(executions::add);
        }
        hash = outcome.hash();
        return Optional.of(executions);
    }

    boolean restsOnAccepted(RunOutcome outcome) {
        return outcome.base() == hash;
    }

    /** Whether its places are the next ones, of one entry, and it skips what the group skips. */
    private boolean fits(RunOutcome outcome, Predicate<Place> skipped) {
        Iterator<Open> places = open.iterator();
        for (int i = 0; i < outcome.replies().size(); i++) {
            if (!places.hasNext()) {
                return false;
            }
            Place place = places.next().place;
            Place expected = i == 0
                    ? outcome.first()
                    : new Place(outcome.first().position(), outcome.first().index() + i);
            if (!place.equals(expected)
                    || skipped.test(place) != outcome.replies().get(i).skipped()) {
                return false;
            }
        }
        return true;
    }

    // ------------------------------------------------- snapshots

    /** As of the same position, for a snapshot whose servant's state has executed the open places. */
    UpdateChain copy() {
        UpdateChain copy = new UpdateChain();
        copy.hash = hash;
        open.forEach(each -> copy.open.add(new Open(each.place, Optional.empty())));
        return copy;
    }

    /** The state is that of a snapshot. */
    void restore(UpdateChain snapshot) {
        open.clear();
        open.addAll(snapshot.open);
        hash = snapshot.hash;
    }

    void write(WireWriter writer) {
        writer.i64(hash);
        writer.varint(open.size());
        for (Open each : open) {
            writer.varint(each.place.position());
            writer.varint(each.place.index());
        }
    }

    static UpdateChain read(WireReader reader) {
        UpdateChain chain = new UpdateChain();
        chain.hash = reader.i64("hash of the outcomes");
        for (long left = reader.varint("places without an outcome", 0, reader.remaining()); left > 0; left--) {
            Place place = ExecutionReport.place(reader);
            if (!chain.open.isEmpty() && chain.open.getLast().place.compareTo(place) >= 0) {
                throw reader.malformed("position of a request that does not rise", place.position());
            }
            chain.open.add(new Open(place, Optional.empty()));
        }
        return chain;
    }
}
