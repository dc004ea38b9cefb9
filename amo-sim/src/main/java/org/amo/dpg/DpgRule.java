package org.amo.dpg;

import org.amo.sim.Plant;
import org.amo.sim.Planted;

/**
 * Each rule that keeps the order agreed and the bodies delivered, and the planted bug that breaks it: {@code ./amo sim dpg --plant
 * NAME}.
 */
enum DpgRule implements Planted {
    MARKS_SURVIVE_UNION("unmark-on-union", "the union of two graphs has only the marks of the receiver's own"),
    ONLY_MARKS_LINEARISE(
            "linearise-with-unmarked-arcs",
            "an arc that is not marked replaces others as if nothing lay between its ends"),
    KEPT_UNTIL_ALL_DELIVERED(
            "delivered-removed-early",
            "a delivered message is removed before the sites that are present have delivered it"),
    DELIVERED_IS_REMEMBERED("delivered-forgotten", "the tag of a delivered message is forgotten with its vertex"),
    GIVING_UP_IS_VISIBLE("give-up-in-silence", "a body that nobody has is passed over without a dummy delivery"),
    SUCCESSOR_IS_SEIZED("no-seizure", "a lost message does not get the ordering buffer of its successor"),
    OWN_MESSAGES_SUSPEND(
            "own-miss-ignored", "a site that does not hear itself infers contiguity across its own message"),
    GAP_IS_NOT_CONTIGUOUS("contiguous-across-gap", "numbers that a site never saw count as other groups' tags"),
    CHOSEN_AS_ALL_PLAN("chosen-without-asking", "an order is forced though other sites may plan another one"),
    RETURN_RESETS("return-without-reset", "a site that comes back goes on where it stopped");

    private final Plant bug;

    DpgRule(String plant, String description) {
        bug = new Plant("dpg", plant, description);
    }

    @Override
    public Plant bug() {
        return bug;
    }
}
