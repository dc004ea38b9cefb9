package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Sites whose graphs contradict each other, so that they never plan alike: one of them chooses, and only when that parts no orders. */
class IncorporationTest {
    private static final long SELF = 0xC0;
    private static final long OTHER = 0xA0;
    private static final long GREATER = 0xD0;
    private static final long FORCE = 60;
    private static final long GIVE_UP = 500;
    private static final long START = 1_000;
    /** Deliv_Cycle twice, each in one of its roles, from when the messages are known. */
    private static final long STUCK = START + FORCE + GIVE_UP;

    private static final Tag FIRST = new Tag(OTHER, 1);
    private static final Tag SECOND = new Tag(OTHER, 2);
    private static final Tag MISSED = new Tag(OTHER, 9);

    private final SiteContext life = new SiteContext(
            DpgOptions.builder()
                    .graph(16, 64, 4)
                    .maxSites(4)
                    .maxBodyBytes(10)
                    .reportMicros(10)
                    .deliveryMicros(FORCE, GIVE_UP)
                    .retrievalMicros(25)
                    .absence(START, 5)
                    .build(),
            new RecordedEffects(),
            new SpellParts(),
            0);
    private final Spell spell = new Spell(life, SELF, Long.MIN_VALUE, 0);
    private long number;

    IncorporationTest() {
        spell.listening.onTime(START);
    }

    private ReportIntake.Outcome hear(long origin, long now, List<Tag> order, List<Tag> vertices, Arc... arcs) {
        spell.sites.onClock(now);
        Sites.Site site = spell.sites.heard(origin, 0, now);
        assertNotNull(site);
        Report report = PlacedReports.at(now, origin, ++number, order, List.of(), vertices, arcs);
        spell.sites.onReport(site, report);
        return spell.intake.onReport(report, site, now);
    }

    /** The site received one message before the other; that site says that it received them the other way round. */
    private void hearContradiction(long origin, long now) {
        hear(
                origin,
                now,
                List.of(Tag.ROOT),
                List.of(FIRST, SECOND),
                Arc.plain(Tag.ROOT, SECOND),
                Arc.plain(SECOND, FIRST));
    }

    private void receive(Tag tag) {
        assertTrue(spell.reception.onMessage(new Message(tag, new byte[1]), false, START));
    }

    private void receiveBoth() {
        receive(FIRST);
        receive(SECOND);
    }

    private List<Tag> orderAt(long now) {
        spell.sites.onClock(now);
        spell.incorporation.incorporate(now);
        return spell.knowledge.order.newest(2);
    }

    private void assertWaitsAt(long now) {
        assertEquals(List.of(Tag.ROOT), orderAt(now));
    }

    private void assertChoosesAt(long now) {
        assertEquals(List.of(Tag.ROOT, FIRST), orderAt(now));
    }

    private void assertGoesOnWithMissedAt(long now) {
        orderAt(now);
        assertEquals(1, spell.knowledge.order.positionOf(MISSED), "right behind the root");
        assertTrue(spell.sites.isInSync(OTHER));
    }

    @Test
    void theSiteWithTheGreatestOriginChooses() {
        receiveBoth();
        hearContradiction(OTHER, START);
        hearContradiction(OTHER, STUCK - 1);
        assertWaitsAt(STUCK - 1);
        assertEquals(STUCK, spell.incorporation.nextMicros(STUCK - 1));
        assertChoosesAt(STUCK);
    }

    @Test
    void aSiteWaitsForTheChoiceOfAGreaterOne() {
        receiveBoth();
        hearContradiction(GREATER, START);
        hearContradiction(GREATER, STUCK);
        assertWaitsAt(STUCK);
        assertEquals(Long.MAX_VALUE, spell.incorporation.nextMicros(STUCK - 1));
    }

    /** The other one may have decided since its last report, or taken this one for absent. */
    @Test
    void aSiteDoesNotChooseWhileAReportOfAPresentOneIsOld() {
        receiveBoth();
        hearContradiction(OTHER, START);
        assertWaitsAt(STUCK);
        assertTrue(spell.sites.isPresent(OTHER));
        assertEquals(Long.MAX_VALUE, spell.incorporation.nextMicros(STUCK), "it waits for a report");
        hearContradiction(OTHER, STUCK + 10);
        assertChoosesAt(STUCK + 10);
    }

    /** Reports of the other site were missing while its messages came, and it went on by a mark: a choice would part the two orders. */
    @Test
    void aPresentSiteWhoseReportsAreMissingMayHaveGoneOn() {
        receive(FIRST);
        assertTrue(spell.sites.isPresent(OTHER), "by its message");
        assertWaitsAt(STUCK);
        hear(OTHER, STUCK + 10, List.of(Tag.ROOT, MISSED), List.of(FIRST), Arc.plain(MISSED, FIRST));
        assertGoesOnWithMissedAt(STUCK + 10);
    }

    /** It would mark the next message that it receives. */
    @Test
    void aSiteThatKnowsNothingMoreDoesNotWait() {
        receiveBoth();
        hear(OTHER, STUCK, List.of(Tag.ROOT), List.of());
        assertWaitsAt(STUCK);
        hearContradiction(OTHER, STUCK + 10);
        assertChoosesAt(STUCK + 10);
    }

    /** It waits with messages of its own: what it receives comes after these. */
    @Test
    void aSiteNeedNotKnowTheMessageThatIsChosen() {
        receive(FIRST);
        Tag lesser = new Tag(OTHER, 5);
        hear(OTHER, STUCK, List.of(Tag.ROOT), List.of(lesser), Arc.plain(Tag.ROOT, lesser));
        assertChoosesAt(STUCK);
    }

    @Test
    void aSiteThatGoesOnByAMarkIsFollowed() {
        receiveBoth();
        hear(
                OTHER,
                STUCK,
                List.of(Tag.ROOT),
                List.of(MISSED, FIRST),
                Arc.marked(Tag.ROOT, MISSED),
                Arc.plain(MISSED, FIRST));
        assertGoesOnWithMissedAt(STUCK);
    }

    /** That one's order may have passed this place. */
    @Test
    void aSiteDoesNotChooseWhileAPresentOneFollowsAnotherSequence() {
        receiveBoth();
        hear(OTHER, STUCK, List.of(new Tag(OTHER, 7), new Tag(OTHER, 8)), List.of());
        assertWaitsAt(STUCK);
        hearContradiction(OTHER, STUCK + 10);
        assertChoosesAt(STUCK + 10);
    }

    /** Two others are where this site is: the greater camp, as far as it knows. */
    @Test
    void aSiteBeginsAnewWhenAGreaterOneHasFollowedAnotherSequenceForLong() {
        List<Tag> theirs = List.of(new Tag(OTHER, 7), new Tag(OTHER, 8));
        for (long now : new long[] {START, START + GIVE_UP - 2}) {
            hear(OTHER, now, List.of(Tag.ROOT), List.of());
            hear(0xB0, now, List.of(Tag.ROOT), List.of());
            for (int i = 0; i < 5; i++) {
                assertEquals(ReportIntake.Outcome.BEHIND, hear(GREATER, now + i / 4, theirs, List.of()));
            }
        }
        assertEquals(ReportIntake.Outcome.ASTRAY, hear(GREATER, START + GIVE_UP, theirs, List.of()));
    }

    /** By such a report another site may have forced another message when it told where it waits. */
    @Test
    void aSiteDoesNotChooseAgainstAConsentOfTheTimeBefore() {
        receiveBoth();
        Report told = PlacedReports.of(SELF, 1, List.of(Tag.ROOT), List.of(), List.of(SECOND));
        spell.knowledge.consents.give(told, STUCK - 2 * (FORCE + 10));
        hearContradiction(OTHER, STUCK);
        assertWaitsAt(STUCK);
        assertChoosesAt(STUCK + 1);
    }
}
