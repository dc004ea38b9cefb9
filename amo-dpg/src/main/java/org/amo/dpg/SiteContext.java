package org.amo.dpg;

import java.util.LinkedHashSet;
import java.util.Set;

/** Holds the state that a site keeps as long as its process lives, through all absences. */
final class SiteContext {
    private static final int MOST_FORMER_ORIGINS = 64;

    final DpgOptions options;
    final DpgEffects effects;
    final SpellParts parts;
    final DpgCounters counters = new DpgCounters();
    final FlowControl flow;
    /** Messages that the application has seen. */
    final DeliveredTags delivered;

    /** Whether the site ever had a place in the order. */
    boolean everAnchored;
    /** The origins of earlier spells, the oldest first: their PDUs may still come, but belong to no other site. */
    private final Set<Long> formerOrigins = new LinkedHashSet<>();

    SiteContext(DpgOptions options, DpgEffects effects, SpellParts parts, long nowMicros) {
        this.options = options;
        this.effects = effects;
        this.parts = parts;
        this.flow = new FlowControl(options, nowMicros);
        this.delivered = newTags(options);
    }

    static DeliveredTags newTags(DpgOptions options) {
        return new DeliveredTags(4 * options.maxSites(), 20 * options.giveUpMicros());
    }

    /** A spell has ended. Its PDUs are past before as many others have ended. */
    void ended(long origin) {
        if (formerOrigins.size() == MOST_FORMER_ORIGINS) {
            formerOrigins.remove(formerOrigins.iterator().next());
        }
        formerOrigins.add(origin);
    }

    /** Whether it is of an earlier spell of this site. */
    boolean isFormer(long origin) {
        return formerOrigins.contains(origin);
    }

    /** There was no room for a message. */
    void overflow() {
        counters.overflows++;
        flow.onOverflow();
    }
}
