package org.amo.benchmarks.dpg;

import org.amo.dpg.DpgEffects;
import org.amo.dpg.Message;
import org.amo.dpg.Tag;

/** Counts and keeps the deliveries of a site; sending is left to the site's medium. */
abstract class WatchedSite implements DpgEffects {
    final DeliveryLog deliveries;

    WatchedSite(DeliveryLog deliveries) {
        this.deliveries = deliveries;
    }

    @Override
    public final void beginSegment(Tag after) {
        deliveries.segment();
    }

    @Override
    public final void deliver(Tag tag, byte[] body) {
        deliveries.delivered(body, 0);
    }

    @Override
    public final void deliverDummy(Tag tag) {
        deliveries.dummy();
    }

    @Override
    public final void undetermined(Message own) {
        // Whether it was delivered is seen at the others.
    }
}
