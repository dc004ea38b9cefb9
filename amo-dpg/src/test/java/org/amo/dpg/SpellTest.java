package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.amo.dpg.Report.SiteStatus;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The parts of a spell: how a listening site takes its place, and how an order is delivered and removed. */
class SpellTest {
    private static final long SELF = 0xC0;
    private static final long OTHER = 0xA0;
    private static final long REPORT = 10;
    private static final long ABSENCE = 1_000;
    private static final int REPORTS = 5;
    private static final int MOST_ORDER = 8;
    /** So long the others may decide without a site that has its place, by a report from before that. */
    private static final long UNCOUNTED = 60 + REPORT;

    private final RecordedEffects effects = new RecordedEffects();
    private final List<String> seen = effects.seen;
    private final SiteContext life = new SiteContext(
            DpgOptions.builder()
                    .buffers(16, 4)
                    .graph(16, MOST_ORDER, 4)
                    .maxSites(3)
                    .reportMicros(REPORT)
                    .deliveryMicros(60, 500)
                    .retrievalMicros(25)
                    .absence(ABSENCE, REPORTS)
                    .flowControl(10, 5_000, 100, 1_000)
                    .build(),
            effects,
            new SpellParts(),
            0);
    private Spell spell;
    private long number;

    @BeforeEach
    void listens() {
        spell = new Spell(life, SELF, Long.MIN_VALUE, 0);
    }

    private static Tag tag(int of) {
        return new Tag(OTHER, of);
    }

    private static List<Tag> tags(int... numbers) {
        List<Tag> tags = new ArrayList<>();
        for (int each : numbers) {
            tags.add(tag(each));
        }
        return tags;
    }

    private Report report(long origin, List<Tag> order, Tag delivered, List<Tag> vertices) {
        return new Report(
                origin,
                ++number,
                SiteStatus.PLACED,
                0,
                1,
                order,
                List.of(),
                delivered,
                vertices,
                List.of(),
                List.of(),
                List.of());
    }

    private Report report(long origin, int... order) {
        List<Tag> tags = tags(order);
        return report(origin, tags, tags.get(tags.size() - 1), List.of());
    }

    private void hear(int reports, long atMicros, Report report) {
        for (int i = 0; i < reports; i++) {
            assertTrue(spell.listening.onReport(report, atMicros));
        }
    }

    @Test
    void anOrderWithTheSitesOwnOriginAsksForAnotherOrigin() {
        assertFalse(spell.listening.onReport(report(1, List.of(new Tag(SELF, 1)), new Tag(SELF, 1), List.of()), 50));
        assertFalse(spell.isAnchored());
    }

    @Test
    void reportsCountOnlyAfterAReportCycleOfListening() {
        hear(2 * REPORTS, REPORT - 1, report(1, 1));
        assertFalse(spell.isAnchored());
        assertEquals(ABSENCE, spell.listening.nextMicros(), "nothing was heard that counts");
        hear(1, REPORT, report(1, 1));
        assertEquals(2 * ABSENCE, spell.listening.nextMicros());
        spell.sites.excuse(5, 100);
        hear(1, 105, report(1, 1));
        assertEquals(ABSENCE + 5, spell.listening.nextMicros(), "a pause drops the reports from before it");
    }

    @Test
    void aPlaceNeedsSomeReportsAndTwoReportCycles() {
        hear(REPORTS - 1, 2 * REPORT, report(1, 1));
        assertFalse(spell.isAnchored());
        hear(1, 2 * REPORT, report(1, 1));
        assertTrue(spell.isAnchored());
        assertEquals(List.of("begin a0:1"), seen);
    }

    @Test
    void manyReportsBeforeTwoReportCyclesAreNotEnough() {
        hear(REPORTS + 1, 2 * REPORT - 1, report(1, 1));
        assertFalse(spell.isAnchored());
        hear(1, 2 * REPORT, report(1, 1));
        assertTrue(spell.isAnchored());
    }

    /** The camp of two is larger than that of one; of the two, one report reaches further. */
    @Test
    void theLargerCampIsFollowedAndOfItTheReportThatReachesFurthest() {
        hear(1, 20, report(1, 7, 8));
        hear(1, 20, report(2, 1, 2));
        hear(1, 20, report(3, 1, 2, 3));
        hear(2, 20, report(1, 7, 8, 9));
        assertEquals(List.of("begin a0:3"), seen);
        assertEquals(tag(3), spell.knowledge.order.latest());
        for (Tag each : tags(1, 2, 3)) {
            assertTrue(spell.knowledge.passed.contains(each), "what was delivered anywhere is behind");
        }
        assertEquals(spell.knowledge.order.end(), spell.knowledge.inheritedEnd);
        assertEquals(spell.knowledge.order.end(), spell.knowledge.order.deliveredEnd());
    }

    @Test
    void theFurthestReportIsFollowedInAnyOrderOfArrival() {
        hear(1, 20, report(3, 1, 2, 3));
        hear(1, 20, report(2, 1, 2));
        hear(3, 20, report(2, 2));
        assertEquals(List.of("begin a0:3"), seen);
    }

    @Test
    void reportsOfMoreSitesThanThereIsRoomForDoNotCount() {
        hear(1, 20, report(1, 1));
        hear(1, 20, report(2, 1, 2));
        hear(1, 20, report(3, 1, 2, 3));
        hear(1, 20, report(4, 9));
        hear(1, 20, report(2, 1, 2, 3, 4));
        assertEquals(List.of("begin a0:4"), seen, "a known site's newer report replaces its older one");
    }

    /** A site of a group that has delivered nothing delivers all of the order. */
    @Test
    void aSiteThatStartsWithTheGroupDeliversFromTheRoot() {
        List<Tag> order = List.of(Tag.ROOT, tag(1), tag(2));
        hear(REPORTS, 20, report(1, order, Tag.ROOT, List.of()));
        assertEquals(List.of("begin 0:0"), seen);
        assertEquals(tag(1), spell.knowledge.order.earliest());
        assertFalse(spell.knowledge.passed.contains(tag(1)));
        assertEquals(0, spell.knowledge.inheritedEnd);
    }

    /** A site that had a place before begins behind the order, since it may have delivered some of it. */
    @Test
    void aSiteThatComesBackDoesNotDeliverFromTheRoot() {
        life.everAnchored = true;
        List<Tag> order = List.of(Tag.ROOT, tag(1), tag(2));
        hear(REPORTS, 20, report(1, order, Tag.ROOT, List.of()));
        assertEquals(List.of("begin a0:2"), seen);
        assertTrue(spell.knowledge.passed.contains(tag(1)));
    }

    @Test
    void ofTheHeardMessagesOnlyThoseStayThatTheReportTellsAsOpen() {
        for (int i = 1; i <= 3; i++) {
            spell.reception.onMessage(new Message(tag(i), new byte[] {(byte) i}), i == 3, 5);
        }
        hear(REPORTS, 20, report(1, tags(8, 9), tag(9), tags(2, 3)));
        assertEquals(List.of("begin a0:9"), seen);
        assertFalse(spell.knowledge.graph.contains(tag(1)));
        assertTrue(spell.knowledge.graph.contains(tag(2)));
        assertTrue(spell.knowledge.graph.precedes(tag(9), tag(2)));
        assertTrue(spell.knowledge.graph.precedes(tag(2), tag(3)));
        assertEquals(null, spell.knowledge.graph.markedAfter(tag(2)), "marks from before are not known to the others");
        assertEquals(5, spell.knowledge.graph.sinceMicros(tag(2)));
        assertEquals(2, spell.knowledge.vertices());
    }

    @Test
    void aSiteThatHearsNothingBeginsAnOrderOfItsOwnAfterAnAbsence() {
        spell.listening.onTime(ABSENCE - 1);
        assertFalse(spell.isAnchored());
        spell.listening.onTime(ABSENCE);
        assertTrue(spell.isAnchored());
        assertEquals(List.of("begin 0:0"), seen);
        assertEquals(null, spell.knowledge.order.earliest(), "the root is delivered");
    }

    // ---- delivery and removal ----

    private void anchorAlone() {
        spell.listening.onTime(ABSENCE);
        seen.clear();
    }

    /** Incorporates a message with a body, and delivers it. */
    private void delivered(int message, long atMicros) {
        spell.reception.onMessage(new Message(tag(message), new byte[] {1}), false, atMicros);
        spell.knowledge.advance(tag(message), true, atMicros);
        spell.delivery.deliver(atMicros);
        assertEquals(tag(message).toString(), seen.get(seen.size() - 1));
    }

    @Test
    void whatComesBeforeIsToldByTheOrderAndBehindItByTheGraph() {
        anchorAlone();
        delivered(1, ABSENCE);
        delivered(2, ABSENCE);
        spell.reception.onMessage(new Message(tag(3), new byte[1]), false, ABSENCE);
        spell.reception.onMessage(new Message(tag(4), new byte[1]), false, ABSENCE);
        OrderState order = spell.knowledge;
        assertTrue(order.precedes(tag(1), tag(2)));
        assertFalse(order.precedes(tag(2), tag(1)));
        assertFalse(order.precedes(tag(1), tag(1)));
        assertTrue(order.precedes(tag(2), tag(3)), "the incorporated come first");
        assertFalse(order.precedes(tag(3), tag(2)));
        assertTrue(order.precedes(tag(3), tag(4)));
        assertFalse(order.precedes(tag(4), tag(3)));
        order.passed.add(tag(9), ABSENCE);
        assertTrue(order.precedes(tag(9), tag(3)));
        assertFalse(order.precedes(tag(9), tag(1)), "where among the incorporated it was is forgotten");
    }

    @Test
    void aSiteHasNoTagsOfItsOwnThatItNeverGave() {
        assertFalse(spell.knowledge.mayExist(new Tag(SELF, 1)));
        assertEquals(new Tag(SELF, 1), spell.knowledge.newTag());
        assertTrue(spell.knowledge.mayExist(new Tag(SELF, 1)));
        assertFalse(spell.knowledge.mayExist(new Tag(SELF, 2)));
    }

    /** Two removals for each site in a Message_Cycle; the last message that all have delivered stays. */
    @Test
    void messagesThatAllHaveDeliveredGoAtTheRateOfTheMessageCycle() {
        anchorAlone();
        for (int i = 1; i <= 6; i++) {
            delivered(i, ABSENCE);
        }
        Sites.Site other = spell.sites.heard(OTHER, 0, ABSENCE);
        int all = spell.knowledge.order.inUse();
        spell.delivery.conclude(ABSENCE + 1_000);
        assertEquals(all, spell.knowledge.order.inUse(), "the other site has not delivered them");
        spell.delivery.onAnchored(ABSENCE);
        other.deliveredEnd = spell.knowledge.order.deliveredEnd();
        long cycle = life.flow.cycleMicros();
        spell.delivery.conclude(ABSENCE + cycle / 5);
        assertEquals(all, spell.knowledge.order.inUse());
        spell.delivery.conclude(ABSENCE + cycle / 2);
        assertEquals(all - 2, spell.knowledge.order.inUse(), "half a cycle, two for each of two sites");
        assertTrue(spell.knowledge.passed.contains(tag(1)));
        assertFalse(spell.knowledge.passed.contains(tag(2)));
        spell.delivery.conclude(ABSENCE + 10 * cycle);
        assertEquals(1, spell.knowledge.order.inUse(), "the last one stays");
        assertEquals(0, life.counters.premature());
    }

    @Test
    void aFullOrderMakesRoomThoughASiteHasNotDeliveredAll() {
        anchorAlone();
        spell.sites.heard(1, 0, ABSENCE);
        int i = 1;
        while (!spell.knowledge.isOrderFull()) {
            delivered(i++, ABSENCE);
        }
        assertEquals(MOST_ORDER, spell.knowledge.order.inUse());
        spell.delivery.conclude(ABSENCE);
        assertEquals(MOST_ORDER - 1, spell.knowledge.order.inUse());
        assertEquals(1, life.counters.premature());
        assertEquals(1, life.counters.overflows());
    }

    @Test
    void aMissingBodyIsGivenUpAtItsTimeAndNotBefore() {
        anchorAlone();
        spell.knowledge.graph.add(tag(1), ABSENCE);
        spell.knowledge.attachToRoot();
        spell.knowledge.advance(tag(1), true, ABSENCE);
        spell.recovery.lost(ABSENCE);
        assertEquals(ABSENCE + 500, spell.delivery.nextMicros(ABSENCE));
        spell.delivery.deliver(ABSENCE + 499);
        assertEquals(List.of(), seen);
        spell.delivery.deliver(ABSENCE + 500);
        assertEquals(List.of("dummy a0:1"), seen);
        assertEquals(1, life.counters.dummies());
        assertEquals(Long.MAX_VALUE, spell.delivery.nextMicros(ABSENCE + 500));
    }

    // ---- reports of other sites ----

    /** A site with its place that has incorporated and delivered 1 and 2. */
    private Sites.Site placed() {
        anchorAlone();
        delivered(1, ABSENCE);
        delivered(2, ABSENCE);
        return spell.sites.heard(OTHER, spell.knowledge.order.deliveredEnd(), ABSENCE);
    }

    private Report report(List<Tag> order, List<Tag> decided, List<Tag> vertices, Arc... arcs) {
        return PlacedReports.of(OTHER, ++number, order, decided, vertices, arcs);
    }

    private ReportIntake.Outcome intake(Sites.Site from, Report report) {
        spell.sites.onReport(from, report);
        return spell.intake.onReport(report, from, ABSENCE);
    }

    @Test
    void aReportOfASiteThatKnowsAsMuchAsksForNothing() {
        Sites.Site other = placed();
        assertEquals(ReportIntake.Outcome.ABREAST, intake(other, report(tags(1, 2), List.of(), List.of())));
        assertEquals(2, other.deliveredEnd, "it has delivered the root and 1");
        assertTrue(other.inSync);
    }

    @Test
    void aReportOfASiteThatLacksSomethingCallsForAReport() {
        Sites.Site other = placed();
        assertEquals(ReportIntake.Outcome.BEHIND, intake(other, report(tags(1), List.of(), tags(2))));
        assertEquals(
                ReportIntake.Outcome.BEHIND,
                intake(
                        other,
                        report(
                                tags(1, 2),
                                List.of(),
                                tags(5, 6),
                                Arc.plain(tag(2), tag(6)),
                                Arc.plain(tag(5), tag(6)),
                                Arc.plain(tag(2), tag(5)))),
                "it has an arc that is no longer one here");
        assertEquals(2, spell.knowledge.vertices());
    }

    @Test
    void theOrderOfAnotherSiteIsAdoptedAndWithItThatWhichWasDecided() {
        Sites.Site other = placed();
        intake(other, report(tags(2, 3, 4, 5), tags(4), List.of()));
        IncorporatedOrder order = spell.knowledge.order;
        assertEquals(3, life.counters.adopted());
        assertEquals(tag(5), order.latest());
        assertTrue(order.isKnownBefore(tag(2), tag(3)));
        assertFalse(order.isKnownBefore(tag(3), tag(4)), "its place was decided");
        assertTrue(order.isKnownBefore(tag(4), tag(5)));
        intake(other, report(tags(2, 3, 4, 5), tags(4), List.of()));
        assertEquals(3, life.counters.adopted());
    }

    @Test
    void anAdoptedOrderThatContradictsTheOwnKnowledgeIsNotKnownToBeTrue() {
        Sites.Site other = placed();
        spell.reception.onMessage(new Message(tag(4), new byte[1]), false, ABSENCE);
        spell.reception.onMessage(new Message(tag(3), new byte[1]), false, ABSENCE);
        assertTrue(spell.knowledge.graph.precedes(tag(4), tag(3)));
        intake(other, report(tags(2, 3), List.of(), List.of()));
        assertEquals(tag(3), spell.knowledge.order.latest());
        assertFalse(spell.knowledge.order.isKnownBefore(tag(2), tag(3)));
        assertTrue(spell.knowledge.graph.precedes(tag(3), tag(4)), "the torn message comes behind");
    }

    @Test
    void anAdoptedOrderEndsWhereTheOwnOrderIsFull() {
        Sites.Site other = placed();
        intake(other, report(tags(2, 3, 4, 5, 6, 7, 8, 9, 10, 11), List.of(), List.of()));
        assertTrue(spell.knowledge.isOrderFull());
        assertEquals(MOST_ORDER, spell.knowledge.order.inUse());
    }

    @Test
    void statementsAboutIncorporatedMessagesSayNoMore() {
        Sites.Site other = placed();
        intake(
                other,
                report(
                        tags(1),
                        List.of(),
                        tags(2, 5),
                        Arc.plain(tag(1), tag(2)),
                        Arc.plain(tag(1), tag(5)),
                        Arc.plain(tag(8), tag(5))));
        assertEquals(List.of(Arc.plain(tag(2), tag(5))), spell.knowledge.graph.arcs());
    }

    /** Before the segment there may be messages that the other site still lacks. */
    @Test
    void aSiteThatHasNotReachedTheSegmentLacksSomething() {
        hear(REPORTS, 20, report(1, 1, 2, 3));
        Sites.Site other = spell.sites.heard(OTHER, 0, 20);
        spell.sites.onReport(other, report(tags(1), List.of(), List.of()));
        assertEquals(
                ReportIntake.Outcome.BEHIND, spell.intake.onReport(report(tags(1), List.of(), List.of()), other, 20));
        assertEquals(
                ReportIntake.Outcome.ABREAST,
                spell.intake.onReport(report(tags(1, 2, 3), List.of(), List.of()), other, 20));
    }

    @Test
    void aSiteWhoseOrderPartedIsOutOfSyncForGood() {
        Sites.Site other = placed();
        assertEquals(ReportIntake.Outcome.BEHIND, intake(other, report(tags(1, 7, 2), List.of(), List.of())));
        assertFalse(other.inSync);
        intake(other, report(tags(1, 2), List.of(), List.of()));
        assertFalse(other.inSync);
    }

    // ---- an order that is forced ----

    @Test
    void theOrderIsForcedAfterItsCycleIfAllPlanItAndTheNextDeadlineSaysSo() {
        anchorAlone();
        assertEquals(Long.MAX_VALUE, spell.incorporation.nextMicros(ABSENCE), "nothing waits");
        long at = 2 * ABSENCE;
        spell.reception.onMessage(new Message(tag(1), new byte[1]), false, at);
        assertEquals(at + 60, spell.incorporation.nextMicros(at));
        spell.incorporation.incorporate(at + 59);
        assertEquals(Tag.ROOT, spell.knowledge.order.latest());
        assertEquals(
                at + 60 + 500,
                spell.incorporation.nextMicros(at + 60),
                "the greatest site chooses when the others do not");
        spell.incorporation.incorporate(at + 60 + 500);
        assertEquals(Tag.ROOT, spell.knowledge.order.latest(), "the other site has not reported a plan");
        Sites.Site other = spell.sites.heard(OTHER, 0, at);
        spell.sites.onReport(other, PlacedReports.of(OTHER, 1, List.of(Tag.ROOT), List.of(), tags(1)));
        spell.incorporation.incorporate(at + 59);
        assertEquals(Tag.ROOT, spell.knowledge.order.latest(), "it is not time");
        spell.incorporation.incorporate(at + 60);
        assertEquals(tag(1), spell.knowledge.order.latest());
        assertEquals(1, life.counters.forced());
        assertEquals(0, life.counters.chosen());
    }

    // ---- taking a place ----

    /** Equally large camps: a report beyond the room would make the other one larger. */
    @Test
    void aReportBeyondTheRoomSupportsNoCamp() {
        hear(1, 20, report(1, 7));
        hear(1, 20, report(2, 1));
        hear(1, 20, report(3, 1, 2));
        hear(1, 20, report(4, 7, 8));
        hear(1, 20, report(3, 1, 2));
        assertEquals(List.of("begin a0:2"), seen);
    }

    @Test
    void ordersMeetIfOneOfThemHasTheOthersEnd() {
        hear(1, 20, report(1, 7));
        hear(1, 20, report(2, 1, 2));
        hear(3, 20, report(3, 1, 2, 3));
        assertEquals(List.of("begin a0:3"), seen);
    }

    @Test
    void aSiteThatTakesItsPlaceKnowsWhichPlacesWereDecided() {
        hear(REPORTS, 20, report(tags(1, 2, 3), tags(1, 3), tags(5)));
        IncorporatedOrder order = spell.knowledge.order;
        assertTrue(order.isKnownBefore(tag(1), tag(2)));
        assertFalse(order.isKnownBefore(tag(2), tag(3)));
        assertEquals(tags(1, 3), order.decided(3));
        assertTrue(spell.knowledge.graph.contains(tag(5)), "and what is open there");
    }

    /** Sites were heard before positions of this order meant anything. */
    @Test
    void aSiteThatTakesItsPlaceCountsAllOthersFromThere() {
        Sites.Site other = spell.sites.heard(2, 0, 20);
        assertEquals(0, other.deliveredEnd);
        spell.sites.compared(other, false, false);
        spell.reception.onMessage(new Message(tag(9), new byte[1]), false, 20);
        hear(REPORTS, 20, report(1, 1, 2, 3));
        assertEquals(3, other.deliveredEnd);
        assertTrue(other.inSync);
        assertEquals(null, spell.bodies.get(tag(9)), "a body without a place here goes");
    }

    @Test
    void aSiteThatHasJustComeForcesNothingForAnAbsence() {
        hear(REPORTS, 20, report(1, 1, 2));
        spell.reception.onMessage(new Message(tag(3), new byte[1]), false, 100);
        assertEquals(ABSENCE, spell.incorporation.nextMicros(100), "and not when Deliv_Cycle has passed");
    }

    @Test
    void aSiteThatHasJustComeInfersNothingUntilTheOthersCountIt() {
        hear(REPORTS, 20, report(1, 1, 2));
        spell.reception.onMessage(new Message(tag(3), new byte[1]), false, 20);
        spell.sites.onClock(UNCOUNTED);
        spell.reception.onMessage(new Message(tag(4), new byte[1]), true, 20);
        assertEquals(null, spell.knowledge.graph.markedAfter(tag(3)));
        spell.sites.onClock(UNCOUNTED + 1);
        spell.reception.onMessage(new Message(tag(5), new byte[1]), true, 20);
        assertEquals(tag(5), spell.knowledge.graph.markedAfter(tag(4)));
    }

    @Test
    void aSiteThatHasJustComeForcesNothingUntilTheOthersCountIt() {
        hear(REPORTS, 20, report(1, 1, 2));
        spell.reception.onMessage(new Message(tag(3), new byte[1]), false, 20);
        spell.sites.forgetAbsent(3 * ABSENCE);
        spell.sites.onClock(UNCOUNTED);
        spell.incorporation.incorporate(3 * ABSENCE);
        assertEquals(tag(2), spell.knowledge.order.latest());
        spell.sites.onClock(UNCOUNTED + 1);
        spell.incorporation.incorporate(3 * ABSENCE);
        assertEquals(tag(3), spell.knowledge.order.latest());
    }

    /** That one may begin a sequence at the same time, and has not told so. */
    @Test
    void aSiteThatBeginsASequenceBesideAnotherForcesNothingUntilThatCountsIt() {
        spell.sites.heard(1, 0, 20);
        spell.listening.onTime(ABSENCE);
        spell.reception.onMessage(new Message(tag(3), new byte[1]), false, ABSENCE);
        spell.sites.forgetAbsent(3 * ABSENCE);
        spell.sites.onClock(UNCOUNTED);
        spell.incorporation.incorporate(3 * ABSENCE);
        assertEquals(Tag.ROOT, spell.knowledge.order.latest());
        spell.sites.onClock(UNCOUNTED + 1);
        spell.incorporation.incorporate(3 * ABSENCE);
        assertEquals(tag(3), spell.knowledge.order.latest());
    }

    /** A body that comes would show the order that the site knew before, and that the others may have decided otherwise. */
    @ParameterizedTest
    @CsvSource({"500, true", "499, false"})
    void aSiteThatStoodStillForLongDeliversNothingUntilThePresentSitesHaveReported(long pause, boolean waits) {
        anchorAlone();
        Sites.Site other = spell.sites.heard(OTHER, 0, ABSENCE);
        spell.sites.onReport(other, report(OTHER, List.of(Tag.ROOT), Tag.ROOT, List.of()));
        spell.sites.onClock(ABSENCE);
        spell.sites.excuse(pause, ABSENCE);
        spell.reception.onMessage(new Message(tag(1), new byte[1]), false, ABSENCE);
        spell.knowledge.advance(tag(1), true, ABSENCE);
        spell.delivery.deliver(ABSENCE);
        assertEquals(waits ? List.of() : List.of("a0:1"), seen);
        assertEquals(Long.MAX_VALUE, spell.delivery.nextMicros(ABSENCE));
        Report since = PlacedReports.at(ABSENCE, OTHER, ++number, List.of(Tag.ROOT), List.of(), List.of());
        spell.sites.onReport(other, since);
        spell.delivery.deliver(ABSENCE);
        assertEquals(List.of("a0:1"), seen);
    }

    /** What it finds unread tells true marks, and consents of lately. The others may have decided without it, and tell that only later. */
    @ParameterizedTest
    @CsvSource({"500, true", "499, false"})
    void aSiteThatStoodStillForLongInfersAndForcesNothingUntilTheOthersCountIt(long pause, boolean waits) {
        anchorAlone();
        spell.sites.onClock(ABSENCE);
        spell.excuse(pause, ABSENCE);
        long counted = ABSENCE + spell.knowledge.consents.countMicros();
        spell.sites.onClock(counted);
        spell.reception.onMessage(new Message(tag(1), new byte[1]), false, ABSENCE);
        spell.reception.onMessage(new Message(tag(2), new byte[1]), true, ABSENCE);
        assertEquals(waits ? null : tag(2), spell.knowledge.graph.markedAfter(tag(1)));
        spell.sites.forgetAbsent(5 * ABSENCE);
        spell.incorporation.incorporate(5 * ABSENCE);
        assertEquals(waits ? Tag.ROOT : tag(2), spell.knowledge.order.latest());
        spell.sites.onClock(counted + 1);
        spell.reception.onMessage(new Message(tag(3), new byte[1]), true, ABSENCE);
        spell.sites.forgetAbsent(5 * ABSENCE);
        spell.incorporation.incorporate(5 * ABSENCE);
        assertEquals(tag(3), spell.knowledge.order.latest());
    }

    @Test
    void timeBeforeTheSiteHadItsPlaceRemovesNothing() {
        anchorAlone();
        delivered(1, ABSENCE);
        delivered(2, ABSENCE);
        Sites.Site other = spell.sites.heard(OTHER, 0, ABSENCE);
        other.deliveredEnd = spell.knowledge.order.deliveredEnd();
        spell.delivery.conclude(ABSENCE);
        assertEquals(3, spell.knowledge.order.inUse());
    }

    @Test
    void messagesHeardBeforeAnOrderOfItsOwnComeAfterTheRoot() {
        spell.reception.onMessage(new Message(tag(3), new byte[1]), false, 20);
        spell.listening.onTime(ABSENCE);
        assertTrue(spell.knowledge.graph.precedes(Tag.ROOT, tag(3)));
    }
}
