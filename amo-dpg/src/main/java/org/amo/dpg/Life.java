package org.amo.dpg;

/** What a site keeps as long as its process lives, through all absences. */
final class Life {
    final DpgOptions options;
    final DpgEffects effects;
    final SpellParts parts;
    final DpgCounters counters = new DpgCounters();
    final FlowControl flow;
    /** What the application has seen. */
    final DeliveredTags delivered;

    /** Whether the site ever had a place in the order. */
    boolean everAnchored;
    /** The origin of the spell before this one, 0 if there was none: its PDUs may still come, and are nobody's any more. */
    long formerOrigin;

    Life(DpgOptions options, DpgEffects effects, SpellParts parts, long nowMicros) {
        this.options = options;
        this.effects = effects;
        this.parts = parts;
        this.flow = new FlowControl(options, nowMicros);
        this.delivered = newTags(options);
    }

    static DeliveredTags newTags(DpgOptions options) {
        return new DeliveredTags(4 * options.maxSites, 20 * options.giveUpMicros);
    }

    /** There was no room for a message. */
    void overflow() {
        counters.overflows++;
        flow.onOverflow();
    }
}
