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
 * <p>An outcome in several entries is accepted with the last one. Its pieces are gathered while it may be the next one, so at most one is
 * gathered at a time: the pieces are dropped when another outcome is accepted or begins.
 *
 * <p>One thread owns it.
 */
class UpdateChain {
    private final ArrayDeque<Open> open = new ArrayDeque<>();
    private final OutcomeGather gather = new OutcomeGather();
    private List<byte[]> pieces = List.of();
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
        if (!restsOnAccepted(outcome) || !fits(outcome, skipped) || !isComplete(outcome)) {
            return Optional.empty();
        }
        List<Execution> executions = new ArrayList<>(outcome.replies().size());
        for (int i = 0; i < outcome.replies().size(); i++) {
            open.remove().execution.ifPresent(executions::add);
        }
        hash = outcome.hash();
        List<byte[]> gathered = gather.end();
        pieces = outcome.before().isPresent() ? gathered : List.of();
        return Optional.of(executions);
    }

    /** The pieces of the update that stand before the outcome accepted last. Once. */
    List<byte[]> takePieces() {
        List<byte[]> taken = pieces;
        pieces = List.of();
        return taken;
    }

    /**
     * A piece of the update of an outcome.
     *
     * @param incarnation of the process that submitted it
     * @param keeps whether this process has to apply the update
     * @return whether it counts
     */
    boolean gather(RunOutcome piece, long incarnation, boolean keeps) {
        if (!restsOnAccepted(piece) || open.isEmpty() || !open.element().place.equals(piece.first())) {
            return false;
        }
        if (begins(piece, incarnation)) {
            gather.begin(piece.before().orElseThrow(), keeps);
        } else if (!continues(piece)) {
            return false;
        }
        return gather.add(piece.update());
    }

    /** Whether it is the first piece of an outcome: what another process has begun is dropped. */
    boolean begins(RunOutcome piece, long incarnation) {
        return piece.before().orElseThrow() == OutcomePieces.beginning(piece.first(), piece.base(), incarnation);
    }

    /** Whether exactly the pieces before it are gathered. */
    boolean continues(RunOutcome outcome) {
        return gather.isBefore(outcome);
    }

    private boolean isComplete(RunOutcome outcome) {
        return outcome.before().isEmpty() || continues(outcome);
    }

    /** Whether the first pieces of an outcome have been delivered, and the others have not. */
    boolean isGathering() {
        return gather.isOpen();
    }

    /** Bytes of pieces that this process keeps. */
    long keptBytes() {
        return gather.keptBytes();
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
        gather.copyTo(copy.gather);
        open.forEach(each -> copy.open.add(new Open(each.place, Optional.empty())));
        return copy;
    }

    /** The state is that of a snapshot. */
    void restore(UpdateChain snapshot) {
        open.clear();
        open.addAll(snapshot.open);
        hash = snapshot.hash;
        snapshot.gather.copyTo(gather);
    }

    void write(WireWriter writer) {
        writer.i64(hash);
        writer.varint(open.size());
        for (Open each : open) {
            writer.varint(each.place.position());
            writer.varint(each.place.index());
        }
        if (isGathering()) {
            gather.write(writer);
        }
    }

    /** @param gathering whether pieces of an outcome have been delivered */
    static UpdateChain read(WireReader reader, boolean gathering) {
        UpdateChain chain = new UpdateChain();
        chain.hash = reader.i64("hash of the outcomes");
        for (long left = reader.varint("places without an outcome", 0, reader.remaining()); left > 0; left--) {
            Place place = ExecutionReport.place(reader);
            if (!chain.open.isEmpty() && chain.open.getLast().place.compareTo(place) >= 0) {
                throw reader.malformed("position of a request that does not rise", place.position());
            }
            chain.open.add(new Open(place, Optional.empty()));
        }
        if (gathering) {
            chain.gather.read(reader);
        }
        return chain;
    }
}
