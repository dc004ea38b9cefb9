package org.amo.core.replica;

import org.amo.sim.Plant;
import org.amo.sim.Planted;

/** Bugs planted in the nested calls of operations, each of which {@code fts} has to find. */
enum NestedBug implements Planted {
    NONE("", ""),
    RESULT_TAKEN_LOCALLY(
            "nested-result-taken-locally", "the member that sent a nested call takes its result before it is ordered"),
    SECOND_RESULT_WINS("second-outcome-wins", "a later result of a nested call replaces the first one"),
    NUMBER_REUSED("nested-number-reused", "a member that repeats a nested call does so under an identity of its own"),
    CALL_BEFORE_CLAIM("nested-call-before-claim", "a nested call is sent before the order knows its sender"),
    REPEATED_WITHOUT_IDENTITY(
            "nested-call-repeated", "a nested call without an identity is sent again when its sender is gone"),
    FACTS_FORGOTTEN("nested-facts-forgotten", "a member that lags behind drops the facts of calls it has not come to");

    private final Plant bug;

    NestedBug(String plant, String description) {
        bug = new Plant("fts", plant, description);
    }

    @Override
    public Plant bug() {
        return bug;
    }
}
