package org.amo.core.replica;

import java.util.Optional;
import org.amo.base.wire.WireWriter;
import org.amo.core.replica.OrderedEntry.Item;
import org.amo.core.reply.ClientRecord;
import org.amo.core.reply.LiveEntry;
import org.amo.core.reply.RecordMemory;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.rules.SafetyRule;
import org.amo.sim.rules.RuleSet;

/** A decision table with planted bugs. */
final class MutantTable extends DecisionTable {
    private final RuleSet<SafetyRule> rules;
    private final GroupParameters ownParameters;

    MutantTable(RuleSet<SafetyRule> rules, RecordMemory memory, GroupParameters ownParameters) {
        super(memory);
        this.rules = rules;
        this.ownParameters = ownParameters;
    }

    @Override
    boolean start(long stampMillis, GroupParameters ofFirstEntry) {
        return super.start(stampMillis, rules.holds(SafetyRule.PARAMETERS_REPLICATED) ? ofFirstEntry : ownParameters);
    }

    @Override
    Decision decide(Item item) {
        if (rules.holds(SafetyRule.REFUSED_CARRIER_COUNTS)) {
            return super.decide(item);
        }
        Decision decision = decide(item.request().orElseThrow(), item.principal());
        if (decision.refusal().isEmpty()) {
            finished(item.client(), item.finished());
        }
        return decision;
    }

    @Override
    DecisionTable copyForSnapshot() {
        DecisionTable copy = super.copyForSnapshot();
        return rules.holds(SafetyRule.SNAPSHOT_HAS_CACHE) ? copy : new WithoutRecords(copy);
    }

    @Override
    void write(WireWriter writer) {
        if (rules.holds(SafetyRule.SNAPSHOT_HAS_CACHE)) {
            super.write(writer);
        } else {
            new WithoutRecords(this).write(writer);
        }
    }

    @Override
    long firstUpper(long stampMillis, GroupParameters values) {
        return rules.holds(SafetyRule.EMPTY_START_RAISES_UPPER)
                ? super.firstUpper(stampMillis, values)
                : stampMillis - values.retentionMillis();
    }

    @Override
    void expireDue() {
        if (rules.holds(SafetyRule.EXPIRE_BY_ORDERED_TIME)) {
            super.expireDue();
        }
    }

    @Override
    Optional<Decision> known(Request request, Optional<ClientRecord> record) {
        Optional<Decision> known =
                rules.holds(SafetyRule.DECIDE_AT_DELIVERY) ? super.known(request, record) : Optional.empty();
        boolean early = !rules.holds(SafetyRule.STALE_BEFORE_EXPIRED) && isExpired(request);
        return known.isEmpty() && early ? Optional.of(Decision.EXPIRED) : known;
    }

    @Override
    boolean isBelowUpper(Request request, boolean known) {
        boolean spared = known && request.id().space() == RequestId.Space.OWN && !rules.holds(SafetyRule.UPPER_FOR_ALL);
        return !spared && super.isBelowUpper(request, known);
    }

    @Override
    void accept(Request request, Principal principal) {
        if (rules.holds(SafetyRule.DECIDE_AT_DELIVERY)
                || liveEntry(request.id()).isEmpty()) {
            super.accept(request, principal);
        }
    }

    @Override
    int acknowledge(ClientRecord record, long first, long last, long unseenBoundMillis) {
        if (!rules.holds(SafetyRule.NOTHING_LOCAL_IN_DECISIONS)) {
            return acknowledgeLive(record, first, last, true);
        }
        if (!rules.holds(SafetyRule.SACK_KEEPS_ID)) {
            return record.free(first, last, (number, timestamp) -> {});
        }
        return rules.holds(SafetyRule.UNSEEN_NUMBERS_RESOLVE)
                ? super.acknowledge(record, first, last, unseenBoundMillis)
                : acknowledgeLive(record, first, last, false);
    }

    /** Resolves live numbers only; with {@code onlyCompleted}, only those that have completed execution here. */
    private static int acknowledgeLive(ClientRecord record, long first, long last, boolean onlyCompleted) {
        int freed = 0;
        for (long number = first; number <= last; number++) {
            Optional<LiveEntry> live = record.live(number);
            if (live.isPresent() && (!onlyCompleted || live.get().reply().isPresent())) {
                freed += record.resolve(number, number, live.get().timestampMillis());
            }
        }
        return freed;
    }

    @Override
    void expired(ClientRecord record, long number, long timestampMillis) {
        if (rules.holds(SafetyRule.EXPIRY_KEEPS_ID)) {
            super.expired(record, number, timestampMillis);
        }
    }
}
