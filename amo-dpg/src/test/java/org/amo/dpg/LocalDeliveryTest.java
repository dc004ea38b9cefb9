package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Section 4.5: messages that all present sites have delivered are removed. */
class LocalDeliveryTest {
    private static final long SELF = 0xC0;
    private static final long OTHER = 0xA0;
    private static final long CYCLE = 1_000;
    private static final int MAX_ORDER = 32;

    private final RecordedEffects effects = new RecordedEffects();
    private final SiteContext life;
    private final OrderState knowledge;
    private final Sites sites;
    private final LocalDelivery delivery;
    private int incorporated;

    LocalDeliveryTest() {
        DpgOptions options = DpgOptions.builder()
                .flowControl(CYCLE, 5_000, 100, 1_000_000)
                .graph(64, MAX_ORDER, 4)
                .deliveryMicros(60_000, 500_000)
                .absence(10_000_000, 5)
                .build();
        life = new SiteContext(options, effects, new SpellParts(), 0);
        knowledge = new OrderState(options, life.parts, SELF);
        sites = new Sites(options, 0);
        PayloadBuffers bodies = new PayloadBuffers(life, knowledge, sites);
        Recovery recovery = new Recovery(life, knowledge, sites, bodies);
        delivery = new LocalDelivery(life, knowledge, sites, bodies, recovery, new Heartbeat(life, sites, SELF, 0));
        knowledge.order.append(Tag.ROOT, false, 0);
        knowledge.order.allDelivered();
        knowledge.graph.add(Tag.ROOT, 0);
        knowledge.anchored = true;
        delivery.onAnchored(0);
    }

    private void deliveredHere(int count) {
        for (int i = 0; i < count; i++) {
            knowledge.order.append(new Tag(OTHER, ++incorporated), true, 0);
        }
        knowledge.order.allDelivered();
    }

    /** Removes, and tells how many. */
    private int removed(long nowMicros) {
        int before = knowledge.order.inUse();
        delivery.conclude(nowMicros);
        return before - knowledge.order.inUse();
    }

    /** A site that lacks a message keeps it, and all behind it, in use; so does the last message that all have. */
    @Test
    void aMessageThatAPresentSiteLacksStays() {
        Sites.Site other = sites.heard(OTHER, 0, 0);
        assertEquals(other, sites.heard(OTHER, 0, 0));
        deliveredHere(10);
        other.deliveredEnd = 5;
        assertEquals(4, removed(100 * CYCLE));
        assertEquals(7, knowledge.order.inUse());
        assertEquals(0, life.counters.premature);
    }

    /** The oldest messages leave a full order without regard to the rate: an overflow, which slows all senders. */
    @Test
    void aFullOrderMakesRoomAtOnce() {
        deliveredHere(MAX_ORDER + 2);
        assertEquals(4, removed(0), "one place is free, L_DELIV counts");
        assertEquals(4, life.counters.premature);
        assertEquals(4, life.counters.overflows);
        assertEquals(MAX_ORDER - 1, knowledge.order.inUse());
        assertEquals(CYCLE + 400, life.flow.cycleMicros());
    }

    @Test
    void aFullOrderOfUndeliveredMessagesStays() {
        for (int i = 1; i <= MAX_ORDER; i++) {
            knowledge.order.append(new Tag(OTHER, i), true, 0);
        }
        assertEquals(1, removed(0), "the root");
        assertEquals(MAX_ORDER, knowledge.order.inUse());
    }
}
