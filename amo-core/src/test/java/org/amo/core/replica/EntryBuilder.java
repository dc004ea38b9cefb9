package org.amo.core.replica;

import java.util.List;
import java.util.Optional;

/** Entries with the parts that a test names. */
final class EntryBuilder {
    private final OrderedEntry plain;
    private Optional<GroupParameters> start;
    private Optional<ExecutionReport> report = Optional.empty();
    private boolean mark;
    private Optional<DigestVote> vote = Optional.empty();
    private List<NestedFact> facts = List.of();
    private Optional<byte[]> seed = Optional.empty();
    private Optional<RunOutcome> outcome = Optional.empty();
    private int level = FeatureLevels.FIRST;
    private int raise;

    private EntryBuilder(OrderedEntry plain) {
        this.plain = plain;
        this.start = plain.start();
    }

    static EntryBuilder of(String origin, long incarnation, long submission, long stampMillis) {
        return from(entry(origin, incarnation, submission, stampMillis, Optional.empty(), List.of()));
    }

    /** Without other parts than the parameters. */
    static OrderedEntry entry(
            String origin,
            long incarnation,
            long submission,
            long stampMillis,
            Optional<GroupParameters> start,
            List<OrderedEntry.Item> items) {
        return new OrderedEntry(
                origin,
                incarnation,
                submission,
                stampMillis,
                start,
                Optional.empty(),
                false,
                Optional.empty(),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                items,
                FeatureLevels.FIRST,
                0);
    }

    /** With the items of an entry that has no other parts. */
    static EntryBuilder from(OrderedEntry plain) {
        return new EntryBuilder(plain);
    }

    EntryBuilder start(GroupParameters value) {
        start = Optional.of(value);
        return this;
    }

    EntryBuilder report(Optional<ExecutionReport> value) {
        report = value;
        return this;
    }

    EntryBuilder mark(boolean value) {
        mark = value;
        return this;
    }

    EntryBuilder vote(Optional<DigestVote> value) {
        vote = value;
        return this;
    }

    EntryBuilder facts(List<NestedFact> value) {
        facts = value;
        return this;
    }

    EntryBuilder seed(byte[] value) {
        seed = Optional.of(value);
        return this;
    }

    EntryBuilder outcome(RunOutcome value) {
        outcome = Optional.of(value);
        return this;
    }

    EntryBuilder level(int value) {
        level = value;
        return this;
    }

    EntryBuilder raise(int value) {
        raise = value;
        return this;
    }

    OrderedEntry entry() {
        return new OrderedEntry(
                plain.origin(),
                plain.incarnation(),
                plain.submission(),
                plain.stampMillis(),
                start,
                report,
                mark,
                vote,
                facts,
                seed,
                outcome,
                plain.items(),
                level,
                raise);
    }
}
