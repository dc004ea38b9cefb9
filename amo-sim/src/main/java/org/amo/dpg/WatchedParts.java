package org.amo.dpg;

import java.util.List;

/** The shipped parts of a spell; the simulator is told when a site is about to force an order. */
class WatchedParts extends SpellParts {
    private final Runnable onForce;

    WatchedParts(Runnable onForce) {
        this.onForce = onForce;
    }

    @Override
    Incorporation incorporation(SiteContext life, OrderState knowledge, Sites sites) {
        return new Incorporation(life, knowledge, sites) {
            @Override
            boolean mayForce(List<Tag> successors, long nowMicros) {
                boolean may = super.mayForce(successors, nowMicros);
                if (may) {
                    onForce.run();
                }
                return may;
            }
        };
    }
}
