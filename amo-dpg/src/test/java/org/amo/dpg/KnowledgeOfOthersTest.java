package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sections 4.1 and 6: a site that has incorporated and delivered 1 and 2 takes statements of others into its graph. */
class KnowledgeOfOthersTest {
    private static final long SELF = 0xC0;
    private static final long OTHER = 0xA0;
    private static final long ABSENCE = 1_000;
    private static final int REPORTS = 5;
    private static final int MOST_VERTICES = 16;
    private static final int MAX_SITES = 3;

    private final RecordedEffects effects = new RecordedEffects();
    private SiteContext life;
    private Spell spell;
    private Sites.Site other;
    private long number;

    private void place(OwnMessages own, long inferFromMicros) {
        DpgOptions options = DpgOptions.builder()
                .graph(MOST_VERTICES, 64, 4)
                .maxSites(MAX_SITES)
                .maxBodyBytes(10)
                .reportMicros(10)
                .deliveryMicros(60, 500)
                .retrievalMicros(25)
                .absence(ABSENCE, REPORTS)
                .ownMessages(own)
                .build();
        life = new SiteContext(options, effects, new SpellParts(), 0);
        spell = new Spell(life, SELF, inferFromMicros, 0);
        spell.listening.onTime(ABSENCE);
        for (int i = 1; i <= 2; i++) {
            receive(i, false);
            spell.knowledge.advance(tag(i), true, ABSENCE);
            spell.delivery.deliver(ABSENCE);
        }
        other = heard(OTHER);
    }

    private void place(OwnMessages own) {
        place(own, Long.MIN_VALUE);
    }

    private Sites.Site heard(long origin) {
        Sites.Site site = spell.sites.heard(origin, spell.knowledge.order.deliveredEnd(), ABSENCE);
        assertTrue(site != null);
        return site;
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

    private static Arc plain(int from, int to) {
        return Arc.plain(tag(from), tag(to));
    }

    private boolean receive(int message, boolean contiguous) {
        return spell.reception.onMessage(new Message(tag(message), new byte[1]), contiguous, ABSENCE);
    }

    private ReportIntake.Outcome hear(
            long origin, Sites.Site site, List<Tag> order, List<Tag> decided, List<Tag> vertices, Arc... arcs) {
        Report report = PlacedReports.of(origin, ++number, order, decided, vertices, arcs);
        spell.sites.onReport(site, report);
        return spell.intake.onReport(report, site, ABSENCE);
    }

    private ReportIntake.Outcome hear(List<Tag> order, List<Tag> vertices, Arc... arcs) {
        return hear(OTHER, other, order, List.of(), vertices, arcs);
    }

    private PrecedenceGraph graph() {
        return spell.knowledge.graph;
    }

    // ---- reports ----

    @Test
    void aMarkOfItsOwnComesBeforeTheDecisionOfAnother() {
        place(OwnMessages.LOOPED_BACK);
        receive(3, true);
        hear(OTHER, other, tags(2, 3), tags(3), List.of());
        assertEquals(tag(3), spell.knowledge.order.latest());
        assertTrue(spell.knowledge.order.isKnownBefore(tag(2), tag(3)));
        assertEquals(0, life.counters.adopted);
    }

    /** It was out of touch, and the others have decided without the message that it alone received. */
    @Test
    void aDecisionOfAnotherComesBeforeAMarkThatIsUnknownThere() {
        place(OwnMessages.LOOPED_BACK);
        receive(3, true);
        receive(4, true);
        hear(OTHER, other, tags(2, 3, 5), tags(5), List.of());
        assertEquals(tags(2, 3, 5), spell.knowledge.order.newest(3));
        assertTrue(other.inSync);
    }

    @Test
    void onlyReportsOfAnotherSequenceCountAgainstTheOwnOne() {
        place(OwnMessages.LOOPED_BACK);
        Sites.Site first = heard(0xF1);
        Sites.Site second = heard(0xF2);
        assertEquals(ReportIntake.Outcome.BEHIND, hear(0xF1, first, tags(7, 8), List.of(), List.of()));
        assertEquals(ReportIntake.Outcome.BEHIND, hear(0xF2, second, tags(7, 8), List.of(), List.of()));
        for (int i = 0; i < 2 * REPORTS; i++) {
            assertEquals(ReportIntake.Outcome.ABREAST, hear(tags(1, 2), List.of()));
        }
        assertEquals(ReportIntake.Outcome.BEHIND, hear(0xF1, first, tags(7, 8), List.of(), List.of()));
        assertEquals(ReportIntake.Outcome.BEHIND, hear(0xF2, second, tags(7, 8), List.of(), List.of()));
        assertEquals(ReportIntake.Outcome.ASTRAY, hear(0xF1, first, tags(7, 8), List.of(), List.of()));
    }

    /** The part of its order that it tells is the same here. */
    @Test
    void aSiteThatPassedAMessageWithoutItFollowsAnotherSequence() {
        place(OwnMessages.LOOPED_BACK);
        hear(tags(2), tags(3), plain(2, 3));
        assertTrue(other.inSync);
        hear(tags(1), tags(2), plain(1, 2));
        assertTrue(other.inSync, "that one is only behind");
        hear(tags(2), tags(3, 1), plain(2, 3), plain(3, 1));
        assertFalse(other.inSync);
    }

    @Test
    void aSiteThatHasAMessageWhereItWasPassedHereFollowsAnotherSequence() {
        place(OwnMessages.LOOPED_BACK);
        receive(3, false);
        hear(tags(2, 3), List.of());
        assertTrue(other.inSync);
        receive(4, false);
        hear(tags(4, 3), List.of());
        assertFalse(other.inSync);
    }

    @Test
    void aSiteThatHasAMessageAfterItsPlaceHereFollowsAnotherSequence() {
        place(OwnMessages.LOOPED_BACK);
        hear(tags(2, 3, 4), List.of());
        assertEquals(tag(4), spell.knowledge.order.latest());
        hear(tags(4, 5), List.of());
        assertTrue(other.inSync);
        hear(tags(5, 3), List.of());
        assertFalse(other.inSync);
    }

    /** An arc to a message that is marked behind L_DELIV would put its start before L_DELIV. */
    @Test
    void noMessageIsPutBeforeTheLatestDeliverable() {
        place(OwnMessages.LOOPED_BACK);
        receive(3, false);
        receive(4, true);
        hear(tags(2, 3), tags(4, 8), plain(8, 4));
        assertEquals(tag(3), spell.knowledge.order.latest());
        assertTrue(graph().precedes(tag(3), tag(8)));
        assertEquals(0, life.counters.contradictions);
        spell.proceed(ABSENCE);
        assertEquals(1, life.counters.contradictions, "8 cannot come before 4");
        assertEquals(tag(4), spell.knowledge.order.latest());
        assertTrue(graph().precedes(tag(4), tag(8)));
    }

    @Test
    void aStatementAboutAMessageThatCannotExistIsNoNews() {
        place(OwnMessages.LOOPED_BACK);
        assertEquals(
                ReportIntake.Outcome.ABREAST,
                hear(tags(1, 2), tags(5), plain(2, 5), Arc.plain(tag(5), new Tag(SELF, 9))));
        assertEquals(List.of(plain(2, 5)), graph().arcs());
    }

    @Test
    void anArcFromAnUnknownMessageGivesNoPlace() {
        place(OwnMessages.LOOPED_BACK);
        hear(tags(1, 2), tags(5), plain(8, 5));
        assertEquals(tags(5), graph().floating());
    }

    // ---- receptions ----

    /** A message without a place is known to come before the next reception; then it comes after L_DELIV. */
    @Test
    void aFloatingMessageIsAttachedWhenAnotherIsReceived() {
        place(OwnMessages.LOOPED_BACK);
        hear(tags(1, 2), tags(5));
        assertEquals(tags(5), graph().floating());
        receive(6, false);
        assertEquals(List.of(), graph().floating());
        assertTrue(graph().precedes(tag(2), tag(5)));
        assertTrue(graph().precedes(tag(5), tag(6)));
    }

    @Test
    void aFloatingMessageThatIsReceivedAfterAGapIsAttached() {
        place(OwnMessages.LOOPED_BACK);
        hear(tags(1, 2), tags(5));
        assertFalse(spell.reception.onMessage(new Message(tag(6), new byte[11]), true, ABSENCE), "too long");
        receive(5, true);
        assertEquals(List.of(), graph().floating());
        assertEquals(List.of(plain(2, 5)), graph().arcs(), "after a message that was refused nothing is contiguous");
    }

    @Test
    void aMessageOfAnOriginThatCannotBeRememberedTakesNoPlace() {
        place(OwnMessages.LOOPED_BACK);
        for (int origin = 1; origin < 4 * MAX_SITES; origin++) {
            assertTrue(spell.reception.onMessage(new Message(new Tag(origin, 1), new byte[1]), false, ABSENCE));
        }
        Tag refused = new Tag(4 * MAX_SITES, 1);
        assertFalse(spell.reception.onMessage(new Message(refused, new byte[1]), false, ABSENCE));
        assertFalse(graph().contains(refused));
        long lifetime = 20 * life.options.giveUpMicros();
        assertFalse(spell.reception.onMessage(new Message(refused, new byte[1]), false, ABSENCE + lifetime));
        assertTrue(spell.reception.onMessage(new Message(refused, new byte[1]), false, ABSENCE + lifetime + 1));
    }

    @Test
    void anOwnMessageThatComesBackSuspendsNothing() {
        place(OwnMessages.LOOPED_BACK);
        spell.reception.onSent(spell.knowledge.newTag());
        receive(3, false);
        receive(4, true);
        assertEquals(tag(4), graph().markedAfter(tag(3)));
    }

    /** 5 and a greater message come behind 2, and 9 behind both. */
    private void isToldOfFive() {
        place(OwnMessages.LOOPED_BACK);
        Tag greater = new Tag(0xF0, 8);
        hear(
                tags(1, 2),
                List.of(tag(5), greater, tag(9)),
                plain(2, 5),
                Arc.plain(tag(2), greater),
                plain(5, 9),
                Arc.plain(greater, tag(9)));
    }

    @Test
    void aMessageThatWasToldBeforeItCameIsMarked() {
        isToldOfFive();
        receive(5, true);
        assertEquals(tag(5), graph().markedAfter(tag(2)));
    }

    /** Another site may have put the greater message there, by this site's consent. */
    @Test
    void aMessageThatWasToldBeforeItCameIsNotMarkedAgainstAConsent() {
        isToldOfFive();
        assertTrue(Plan.of(spell.writer.next(ABSENCE, 0)).agrees(tag(2), new Tag(0xF0, 8)));
        receive(5, true);
        assertNull(graph().markedAfter(tag(2)));
    }

    // ---- Suspended Delivery ----

    /** While an own message is on its way, 3 and 4 are received in a row. */
    private Tag suspended() {
        place(OwnMessages.SUSPENDED);
        Tag own = spell.knowledge.newTag();
        spell.reception.onSent(own);
        receive(3, false);
        receive(4, true);
        assertNull(graph().markedAfter(tag(3)));
        return own;
    }

    @Test
    void withNoOwnMessageOnItsWayAnInferenceCountsAtOnce() {
        place(OwnMessages.SUSPENDED);
        receive(3, false);
        receive(4, true);
        assertEquals(tag(4), graph().markedAfter(tag(3)));
    }

    @Test
    void anInferenceCountsWhenTheOwnMessageLiesBefore() {
        Tag own = suspended();
        hear(tags(1, 2), List.of(own, tag(3), tag(4)), Arc.plain(tag(2), own), Arc.plain(own, tag(3)), plain(3, 4));
        assertEquals(tag(4), graph().markedAfter(tag(3)));
    }

    @Test
    void anInferenceCountsWhenTheOwnMessageLiesBehind() {
        Tag own = suspended();
        hear(tags(1, 2), List.of(own, tag(3), tag(4)), plain(3, 4), Arc.plain(tag(4), own));
        assertEquals(tag(4), graph().markedAfter(tag(3)));
    }

    @Test
    void anInferenceIsDroppedWhenTheOwnMessageLiesBetween() {
        Tag own = suspended();
        Arc[] arcs = {Arc.plain(tag(3), own), Arc.plain(own, tag(4))};
        hear(tags(1, 2), List.of(own, tag(3), tag(4)), arcs);
        hear(tags(1, 2), List.of(own, tag(3), tag(4)), arcs);
        assertNull(graph().markedAfter(tag(3)));
        assertTrue(graph().precedes(own, tag(4)));
    }

    /** An inference that became certain moves no message whose place is open. */
    @Test
    void aCertainInferenceIsNotMarkedBesideAMessageWithoutSuccessor() {
        Tag own = suspended();
        hear(
                tags(1, 2),
                List.of(own, tag(3), tag(4), tag(8)),
                Arc.plain(tag(2), own),
                Arc.plain(own, tag(3)),
                plain(3, 4),
                plain(2, 8));
        assertNull(graph().markedAfter(tag(3)));
    }

    /** 8 and 4 come behind 3, and 9 behind both; it has become certain that 4 was sent right after 3. */
    private void becomesCertain(boolean told) {
        Tag own = suspended();
        Tag greater = new Tag(0xF0, 8);
        hear(tags(1, 2), List.of(tag(3), greater), plain(2, 3), Arc.plain(tag(3), greater));
        receive(9, false);
        if (told) {
            Report report = spell.writer.next(ABSENCE, 0);
            assertTrue(Plan.of(report).agrees(tag(3), greater));
        }
        hear(tags(1, 2), List.of(own, tag(3), tag(4)), plain(3, 4), Arc.plain(tag(4), own));
    }

    @Test
    void aCertainInferenceIsMarkedBeforeAGreaterMessage() {
        becomesCertain(false);
        assertEquals(tag(4), graph().markedAfter(tag(3)));
    }

    /** Another site may have put the greater message there, by this site's consent. */
    @Test
    void aCertainInferenceIsNotMarkedAgainstAConsent() {
        becomesCertain(true);
        assertNull(graph().markedAfter(tag(3)));
    }

    @Test
    void anAdoptedOrderTellsThatTheOwnMessageLiesBefore() {
        Tag own = suspended();
        hear(OTHER, other, List.of(tag(2), own, tag(3)), List.of(), tags(4), plain(3, 4));
        assertEquals(tag(4), graph().markedAfter(tag(3)));
    }

    /** Where others have decided the place of the own message, that is agreed and not true. */
    @Test
    void aDecidedOrderMakesNoInferenceCertain() {
        Tag own = suspended();
        hear(OTHER, other, List.of(tag(2), own, tag(3)), tags(3), tags(4), plain(3, 4));
        assertEquals(tag(3), spell.knowledge.order.latest());
        assertNull(graph().markedAfter(tag(3)));
    }

    @Test
    void anInferenceFromAMessageThatIsPastMarksNothing() {
        Tag own = suspended();
        hear(OTHER, other, List.of(tag(2), own, tag(3), tag(9)), List.of(), tags(4), plain(9, 4));
        assertEquals(tag(9), spell.knowledge.order.latest());
        assertNull(graph().markedAfter(tag(9)));
    }

    @Test
    void anInferenceToAMessageWithoutRoomMarksNothing() {
        place(OwnMessages.SUSPENDED);
        Tag own = spell.knowledge.newTag();
        spell.reception.onSent(own);
        for (int i = 3; i < 3 + MOST_VERTICES - 1; i++) {
            assertTrue(receive(i, false));
        }
        Arc[] arcs = {Arc.plain(tag(2), own), Arc.plain(own, tag(3))};
        hear(tags(1, 2), List.of(own), arcs);
        assertTrue(graph().isFull());
        assertFalse(receive(90, true));
        assertEquals(1, life.counters.overflows);
        hear(tags(1, 2), List.of(own), arcs);
        assertFalse(graph().contains(tag(90)));
    }

    /** Own messages of an earlier spell may be on their way, and no site would tell where they lie. */
    @Test
    void aNewSpellInfersNothingUntilItsTime() {
        place(OwnMessages.SUSPENDED, ABSENCE + 1);
        receive(3, false);
        receive(4, true);
        assertNull(graph().markedAfter(tag(3)));
        assertTrue(spell.reception.onMessage(new Message(tag(5), new byte[1]), true, ABSENCE + 1));
        assertEquals(tag(5), graph().markedAfter(tag(4)));
    }

    // ---- choices ----

    @Test
    void aChoiceAmongSeveralIsToldSoon() {
        place(OwnMessages.LOOPED_BACK);
        spell.sites.forgetAbsent(3 * ABSENCE);
        graph().add(tag(3), ABSENCE);
        graph().add(tag(4), ABSENCE);
        spell.knowledge.attachToRoot();
        spell.heartbeat.onSent(3 * ABSENCE);
        assertEquals(3 * ABSENCE + 10, spell.heartbeat.dueMicros());
        spell.proceed(3 * ABSENCE + 1);
        assertEquals(2, life.counters.forced);
        assertEquals(1, life.counters.chosen);
        assertEquals(3 * ABSENCE + 5, spell.heartbeat.dueMicros());
    }

    @Test
    void aSiteThatIsAloneBeginsOneSegment() {
        place(OwnMessages.LOOPED_BACK);
        hear(tags(1, 2), List.of());
        spell.sites.forgetAbsent(3 * ABSENCE);
        assertTrue(spell.sites.wasAlone());
        effects.seen.clear();
        graph().add(tag(3), ABSENCE);
        graph().add(tag(4), ABSENCE);
        spell.knowledge.attachToRoot();
        spell.incorporation.incorporate(3 * ABSENCE);
        assertEquals(tag(4), spell.knowledge.order.latest());
        assertEquals(List.of("begin a0:2"), effects.seen);
    }
}
