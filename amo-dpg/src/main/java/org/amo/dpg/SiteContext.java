package org.amo.dpg;

/** Holds the state that a site keeps as long as its process lives, through all absences. */
final class SiteContext {
    final DpgOptions options;
    final DpgEffects effects;
    final SpellParts parts;
    final DpgCounters counters = new DpgCounters();
    final FlowControl flow;
    /** Messages that the application has seen. */
    final DeliveredTags delivered;

    /** Whether the site ever had a place in the order. */
    boolean everAnchored;
    /** The origin of the spell before this one, 0 if there was none: its PDUs may still come, but belong to no site. */
    long formerOrigin;

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

    /** There was no room for a message. */
    void overflow() {
        counters.overflows++;
        flow.onOverflow();
    }
}
