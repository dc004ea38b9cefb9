package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.amo.dpg.Report.SiteStatus;
import org.amo.sim.SimWorld;
import org.amo.sim.rules.RuleSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A site lacks a message that others have in their order: when no site can tell of it any more, and when it crosses a return. */
class DpgContactTest {
    private static final long ROUND_MICROS = 30_000;
    private static final long ABSENCE_MICROS = 5 * ROUND_MICROS;

    private final SimWorld world = new SimWorld(11, SimWorld.Tracing.NOTHING);
    private final DpgLedger ledger = new DpgLedger(world);
    private final DpgMedium medium = new DpgMedium(world, 10, 0);
    private final List<DpgSimSite> sites = new ArrayList<>();
    private DpgSimSite first;
    private DpgSimSite second;
    private DpgSimSite third;
    private Tag common = Tag.ROOT;
    private Tag missed = Tag.ROOT;

    @BeforeEach
    void threeSitesDeliver() {
        DpgOptions options = DpgOptions.builder()
                .reportMicros(ROUND_MICROS / 3)
                .deliveryMicros(3 * ROUND_MICROS, 15 * ROUND_MICROS)
                .retrievalMicros(ROUND_MICROS)
                .absence(ABSENCE_MICROS, 4)
                .build();
        DpgSettings settings = new DpgSettings(
                options, RuleSet.all(), OwnMessages.LOOPED_BACK, OverwriteDetector::new, 20, 50, "lost");
        for (int i = 0; i < 3; i++) {
            DpgSimSite site = new DpgSimSite(world, medium, ledger, settings, i, new DpgSimClock(world, 0));
            sites.add(site);
            medium.attach(site);
            site.start();
        }
        first = sites.get(0);
        second = sites.get(1);
        third = sites.get(2);
        world.runUntilMillis(500);
        common = delivered(first);
    }

    private void theThirdMissesAMessage() {
        third.cut(10_000_000);
        missed = delivered(first);
        assertTrue(second.has(missed));
        assertFalse(third.has(missed));
    }

    /** Says something and gives its tag, which it delivers. */
    private Tag delivered(DpgSimSite site) {
        DpgLedger.Segment segment = site.segment();
        assertNotNull(segment);
        int before = segment.tags.size();
        assertTrue(site.submit(new byte[16]));
        pass(100);
        assertEquals(before + 1, segment.tags.size());
        return segment.tags.get(before);
    }

    private void pass(long millis) {
        world.runUntilMillis(world.nowMicros() / 1_000 + millis);
    }

    private boolean isLost() {
        assertFalse(ledger.contact().isLost(common), "all have it");
        return ledger.contact().isLost(missed);
    }

    @Test
    void aMessageIsNotLostWhileASiteCanTellOfIt() {
        theThirdMissesAMessage();
        first.crash();
        assertFalse(isLost());
        second.freeze(ABSENCE_MICROS - 1);
        assertFalse(isLost(), "it will be back before it is absent");
    }

    @Test
    void aMessageIsLostWhenAllThatHaveItHaveCrashed() {
        theThirdMissesAMessage();
        first.crash();
        second.crash();
        assertTrue(isLost());
    }

    @Test
    void aMessageIsLostWhenTheOnlyOneThatHasItIsAwayForAnAbsence() {
        theThirdMissesAMessage();
        second.crash();
        first.freeze(ABSENCE_MICROS);
        assertTrue(isLost());
    }

    /** The third was cut off, and then the only one that had the message: neither for an absence, but both together. */
    @Test
    void aMessageIsLostWhenTheOnlyOneThatHasItWasNotHeardForAnAbsence() {
        theThirdMissesAMessage();
        second.crash();
        first.cut(ABSENCE_MICROS - 1);
        third.cut(1);
        assertTrue(third.submit(new byte[16]));
        ledger.contact().onForce(third);
        assertFalse(isLost(), "it was heard 100 ms ago");
        pass(120);
        assertFalse(third.has(missed), "the first is still cut off");
        assertTrue(isLost(), "the third has put its own message where the other one is");
    }

    /** A site that stands still hears no other, and may not conclude from it that the other is silent. */
    @Test
    void aPauseIsNoSilence() {
        theThirdMissesAMessage();
        second.crash();
        first.cut(ABSENCE_MICROS - 1);
        third.freeze(100_000);
        pass(103);
        ledger.contact().onForce(third);
        assertFalse(isLost());
    }

    @Test
    void aMessageIsNotLostWhileThoseThatHaveItAreInTouch() {
        theThirdMissesAMessage();
        assertTrue(third.submit(new byte[16]));
        pass(200);
        DpgSite core = third.core();
        assertNotNull(core);
        assertTrue(core.counters().forced() > 0, "alone");
        assertFalse(isLost(), "the third is out of touch, not the others");
    }

    /** The first delivers a message while it is cut off, alone; nothing of it reaches the third. */
    private DpgLedger.Segment theFirstDeliversAlone() {
        first.cut(10_000_000);
        assertTrue(first.submit(new byte[16]));
        pass(260);
        DpgLedger.Segment segment = first.segment();
        assertNotNull(segment);
        missed = segment.tags.get(segment.tags.size() - 1);
        assertNotEquals(common, missed);
        assertTrue(segment.unheard.contains(missed));
        assertFalse(third.has(missed));
        return segment;
    }

    private void takes(DpgSimSite site, DpgSimSite from, List<Tag> order) {
        DpgSite core = from.core();
        assertNotNull(core);
        Report report = new Report(
                core.origin(),
                1_000,
                SiteStatus.PLACED,
                0,
                1,
                order,
                List.of(),
                Tag.ROOT,
                List.of(),
                List.of(),
                List.of(),
                List.of());
        ledger.contact().take(site, report, world.nowMicros());
    }

    private boolean isUnheard(long number) {
        DpgLedger.Segment segment = third.segment();
        assertNotNull(segment);
        Tag tag = new Tag(77, number);
        ledger.contact().onDelivered(segment, tag);
        return segment.unheard.contains(tag);
    }

    @Test
    void aSiteThatForcesWhileALongSilentOneComesBackIsHeardAfterTheNextReport() {
        theFirstDeliversAlone();
        takes(second, first, List.of(common, missed));
        assertFalse(isUnheard(1));
        ledger.contact().onForce(third);
        assertTrue(isUnheard(2));
        takes(third, second, List.of(common));
        assertFalse(isUnheard(3));
    }

    /** Its report is on its way, or the next one is: others may take that as soon as the third has decided. */
    @Test
    void aSiteThatIsBackIsCrossedBeforeAnotherHasItsReport() {
        theFirstDeliversAlone();
        ledger.contact().heal();
        ledger.contact().onForce(third);
        assertTrue(isUnheard(1));
        takes(third, second, List.of(common));
        assertFalse(isUnheard(2));
    }

    @Test
    void aSiteThatHasNotComeBackIsNotCrossed() {
        theFirstDeliversAlone();
        ledger.contact().onForce(third);
        assertFalse(isUnheard(1), "no site has heard of the message");
    }

    @Test
    void aSiteThatWasHeardWithinAnAbsenceIsNotCrossed() {
        theFirstDeliversAlone();
        takes(second, first, List.of(common, missed));
        ledger.contact().hear(third, first);
        ledger.contact().onForce(third);
        assertFalse(isUnheard(1), "its consent is needed");
    }

    @Test
    void aSiteWhoseReturnIsToldIsNotCrossed() {
        theFirstDeliversAlone();
        takes(second, first, List.of(common, missed));
        takes(third, second, List.of(common, missed));
        ledger.contact().onForce(third);
        assertFalse(isUnheard(1), "it knows better");
    }

    @Test
    void aDecisionMadeInTouchIsNotCrossed() {
        DpgLedger.Segment segment = theFirstDeliversAlone();
        segment.unheard.remove(missed);
        takes(second, first, List.of(common, missed));
        ledger.contact().onForce(third);
        assertFalse(isUnheard(1), "the first had the right to decide");
    }
}
