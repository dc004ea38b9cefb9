package org.amo.core.rules;

import org.amo.sim.Plant;
import org.amo.sim.Planted;

/**
 * Each rule that keeps a request from running twice, getting lost or being misreported, and the planted bug that breaks it:
 * {@code ./amo sim fts --plant NAME}. docs/explanation/safety.md gives the reason for each.
 */
public enum SafetyRule implements Planted {
    DECIDE_AT_DELIVERY(
            "dedupe-on-receipt", "duplicates are recognised on receipt only, not where the order delivers them"),
    MAJORITY_BEFORE_DELIVERY("deliver-before-majority", "the log delivers an entry before a majority has it"),
    SACK_IN_ORDER("sack-outside-order", "acknowledgements are applied where they arrive, outside the total order"),
    SACK_KEEPS_ID("sack-forgets-id", "an acknowledgement forgets the id together with the reply"),
    EXPIRE_BY_ORDERED_TIME("local-timers", "each replica expires replies by its own clock"),
    EXPIRY_KEEPS_ID("purge-without-resolved", "an expired entry leaves no resolved number behind"),
    SNAPSHOT_HAS_CACHE("snapshot-without-cache", "a snapshot holds the servant's state but not the client records"),
    SNAPSHOT_AT_ONE_POSITION("snapshot-two-positions", "servant state and client records come from two positions"),
    UPPER_FOR_ALL("upper-for-unknown-only", "only unknown clients are compared with upper"),
    STALE_BEFORE_EXPIRED("expired-before-stale", "EXPIRED is tested before STALE, and entries carry wall clocks"),
    REFUSAL_NEEDS_ALL_COPIES(
            "refusal-is-certain", "the client takes one refusal for NOT_EXECUTED while other attempts are out"),
    REFUSE_AFTER_ALL_SUBMISSIONS(
            "refuse-first-submission", "a replica refuses an attempt while a submission of it is still out"),
    NOTHING_LOCAL_IN_DECISIONS(
            "completed-entries-only", "an acknowledgement counts only where the execution has ended"),
    UNSEEN_NUMBERS_RESOLVE("sack-of-unseen-ignored", "an acknowledged number that was never seen is ignored"),
    REFUSED_CARRIER_COUNTS("refused-carrier-ignored", "acknowledgements on a refused request are ignored"),
    ABANDONED_IS_FINISHED("abandoned-stays-gap", "abandoned numbers never become finished"),
    GROUP_CLOCK("wall-clock-stamps", "entries are stamped with the submitter's wall clock"),
    EMPTY_START_RAISES_UPPER("empty-start-open", "a group that starts without its old state sets no upper"),
    PARAMETERS_REPLICATED("parameters-per-process", "each replica decides by its own parameters"),
    DRAWS_IN_ORDER("draws-at-execution", "each replica draws the seed of an entry's operations when it executes them");

    private final Plant bug;

    SafetyRule(String plant, String description) {
        bug = new Plant("fts", plant, description);
    }

    @Override
    public Plant bug() {
        return bug;
    }
}
