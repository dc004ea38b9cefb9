package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.amo.dpg.Report.SiteStatus;
import org.junit.jupiter.api.Test;

/** Who was heard lately, and what follows from it: who is present, whose turn it is, which side is the greater one. */
class SitesTest {
    private static final long ABSENCE = 150_000;
    private static final long FRESH = 60_000;
    private static final long PATIENCE = 100_000;
    private static final long SELF = 0x50;
    private static final long LOW = 0x10;
    private static final long HIGH = 0xF000_0000_0000_0000L;
    private static final Tag NEXT = new Tag(0xA0, 1);

    private final Sites sites = new Sites(
            DpgOptions.builder()
                    .maxSites(3)
                    .absence(ABSENCE, 5)
                    .deliveryMicros(FRESH, PATIENCE)
                    .build(),
            0);
    private long number;

    private Sites.Site heard(long origin, long now) {
        Sites.Site site = sites.heard(origin, 0, now);
        assertNotNull(site);
        return site;
    }

    private Sites.Site reports(long origin, SiteStatus standing, long now) {
        Sites.Site site = heard(origin, now);
        sites.onClock(now);
        List<Tag> order = standing == SiteStatus.LISTENING ? List.of() : List.of(Tag.ROOT);
        List<Tag> vertices = standing == SiteStatus.LISTENING ? List.of() : List.of(NEXT);
        sites.onReport(
                site,
                new Report(
                        origin, ++number, standing, now, 1, order, List.of(), Tag.ROOT, vertices, List.of(), List.of(),
                        List.of()));
        return site;
    }

    private boolean allPlan() {
        return sites.allPlan(Tag.ROOT, NEXT);
    }

    @Test
    void aSiteIsPresentUntilItWasSilentForAnAbsence() {
        assertTrue(sites.isEmpty());
        assertEquals(Long.MAX_VALUE, sites.nextAbsenceMicros());
        heard(LOW, 100);
        assertTrue(sites.isPresent(LOW));
        assertFalse(sites.isPresent(HIGH));
        assertEquals(100 + ABSENCE + 1, sites.nextAbsenceMicros());
        heard(LOW, 200);
        sites.forgetAbsent(100 + ABSENCE + 1);
        assertTrue(sites.isPresent(LOW));
        assertEquals(200 + ABSENCE + 1, sites.nextAbsenceMicros());
        sites.forgetAbsent(200 + ABSENCE);
        assertEquals(1, sites.size());
        sites.forgetAbsent(200 + ABSENCE + 1);
        assertTrue(sites.isEmpty());
        assertEquals(Long.MAX_VALUE, sites.nextAbsenceMicros());
    }

    /** An earlier spell knew how far a clock is from this one: what was issued before it ended is told by that. */
    @Test
    void whatIsKnownOfClocksHoldsInTheNextSpell() {
        reports(LOW, SiteStatus.PLACED, 100);
        Sites next =
                new Sites(DpgOptions.builder().deliveryMicros(FRESH, 500_000).build(), 500_000);
        next.follow(sites);
        assertEquals(100, next.clockMicros());
        assertFalse(next.isOutdated(LOW), "it was not heard yet");
        next.onClock(500_000);
        Sites.Site low = next.heard(LOW, 0, 500_000);
        assertNotNull(low);
        next.onReport(low, PlacedReports.of(LOW, 9, List.of(Tag.ROOT), List.of(), List.of()));
        assertTrue(next.isOutdated(LOW), "it was issued at 0");
        Sites after = new Sites(DpgOptions.builder().maxSites(1).build(), 600_000);
        after.follow(next);
        after.onClock(600_000);
        Sites.Site other = after.heard(HIGH, 0, 600_000);
        assertNotNull(other);
        after.onReport(other, PlacedReports.of(HIGH, 9, List.of(Tag.ROOT), List.of(), List.of()));
        assertFalse(after.isOutdated(HIGH), "nothing is known of its clock");
    }

    @Test
    void noMoreSitesAreKnownThanThereIsRoomForUntilOneIsAbsent() {
        Sites.Site first = heard(1, 0);
        heard(2, 10);
        heard(3, 20);
        assertNull(sites.heard(4, 0, 30));
        assertSame(first, sites.heard(1, 0, 30));
        assertNotNull(sites.heard(4, 0, 10 + ABSENCE + 1), "2 has gone");
        assertFalse(sites.isPresent(2));
    }

    /** A pause of this site's own is no silence of the others. */
    @Test
    void aPauseOfItsOwnExcusesTheOthers() {
        heard(LOW, 0);
        sites.excuse(1_000, 5_000);
        sites.forgetAbsent(ABSENCE + 1_000);
        assertTrue(sites.isPresent(LOW));
        sites.forgetAbsent(ABSENCE + 1_001);
        assertFalse(sites.isPresent(LOW));
        assertEquals(1_000, sites.listeningSinceMicros());
        assertEquals(2_000, sites.listenedMicros(7_000), "since the pause");
    }

    @Test
    void aSiteThatNeverPausedHasListenedSinceItBegan() {
        assertEquals(7_000, sites.listenedMicros(7_000));
    }

    /** All have gone, of whom one had a place in the order: then this site goes on by itself. */
    @Test
    void aSiteIsAloneWhenAllThatHadAPlaceHaveGone() {
        reports(LOW, SiteStatus.LISTENING, 0);
        assertTrue(sites.isAlone(), "a listener tells nothing of the order");
        sites.forgetAbsent(ABSENCE + 1);
        assertFalse(sites.wasAlone(), "it never had company");
        reports(LOW, SiteStatus.PLACED, 200_000);
        assertFalse(sites.isAlone());
        reports(HIGH, SiteStatus.LISTENING, 300_000);
        sites.forgetAbsent(200_000 + ABSENCE + 1);
        assertTrue(sites.wasAlone());
        assertEquals(1, sites.timesAlone());
        assertEquals(1, sites.size(), "the listener is there");
    }

    @Test
    void aSiteThatSendsMessagesHasAPlace() {
        sites.onMessage(heard(LOW, 0));
        assertFalse(sites.isAlone());
        sites.forgetAbsent(ABSENCE + 1);
        assertTrue(sites.wasAlone());
    }

    @Test
    void companyThatWasNotAloneEndsItAndCompanyThatWasAnAbsenceLater() {
        reports(LOW, SiteStatus.PLACED, 0);
        sites.forgetAbsent(ABSENCE + 1);
        sites.onCompany(false, 200_000);
        assertFalse(sites.wasAlone());
        reports(LOW, SiteStatus.PLACED, 200_000);
        sites.forgetAbsent(200_000 + ABSENCE + 1);
        assertEquals(2, sites.timesAlone());
        long met = 400_000;
        sites.onCompany(true, met);
        sites.onCompany(true, met + ABSENCE);
        assertTrue(sites.wasAlone(), "one that was not alone may still be heard");
        sites.onCompany(true, met + ABSENCE + 1);
        assertFalse(sites.wasAlone());
    }

    /** What a site decided alone counts for nothing, but for one that was alone too. */
    @Test
    void aSiteThatWasAloneIsFollowedByOneThatWasAloneToo() {
        reports(LOW, SiteStatus.ALONE, 0);
        assertFalse(sites.isInSync(LOW));
        assertTrue(sites.isGreatest(SELF));
        sites.forgetAbsent(ABSENCE + 1);
        assertTrue(sites.wasAlone());
        reports(LOW, SiteStatus.ALONE, 200_000);
        assertTrue(sites.isInSync(LOW));
        assertFalse(sites.isInSync(HIGH), "never heard");
    }

    @Test
    void onlyFollowedSitesOfAGreaterOriginAreGreater() {
        assertTrue(sites.isGreatest(SELF));
        reports(LOW, SiteStatus.PLACED, 0);
        assertTrue(sites.isGreatest(SELF));
        reports(HIGH, SiteStatus.LISTENING, 0);
        assertTrue(sites.isGreatest(SELF));
        reports(HIGH, SiteStatus.PLACED, 0);
        assertFalse(sites.isGreatest(SELF), "origins are unsigned");
        assertTrue(sites.isGreatest(HIGH));
    }

    /** Orders that parted are two sequences for good; orders that do not meet may meet again. */
    @Test
    void ordersThatPartedNeverMeetAgain() {
        Sites.Site site = reports(LOW, SiteStatus.PLACED, 0);
        sites.compared(site, false, false);
        assertFalse(sites.isInSync(LOW));
        sites.compared(site, true, false);
        assertTrue(sites.isInSync(LOW));
        sites.compared(site, true, true);
        assertFalse(sites.isInSync(LOW));
        sites.compared(site, true, false);
        assertFalse(sites.isInSync(LOW));
    }

    /** Every present site must have told lately that it would choose the same. */
    @Test
    void whatOnePresentSiteDoesNotPlanIsNotPlannedByAll() {
        assertTrue(allPlan(), "there is nobody");
        Sites.Site site = heard(LOW, 0);
        assertFalse(allPlan(), "it has not reported yet");
        reports(LOW, SiteStatus.PLACED, 0);
        assertTrue(allPlan());
        assertFalse(sites.allPlan(Tag.ROOT, new Tag(0xB0, 1)), "it would choose otherwise");
        assertFalse(sites.allPlan(new Tag(0xB0, 1), NEXT), "it would choose it at another place");
        sites.compared(site, false, false);
        assertFalse(allPlan(), "it follows another sequence");
        sites.compared(site, true, false);
        reports(HIGH, SiteStatus.LISTENING, 10);
        assertTrue(allPlan(), "a listener is not asked");
        reports(HIGH, SiteStatus.ALONE, 20);
        assertTrue(allPlan(), "nor is one that was alone");
        sites.onClock(FRESH);
        assertTrue(allPlan());
        sites.onClock(FRESH + 1);
        assertFalse(allPlan(), "what it told is old");
    }

    /** It may have its place by now, and decide. */
    @Test
    void aListenerThatWasNotHeardLatelyIsWaitedFor() {
        reports(HIGH, SiteStatus.LISTENING, 0);
        reports(LOW, SiteStatus.PLACED, FRESH);
        assertTrue(allPlan());
        reports(LOW, SiteStatus.PLACED, FRESH + 1);
        assertFalse(allPlan());
        reports(HIGH, SiteStatus.LISTENING, FRESH + 1);
        assertTrue(allPlan());
    }

    @Test
    void aReportCountsForHalfAnAbsenceAtMost() {
        Sites brief = new Sites(
                DpgOptions.builder()
                        .absence(40_000, 5)
                        .deliveryMicros(FRESH, 500_000)
                        .build(),
                0);
        Sites.Site site = brief.heard(LOW, 0, 0);
        assertNotNull(site);
        brief.onReport(
                site,
                new Report(
                        LOW,
                        1,
                        SiteStatus.PLACED,
                        0,
                        1,
                        List.of(Tag.ROOT),
                        List.of(),
                        Tag.ROOT,
                        List.of(NEXT),
                        List.of(),
                        List.of(),
                        List.of()));
        brief.onClock(20_000);
        assertEquals(20_000, brief.clockMicros());
        assertTrue(brief.allPlan(Tag.ROOT, NEXT));
        brief.onClock(20_001);
        assertFalse(brief.allPlan(Tag.ROOT, NEXT));
    }

    /** What all present sites of this sequence have delivered may go. */
    @Test
    void whatOneSiteOfTheSequenceHasNotDeliveredStays() {
        assertEquals(9, sites.concludedEnd(9));
        Sites.Site low = reports(LOW, SiteStatus.PLACED, 0);
        Sites.Site high = reports(HIGH, SiteStatus.PLACED, 0);
        low.deliveredEnd = 5;
        high.deliveredEnd = 7;
        assertEquals(5, sites.concludedEnd(9));
        assertEquals(3, sites.concludedEnd(3));
        sites.compared(low, false, false);
        assertEquals(7, sites.concludedEnd(9), "another sequence's site lacks nothing of this one");
        sites.restart(4);
        assertEquals(4, sites.concludedEnd(9));
        assertTrue(sites.isInSync(LOW));
    }

    @Test
    void aSiteThatTakesItsPlaceIsAloneNoMore() {
        reports(LOW, SiteStatus.PLACED, 0);
        sites.forgetAbsent(ABSENCE + 1);
        assertTrue(sites.wasAlone());
        sites.restart(0);
        assertFalse(sites.wasAlone());
    }

    /** After that site has reported those between it and this one come first, round by origins. */
    @Test
    void turnsGoRoundByOrigins() {
        heard(0x10, 0);
        heard(0x30, 0);
        heard(0x70, 0);
        assertEquals(1, sites.turn(0x10, SELF));
        assertEquals(0, sites.turn(0x30, SELF));
        assertEquals(2, sites.turn(0x70, SELF));
        assertEquals(0, sites.turn(0x40, SELF), "a site that is not known");
        assertEquals(2, sites.turn(0x30, 0x20));
    }

    /** Of two camps the greater prevails, of equal ones that with the greatest origin. */
    @Test
    void theGreaterCampPrevails() {
        assertFalse(sites.othersPrevail(SELF));
        Sites.Site high = reports(HIGH, SiteStatus.PLACED, 0);
        sites.compared(high, false, true);
        assertTrue(sites.othersPrevail(SELF), "one against one, and its origin is greater");
        assertFalse(sites.othersPrevail(HIGH + 1));
        Sites.Site low = reports(LOW, SiteStatus.PLACED, 0);
        assertFalse(sites.othersPrevail(SELF), "two against one");
        sites.compared(low, false, true);
        assertTrue(sites.othersPrevail(HIGH + 1), "one against two");
        reports(0x20, SiteStatus.PLACED, 0);
        assertTrue(sites.othersPrevail(SELF), "two against two");
        assertFalse(sites.othersPrevail(HIGH + 1));
    }

    @Test
    void theGreatestOfBothCampsDecides() {
        Sites.Site low = reports(LOW, SiteStatus.PLACED, 0);
        Sites.Site middle = reports(0x60, SiteStatus.PLACED, 0);
        reports(0x70, SiteStatus.PLACED, 0);
        sites.compared(low, false, true);
        sites.compared(middle, false, true);
        assertFalse(sites.othersPrevail(SELF), "0x70 is with this site");
        assertFalse(sites.othersPrevail(LOW - 1));
    }

    @Test
    void onlySitesThatReportedLatelyAndAreFollowedCountInACamp() {
        Sites.Site high = reports(HIGH, SiteStatus.PLACED, 0);
        sites.compared(high, false, true);
        sites.onClock(FRESH + 1);
        assertFalse(sites.othersPrevail(SELF), "it may have been cut off since");
        sites.onClock(FRESH);
        assertTrue(sites.othersPrevail(SELF), "it is asked again");
        reports(HIGH, SiteStatus.ALONE, FRESH);
        assertFalse(sites.othersPrevail(SELF));
    }

    /** The median of all clocks, this one's among them, which runs at its own rate. */
    @Test
    void theRateIsTheMedianOfTheClocksThatAreKnown() {
        Sites rated = new Sites(
                DpgOptions.builder()
                        .synchroniseClockRates(1_000_000)
                        .absence(100_000_000, 5)
                        .build(),
                0);
        assertEquals(0, rated.clockRateMillionths());
        long[] millionths = {300, 100, 500};
        double[] median = {150, 100, 200};
        for (int i = 0; i < millionths.length; i++) {
            Sites.Site site = rated.heard(1 + i, 0, 0);
            assertNotNull(site);
            assertEquals(i == 0 ? 0 : median[i - 1], rated.clockRateMillionths(), 0.001, "no rate is known of it yet");
            for (int second = 0; second <= 2; second++) {
                long now = second * 1_000_000L;
                rated.onClock(now);
                rated.onReport(
                        site,
                        new Report(
                                1 + i,
                                1 + second,
                                SiteStatus.LISTENING,
                                1_000_000_000 + now + second * millionths[i],
                                1,
                                List.of(),
                                List.of(),
                                Tag.ROOT,
                                List.of(),
                                List.of(),
                                List.of(),
                                List.of()));
            }
            assertEquals(median[i], rated.clockRateMillionths(), 0.001, "with " + (1 + i));
        }
    }

    /** Camps may count a third site differently; of two sites the one with the lesser origin begins anew in the end. */
    @Test
    void aSiteYieldsToAGreaterOneThatHasFollowedAnotherSequenceForLong() {
        Sites.Site high = reports(HIGH, SiteStatus.PLACED, 100);
        Sites.Site low = reports(LOW, SiteStatus.PLACED, 100);
        sites.compared(low, true, true);
        sites.compared(high, true, true);
        reports(HIGH, SiteStatus.PLACED, 100 + PATIENCE - 1);
        assertFalse(sites.mustYield(SELF));
        sites.compared(high, true, true);
        reports(HIGH, SiteStatus.PLACED, 100 + PATIENCE);
        assertTrue(sites.mustYield(SELF));
        assertFalse(sites.mustYield(-1), "no greater one");
        sites.onClock(100 + PATIENCE + FRESH + 1);
        assertFalse(sites.mustYield(SELF), "it has not been heard lately");
        reports(HIGH, SiteStatus.ALONE, 100 + 2 * PATIENCE);
        assertFalse(sites.mustYield(SELF), "an isolated site is not followed");
        reports(HIGH, SiteStatus.PLACED, 100 + 2 * PATIENCE);
        assertTrue(sites.mustYield(SELF));
        sites.restart(0);
        assertFalse(sites.mustYield(SELF));
    }
}
