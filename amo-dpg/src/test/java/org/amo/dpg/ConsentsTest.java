package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A site that told what it would choose does not choose otherwise while another site may use that. */
class ConsentsTest {
    private static final long SELF = 0xC0;
    private static final long OTHER = 0xA0;
    private static final long REPORT = 10;
    private static final long FORCE = 60;
    private static final long START = 1_000;
    /** So long a report of this site may count at others. */
    private static final long COUNTS = FORCE + REPORT;

    private static final Tag GREATER = new Tag(OTHER, 1);
    private static final Tag LESSER = new Tag(OTHER, 2);

    private final DpgOptions options = DpgOptions.builder()
            .graph(16, 64, 4)
            .maxSites(4)
            .maxBodyBytes(10)
            .reportMicros(REPORT)
            .deliveryMicros(FORCE, 500)
            .retrievalMicros(25)
            .absence(START, 5)
            .build();
    private final SiteContext life = new SiteContext(options, new RecordedEffects(), new SpellParts(), 0);
    private final Spell spell = new Spell(life, SELF, Long.MIN_VALUE, 0);
    private long number;

    ConsentsTest() {
        spell.listening.onTime(START);
    }

    private void hear(long now, List<Tag> vertices, Arc... arcs) {
        spell.sites.onClock(now);
        Sites.Site site = spell.sites.heard(OTHER, 0, now);
        assertNotNull(site);
        Report report = PlacedReports.at(now, OTHER, ++number, List.of(Tag.ROOT), List.of(), vertices, arcs);
        spell.sites.onReport(site, report);
        spell.intake.onReport(report, site, now);
    }

    /** The other site knows that the lesser message was sent first, and plans it so. */
    private List<Tag> orderAfterThatIsHeardAt(long now) {
        hear(now, List.of(LESSER, GREATER), Arc.plain(Tag.ROOT, LESSER), Arc.plain(LESSER, GREATER));
        return incorporatedAt(now);
    }

    private List<Tag> incorporatedAt(long now) {
        spell.incorporation.incorporate(now);
        return spell.knowledge.order.newest(3);
    }

    /** Both messages come after the root, and nothing tells in which order. */
    private void knowBoth() {
        spell.reception.onMessage(new Message(GREATER, new byte[1]), false, START);
        hear(START, List.of(LESSER), Arc.plain(Tag.ROOT, LESSER));
    }

    @Test
    void aSiteDoesNotChooseOtherwiseThanItToldWhileThatCounts() {
        knowBoth();
        long told = START + 2 * FORCE;
        spell.writer.next(told, told);
        assertEquals(List.of(Tag.ROOT), orderAfterThatIsHeardAt(told + 1), "another may have forced by that report");
        assertEquals(List.of(Tag.ROOT), orderAfterThatIsHeardAt(told + COUNTS));
        assertEquals(List.of(Tag.ROOT, LESSER, GREATER), orderAfterThatIsHeardAt(told + COUNTS + 1));
    }

    @Test
    void whatASiteDidNotTellBindsItNot() {
        knowBoth();
        assertEquals(List.of(Tag.ROOT, LESSER, GREATER), orderAfterThatIsHeardAt(START + 2 * FORCE + 1));
    }

    @Test
    void whatASiteToldItMayChooseAtOnce() {
        knowBoth();
        long told = START + 2 * FORCE;
        spell.writer.next(told, told);
        hear(told + 1, List.of(LESSER, GREATER), Arc.plain(Tag.ROOT, LESSER), Arc.plain(Tag.ROOT, GREATER));
        assertEquals(List.of(Tag.ROOT, GREATER, LESSER), incorporatedAt(told + 1));
    }

    @Test
    void aConsentHoldsAtOnePlaceAndForATime() {
        Consents consents = new Consents(options);
        consents.give(PlacedReports.of(SELF, 1, List.of(Tag.ROOT), List.of(), List.of(GREATER)), 7);
        assertTrue(consents.allow(Tag.ROOT, GREATER, 7, 1));
        assertFalse(consents.allow(Tag.ROOT, LESSER, 7 + COUNTS, 1));
        assertTrue(consents.allow(GREATER, LESSER, 7, 1), "nothing was told of what comes behind it");
        assertTrue(consents.allow(Tag.ROOT, LESSER, 7 + COUNTS + 1, 1));
        assertFalse(
                consents.allow(Tag.ROOT, LESSER, 7 + 2 * COUNTS, 2),
                "others may have heard it when they told where they are");
        consents.give(PlacedReports.of(SELF, 2, List.of(LESSER), List.of(), List.of()), 7 + 2 * COUNTS);
        assertFalse(consents.allow(Tag.ROOT, LESSER, 7 + 2 * COUNTS, 2), "and is kept as long");
        assertTrue(consents.allow(Tag.ROOT, LESSER, 7 + 2 * COUNTS + 1, 2));
    }
}
