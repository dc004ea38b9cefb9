package org.amo.core.replica;

/** Bugs planted in the nested calls of operations, each of which {@code fts} has to find. */
enum NestedBug implements FtsPlanted {
    NONE,
    @Bug(
            plant = "nested-result-taken-locally",
            is = "the member that sent a nested call takes its result before it is ordered")
    RESULT_TAKEN_LOCALLY,
    @Bug(plant = "second-outcome-wins", is = "a later result of a nested call replaces the first one")
    SECOND_RESULT_WINS,
    @Bug(
            plant = "nested-number-reused",
            is = "a member that repeats a nested call does so under an identity of its own")
    NUMBER_REUSED,
    @Bug(plant = "nested-call-before-claim", is = "a nested call is sent before the order knows its sender")
    CALL_BEFORE_CLAIM,
    @Bug(plant = "nested-call-repeated", is = "a nested call without an identity is sent again when its sender is gone")
    REPEATED_WITHOUT_IDENTITY,
    @Bug(plant = "nested-facts-forgotten", is = "a member that lags behind drops the facts of calls it has not come to")
    FACTS_FORGOTTEN;
}
