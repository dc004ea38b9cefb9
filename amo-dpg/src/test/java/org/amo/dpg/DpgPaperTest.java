package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.amo.dpg.ContiguityDetector.Arrival;
import org.amo.dpg.Report.SiteStatus;
import org.junit.jupiter.api.Test;

/** Sentences of Konorski's paper that promise something, by section. */
class DpgPaperTest {
    private static final long FORCE = 60_000;
    private static final long GIVE_UP = 500_000;
    private static final long OTHER = 0xA0;
    private static final long THIRD = 0xB0;

    private final RecordedEffects effects = new RecordedEffects();
    private final List<String> seen = effects.seen;
    private final List<Message> sent = effects.messages;
    private final List<Report> reports = effects.reports;
    private long now = 1_000_000;
    private long reportNumber;

    private DpgSite site(DpgOptions.Builder options) {
        DpgSite site = new DpgSite(options.build(), () -> 0xC0, effects, now);
        tick(site, 150_000);
        assertTrue(site.isAnchored());
        return site;
    }

    private static DpgOptions.Builder options() {
        return DpgOptions.builder().deliveryMicros(FORCE, GIVE_UP);
    }

    private static Tag tag(int number) {
        return new Tag(OTHER, number);
    }

    private static Message message(int number) {
        return new Message(tag(number), new byte[] {(byte) number});
    }

    private Report report(List<Tag> order, List<Tag> vertices, List<Arc> arcs, List<Tag> lost, List<Message> bodies) {
        return new Report(
                THIRD,
                ++reportNumber,
                SiteStatus.PLACED,
                now,
                1,
                order,
                List.of(),
                order.get(order.size() - 1),
                vertices,
                arcs,
                lost,
                bodies);
    }

    /** Of a site that has delivered all that it tells of the order, and knows no more. */
    private Report orderOf(long origin, long number, List<Tag> order, List<Message> bodies) {
        return orderOf(origin, number, SiteStatus.PLACED, order, bodies);
    }

    private Report orderOf(long origin, long number, SiteStatus standing, List<Tag> order, List<Message> bodies) {
        Tag last = order.get(order.size() - 1);
        return new Report(
                origin, number, standing, now, 1, order, List.of(), last, List.of(), List.of(), List.of(), bodies);
    }

    private void tick(DpgSite site, long micros) {
        for (long end = now + micros; now < end; now = Math.min(end, now + 5_000)) {
            site.onTick(now);
        }
        site.onTick(now);
    }

    /** 4.1, row D2: a reception by script gives the graph that was computed by hand. */
    @Test
    void aScriptedReceptionGivesTheGraphComputedByHand() {
        DpgSite site = site(options());
        site.onMessage(message(1), false, now);
        site.onMessage(message(2), true, now);
        site.onMessage(message(4), false, now);
        assertEquals(Set.of("0:0->a0:1", "a0:1=>a0:2", "a0:2->a0:4"), PrintedLinearisation.text(site.arcs()));
        // Another site missed 1 and received 2, 3, 4, of which it saw 3 and 4 in a row.
        site.onReport(
                report(
                        List.of(Tag.ROOT),
                        List.of(tag(2), tag(3), tag(4)),
                        List.of(Arc.plain(Tag.ROOT, tag(2)), Arc.plain(tag(2), tag(3)), Arc.marked(tag(3), tag(4))),
                        List.of(),
                        List.of()),
                now);
        assertEquals(
                Set.of("0:0->a0:1", "a0:1=>a0:2", "a0:2->a0:3", "a0:3=>a0:4"), PrintedLinearisation.text(site.arcs()));
        site.onMessage(message(5), true, now);
        assertTrue(site.arcs().contains(Arc.marked(tag(4), tag(5))));
        assertEquals(5, site.vertices());
    }

    /** 4.2: "Message X becomes deliverable when the arc (L_DELIV,X) is marked." */
    @Test
    void whatIsMarkedIsDeliveredAtOnce() {
        DpgSite site = site(options());
        site.onMessage(message(1), false, now);
        assertEquals(List.of("begin 0:0"), seen);
        site.onReport(report(List.of(Tag.ROOT, tag(1)), List.of(), List.of(), List.of(), List.of()), now);
        assertEquals(List.of("begin 0:0", "a0:1"), seen, "another site has it");
        site.onMessage(message(2), true, now);
        assertEquals(List.of("begin 0:0", "a0:1", "a0:2"), seen);
    }

    /** 4.2, row D5: "when all immediate successors have been included for at least Deliv_Cycle", in decreasing tags. */
    @Test
    void withoutMarksTheOrderIsForcedAfterDelivCycleByDecreasingTags() {
        DpgSite site = site(options());
        Message high = new Message(new Tag(0xF0, 1), new byte[1]);
        Message low = new Message(new Tag(0x10, 1), new byte[1]);
        List<Tag> both = List.of(low.tag(), high.tag());
        List<Arc> arcs = List.of(Arc.plain(Tag.ROOT, low.tag()), Arc.plain(Tag.ROOT, high.tag()));
        site.onReport(report(List.of(Tag.ROOT), both, arcs, List.of(), List.of(low, high)), now);
        long included = now;
        now = included + FORCE - 1;
        site.onTick(now);
        assertEquals(List.of("begin 0:0"), seen);
        // "Large enough to allow formation of identical successor sets": here it is seen whether they are identical.
        now = included + FORCE;
        List<Arc> other = List.of(Arc.plain(Tag.ROOT, low.tag()));
        site.onReport(report(List.of(Tag.ROOT), List.of(low.tag()), other, List.of(), List.of()), now);
        assertEquals(List.of("begin 0:0"), seen, "the other site would choose otherwise");
        site.onReport(report(List.of(Tag.ROOT), both, arcs, List.of(), List.of()), now);
        assertEquals(List.of("begin 0:0", "f0:1", "10:1"), seen);
        assertEquals(2, site.counters().forced());
    }

    /** A site that went further by marks that nobody else has agrees to what it has next, not to all that it has. */
    @Test
    void aSiteThatHasGoneFurtherAgreesOnlyToWhatItHasNext() {
        DpgSite site = site(options());
        Message high = new Message(new Tag(0xF0, 1), new byte[1]);
        Message low = new Message(new Tag(0x10, 1), new byte[1]);
        List<Tag> both = List.of(low.tag(), high.tag());
        List<Arc> arcs = List.of(Arc.plain(Tag.ROOT, low.tag()), Arc.plain(Tag.ROOT, high.tag()));
        site.onReport(report(List.of(Tag.ROOT), both, arcs, List.of(), List.of(low, high)), now);
        now += FORCE;
        site.onReport(
                report(List.of(Tag.ROOT, low.tag(), high.tag()), List.of(), List.of(), List.of(), List.of()), now);
        assertEquals(List.of("begin 0:0", "10:1", "f0:1"), seen);
        assertEquals(0, site.counters().forced());
    }

    /**
     * A message without a place, 9, and others that pass it by marks. The other site planned it before 1, which this site has put
     * before it by the order of a third: by marks that it has not reported yet, the other site may be past 2, too.
     */
    @Test
    void aSiteAgreesToAMessageAtOnePlaceOnly() {
        DpgSite site = site(options());
        List<Message> bodies = List.of(message(1), message(9));
        List<Arc> planned = List.of(Arc.plain(Tag.ROOT, tag(9)), Arc.plain(tag(9), tag(1)));
        site.onReport(report(List.of(Tag.ROOT), List.of(tag(9), tag(1)), planned, List.of(), bodies), now);
        now += FORCE - 1;
        site.onReport(report(List.of(Tag.ROOT), List.of(tag(9), tag(1)), planned, List.of(), List.of()), now);
        List<Tag> order = List.of(Tag.ROOT, tag(1));
        Arc passed = Arc.plain(tag(1), tag(9));
        site.onReport(PlacedReports.of(0xF1, 1, order, List.of(), List.of(tag(9)), passed), now);
        assertEquals(List.of("begin 0:0", "a0:1"), seen);
        now += 1;
        site.onTick(now);
        assertEquals(List.of("begin 0:0", "a0:1"), seen, "the first site agreed to 9 at another place");
        site.onReport(report(order, List.of(tag(9)), List.of(passed), List.of(), List.of()), now);
        assertEquals(List.of("begin 0:0", "a0:1", "a0:9"), seen);
    }

    /** Where all others have gone a site goes on by itself, in a segment of its own; it returns when it hears others again. */
    @Test
    void aSiteThatHearsNobodyAnyMoreBeginsASegmentOfItsOwn() {
        DpgSite site = site(options());
        site.onMessage(message(1), false, now);
        tick(site, 140_000);
        assertEquals(List.of("begin 0:0"), seen, "the sender may choose otherwise");
        tick(site, 20_000);
        assertEquals(List.of("begin 0:0", "begin 0:0", "a0:1"), seen);
        site.onReport(report(List.of(Tag.ROOT, tag(2)), List.of(), List.of(), List.of(), List.of()), now);
        assertFalse(site.isAnchored(), "the others have another order");
    }

    /** 1 is everybody's, 2 follows by a mark of this site alone; then nobody is heard any more. */
    private DpgSite siteThatWasAloneWithTwo() {
        DpgSite site = site(options());
        site.onReport(orderOf(THIRD, 1, List.of(Tag.ROOT, tag(1)), List.of(message(1))), now);
        site.onMessage(message(1), false, now);
        site.onMessage(message(2), true, now);
        assertEquals(List.of("begin 0:0", "a0:1", "a0:2"), seen);
        assertEquals(SiteStatus.PLACED, lastReport(site).standing());
        tick(site, 200_000);
        assertEquals(SiteStatus.ALONE, lastReport(site).standing());
        return site;
    }

    private Report lastReport(DpgSite site) {
        tick(site, 25_000);
        return reports.get(reports.size() - 1);
    }

    /** The others took it for gone, and may just now decide otherwise than it did. */
    @Test
    void aSiteThatWasAloneAndIsBeyondTheOthersBeginsAnew() {
        DpgSite site = siteThatWasAloneWithTwo();
        site.onReport(orderOf(THIRD, 2, List.of(Tag.ROOT, tag(1)), List.of()), now);
        assertFalse(site.isAnchored());
    }

    @Test
    void aSiteThatWasAloneStaysWhereTheOthersAreToo() {
        DpgSite site = siteThatWasAloneWithTwo();
        site.onReport(orderOf(THIRD, 2, List.of(tag(1), tag(2), tag(3)), List.of(message(3))), now);
        assertTrue(site.isAnchored());
        assertEquals("a0:3", seen.get(seen.size() - 1));
        assertEquals(SiteStatus.PLACED, lastReport(site).standing());
    }

    /** All were cut off from each other: who hears only such as were alone too goes on with them, unless another is heard soon. */
    @Test
    void sitesThatWereAloneComeTogetherAgain() {
        DpgSite site = siteThatWasAloneWithTwo();
        List<Tag> behind = List.of(Tag.ROOT, tag(1));
        for (int i = 2; i < 9; i++) {
            site.onReport(orderOf(THIRD, i, SiteStatus.ALONE, behind, List.of()), now);
            assertEquals(SiteStatus.ALONE, lastReport(site).standing(), "after " + i);
        }
        assertTrue(site.isAnchored());
        site.onReport(orderOf(THIRD, 10, SiteStatus.ALONE, behind, List.of()), now);
        assertEquals(SiteStatus.PLACED, lastReport(site).standing());
    }

    @Test
    void whatASiteDecidedAloneNobodyFollows() {
        DpgSite site = site(options());
        site.onReport(orderOf(THIRD, 1, List.of(Tag.ROOT), List.of(message(1), message(2))), now);
        site.onReport(orderOf(0xF1, 1, SiteStatus.ALONE, List.of(Tag.ROOT, tag(1)), List.of()), now);
        assertEquals(List.of("begin 0:0"), seen);
        assertFalse(site.isInSyncWith(0xF1));
        site.onReport(orderOf(THIRD, 2, List.of(Tag.ROOT, tag(2)), List.of(message(2))), now);
        assertEquals(List.of("begin 0:0", "a0:2"), seen);
    }

    @Test
    void aSiteThatWasAloneIsNoCamp() {
        DpgSite site = site(options());
        site.onReport(orderOf(THIRD, 1, List.of(Tag.ROOT, tag(2)), List.of(message(2))), now);
        now += FORCE + 1;
        for (int i = 1; i < 20; i++) {
            site.onReport(orderOf(0xF1, i, SiteStatus.ALONE, List.of(Tag.ROOT, tag(1)), List.of()), now);
        }
        assertTrue(site.isAnchored(), "nobody else has reported lately");
    }

    @Test
    void aSiteThatWasAloneIsNotAskedForItsPlan() {
        DpgSite site = site(options());
        List<Arc> arcs = List.of(Arc.plain(Tag.ROOT, tag(1)));
        site.onReport(report(List.of(Tag.ROOT), List.of(tag(1)), arcs, List.of(), List.of(message(1))), now);
        now += FORCE;
        site.onReport(orderOf(0xF1, 1, SiteStatus.ALONE, List.of(Tag.ROOT, tag(9)), List.of()), now);
        site.onReport(report(List.of(Tag.ROOT), List.of(tag(1)), arcs, List.of(), List.of()), now);
        assertEquals(List.of("begin 0:0", "a0:1"), seen);
    }

    /** Who takes a place takes it where those are that were not alone. */
    @Test
    void aListenerPrefersOneThatWasNotAlone() {
        DpgSite late = new DpgSite(options().absence(150_000, 2).build(), () -> 0xC0, effects, now);
        tick(late, 20_000);
        late.onReport(orderOf(THIRD, 1, List.of(Tag.ROOT, tag(2)), List.of()), now);
        late.onReport(orderOf(0xF1, 1, SiteStatus.ALONE, List.of(Tag.ROOT, tag(2), tag(3)), List.of()), now);
        assertEquals(List.of("begin a0:2"), seen);
    }

    /** Who only listens has no part in the order: a site that hears nobody else goes on by itself, in a segment of its own. */
    @Test
    void aSiteThatHearsOnlyListenersIsAlone() {
        DpgSite site = site(options());
        site.onMessage(message(1), false, now);
        for (int i = 0; i < 40; i++) {
            now += 5_000;
            site.onReport(
                    new Report(
                            THIRD,
                            ++reportNumber,
                            SiteStatus.LISTENING,
                            now,
                            1,
                            List.of(),
                            List.of(),
                            Tag.ROOT,
                            List.of(),
                            List.of(),
                            List.of(),
                            List.of()),
                    now);
            site.onTick(now);
        }
        assertEquals(List.of("begin 0:0", "begin 0:0", "a0:1"), seen);
    }

    /**
     * Extended Virtual Synchrony: two orders that part behind a common message. A site that was cut off and went its own way ends
     * its segment as soon as it hears that the others did not follow, and shows nothing more of it.
     */
    @Test
    void aSiteWhoseOrderPartsFromTheOthersBeginsAnew() {
        DpgSite site = site(options().absence(150_000, 2));
        site.onReport(report(List.of(Tag.ROOT, tag(1)), List.of(), List.of(), List.of(), List.of(message(1))), now);
        site.onMessage(message(1), false, now);
        site.onMessage(message(2), true, now);
        site.onMessage(message(3), true, now);
        assertEquals(List.of("begin 0:0", "a0:1", "a0:2", "a0:3"), seen);
        // What it heard before it was cut off counts for nobody's camp.
        now += FORCE + 1;
        List<Tag> theirs = List.of(Tag.ROOT, tag(1), tag(9), tag(2));
        site.onReport(orderOf(0xF1, 1, theirs, List.of()), now);
        site.onMessage(message(4), true, now);
        assertEquals("a0:3", seen.get(seen.size() - 1), "it holds back what it knows to come next");
        // The place where they parted is not told any more.
        site.onReport(orderOf(0xF1, 2, List.of(tag(2)), List.of()), now);
        assertFalse(site.isAnchored());
        assertEquals(1, site.counters().astray());
    }

    /** The others stay: of two camps the smaller begins anew. */
    @Test
    void aSiteThatTheOthersFollowStaysWhereItIs() {
        DpgSite site = site(options().absence(150_000, 2));
        List<Tag> ours = List.of(Tag.ROOT, tag(1), tag(2));
        List<Message> bodies = List.of(message(1), message(2));
        for (int i = 1; i <= 3; i++) {
            site.onReport(report(ours, List.of(), List.of(), List.of(), bodies), now);
            List<Tag> other = List.of(Tag.ROOT, tag(1), tag(9), tag(2));
            site.onReport(orderOf(0xF1, i, other, List.of()), now);
        }
        assertTrue(site.isAnchored());
        site.onReport(report(List.of(tag(2), tag(3)), List.of(), List.of(), List.of(), List.of(message(3))), now);
        assertEquals("a0:3", seen.get(seen.size() - 1));
    }

    /** Five messages that all present sites have delivered: what is done with, but for the last of them. */
    private DpgSite siteThatIsDoneWithFive() {
        DpgSite site = site(options().graph(64, 64, 2).buffers(6, 4));
        site.onReport(report(List.of(Tag.ROOT, tag(1)), List.of(), List.of(), List.of(), List.of(message(1))), now);
        for (int i = 1; i <= 5; i++) {
            site.onMessage(message(i), i > 1, now);
        }
        tick(site, 5_000);
        site.onReport(report(List.of(tag(4), tag(5)), List.of(), List.of(), List.of(), List.of()), now);
        site.onReport(orderOf(OTHER, 1, List.of(tag(4), tag(5)), List.of()), now);
        tick(site, 25_000);
        assertEquals(List.of("begin 0:0", "a0:1", "a0:2", "a0:3", "a0:4", "a0:5"), seen);
        assertEquals(List.of(tag(5)), reports.get(reports.size() - 1).order());
        return site;
    }

    /** A site that was cut off, and that nobody waited for, is told what it lacks, and sent it. */
    @Test
    void aSiteThatIsNotFarBehindFindsItsPlaceInWhatIsDoneWith() {
        DpgSite site = siteThatIsDoneWithFive();
        List<Tag> order = List.of(tag(1), tag(2));
        site.onReport(
                new Report(
                        0xF1,
                        1,
                        SiteStatus.PLACED,
                        now,
                        1,
                        order,
                        List.of(),
                        tag(2),
                        List.of(),
                        List.of(),
                        List.of(tag(3)),
                        List.of()),
                now);
        assertTrue(site.isInSyncWith(0xF1));
        tick(site, 25_000);
        Report told = reports.get(reports.size() - 1);
        assertEquals(List.of(tag(2), tag(3), tag(4), tag(5)), told.order());
        assertTrue(
                reports.stream().flatMap(each -> each.bodies().stream()).anyMatch(each -> each.tag()
                        .equals(tag(3))),
                "its body was still there");
    }

    /** Bodies that are kept for such a site take no room from others. */
    @Test
    void whatIsDoneWithYieldsItsBuffers() {
        DpgSite site = siteThatIsDoneWithFive();
        assertEquals(1, site.bodies(), "but for the last");
        for (int i = 7; i < 12; i++) {
            site.onMessage(message(i), false, now);
        }
        assertEquals(6, site.bodies());
        assertEquals(0, site.counters().overflows());
    }

    /** Orders that parted where both have nothing more to do are two sequences, and each tells the other where. */
    @Test
    void whereOrdersPartedIsSeenAndToldThoughItIsDoneWith() {
        DpgSite site = siteThatIsDoneWithFive();
        site.onReport(orderOf(0xF1, 1, List.of(tag(2), tag(9), tag(5), tag(6)), List.of()), now);
        assertFalse(site.isInSyncWith(0xF1));
        tick(site, 25_000);
        assertEquals(
                List.of(Tag.ROOT, tag(1), tag(2), tag(3), tag(4), tag(5)),
                reports.get(reports.size() - 1).order());
    }

    /** What a site inferred while it only listened nobody else may know; the others decide without it. */
    @Test
    void aSiteThatTakesItsPlaceDeliversNothingByMarksOfItsOwnFromBefore() {
        DpgSite late = new DpgSite(options().absence(150_000, 1).build(), () -> 0xC0, effects, now);
        tick(late, 20_000);
        late.onMessage(message(2), false, now);
        late.onMessage(message(3), true, now);
        late.onReport(report(List.of(Tag.ROOT, tag(1), tag(2)), List.of(), List.of(), List.of(), List.of()), now);
        assertEquals(List.of("begin a0:2"), seen, "not 3: the others may have put another behind 2");
        late.onReport(
                report(List.of(Tag.ROOT, tag(1), tag(2), tag(3)), List.of(), List.of(), List.of(), List.of()), now);
        assertEquals(List.of("begin a0:2", "a0:3"), seen);
    }

    /** What the medium carried behind a message may have been incorporated before it, and delivered long ago. */
    @Test
    void whatAListenerHeardAndNobodyTellsAsOpenIsFromBeforeItsSegment() {
        DpgSite late = new DpgSite(options().absence(150_000, 1).build(), () -> 0xC0, effects, now);
        tick(late, 20_000);
        late.onMessage(message(5), false, now);
        late.onMessage(message(6), false, now);
        late.onMessage(message(7), false, now);
        List<Arc> arcs = List.of(Arc.plain(tag(5), tag(7)));
        late.onReport(report(List.of(tag(4), tag(5)), List.of(tag(7)), arcs, List.of(), List.of()), now);
        assertEquals(List.of(Arc.plain(tag(5), tag(7))), late.arcs(), "6 is past: the others had chosen it before 5");
    }

    /** What lay unread while a process stood still it reads at once: reports of long ago, by which it takes no place. */
    @Test
    void aSiteDoesNotTakeItsPlaceByWhatLayUnread() {
        DpgSite site = new DpgSite(options().absence(150_000, 3).build(), () -> 0xC0, effects, now);
        tick(site, 50_000);
        now += 100_000;
        for (int i = 1; i <= 10; i++) {
            now += 100;
            site.onReport(report(List.of(Tag.ROOT), List.of(), List.of(), List.of(), List.of()), now);
            site.onReport(orderOf(0xF1, i, List.of(Tag.ROOT), List.of()), now);
        }
        assertFalse(site.isAnchored());
        tick(site, 20_000);
        for (int i = 0; i < 3; i++) {
            assertFalse(site.isAnchored(), "the others were heard of long ago only");
            site.onReport(report(List.of(tag(7), tag(8)), List.of(), List.of(), List.of(), List.of()), now);
        }
        assertEquals(List.of("begin a0:8"), seen, "one of them is not heard any more, and its old place is nobody's");
    }

    /** Nor if it reads so slowly that it has listened for long by the time. */
    @Test
    void aSiteThatReadsSlowlyDoesNotTakeItsPlaceByWhatLayUnread() {
        DpgSite site = site(options().absence(150_000, 3));
        site.onReport(orderOf(THIRD, 1, List.of(Tag.ROOT), List.of()), now);
        now += 200_000;
        tick(site, 20_000);
        assertFalse(site.isAnchored(), "it stood still");
        for (int i = 2; i < 12; i++) {
            now += 8_000;
            Report unread = new Report(
                    THIRD,
                    i,
                    SiteStatus.PLACED,
                    now - 2 * FORCE,
                    1,
                    List.of(Tag.ROOT, tag(7)),
                    List.of(),
                    tag(7),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of());
            site.onReport(unread, now);
        }
        assertFalse(site.isAnchored(), "by reports of long ago");
        for (int i = 12; i < 15; i++) {
            assertFalse(site.isAnchored());
            site.onReport(orderOf(THIRD, i, List.of(tag(7), tag(8)), List.of()), now);
        }
        assertEquals("begin a0:8", seen.get(seen.size() - 1));
    }

    /** What a site sent before an absence is nobody's any more: it does not follow itself. */
    @Test
    void aSiteDoesNotHearItsFormerSelf() {
        long[] origin = {0xC0};
        DpgSite site = new DpgSite(options().absence(150_000, 2).build(), () -> origin[0]++, effects, now);
        tick(site, 150_000);
        Report own = reports.get(reports.size() - 1);
        assertTrue(own.anchored());
        now += 200_000;
        tick(site, 20_000);
        assertFalse(site.isAnchored());
        for (int i = 0; i < 3; i++) {
            Report again = new Report(
                    own.origin(),
                    own.number() + i + 1,
                    SiteStatus.PLACED,
                    now,
                    1,
                    own.order(),
                    List.of(),
                    own.delivered(),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of());
            site.onReport(again, now);
        }
        assertFalse(site.isAnchored(), "by its own reports");
    }

    /** A report tells as much of the order as the present site needs that is furthest behind. */
    @Test
    void aReportReachesBackToTheSiteThatIsFurthestBehind() {
        DpgSite site = site(options().graph(64, 64, 2));
        site.onReport(report(List.of(Tag.ROOT), List.of(), List.of(), List.of(), List.of()), now);
        List<Tag> order = List.of(Tag.ROOT, tag(1), tag(2), tag(3), tag(4));
        List<Message> bodies = List.of(message(1), message(2), message(3), message(4));
        site.onReport(orderOf(OTHER, 1, order, bodies), now);
        assertEquals(List.of("begin 0:0", "a0:1", "a0:2", "a0:3", "a0:4"), seen);
        tick(site, 20_000);
        assertEquals(order, reports.get(reports.size() - 1).order());
    }

    /** Who starts while the others deliver begins behind what they have: its bodies may be gone. */
    @Test
    void aSiteThatComesLateBeginsWhereTheOthersAre() {
        DpgSite late = new DpgSite(options().absence(150_000, 1).build(), () -> 0xC0, effects, now);
        tick(late, 20_000);
        late.onReport(report(List.of(Tag.ROOT, tag(1), tag(2)), List.of(), List.of(), List.of(), List.of()), now);
        assertEquals(List.of("begin a0:2"), seen);
        seen.clear();
        DpgSite early = new DpgSite(options().absence(150_000, 1).build(), () -> 0xC1, effects, now);
        tick(early, 20_000);
        early.onReport(report(List.of(Tag.ROOT), List.of(), List.of(), List.of(), List.of()), now);
        assertEquals(List.of("begin 0:0"), seen);
    }

    /** A pause of its own tells a site nothing about the others: who stood still while it listened goes on listening. */
    @Test
    void aSiteThatStoodStillAtTheStartDoesNotTakeItselfForAlone() {
        DpgSite site = new DpgSite(options().absence(150_000, 3).build(), () -> 0xC0, effects, now);
        tick(site, 20_000);
        now += 200_000;
        site.onTick(now);
        assertFalse(site.isAnchored(), "it has listened for 20 ms");
        for (int i = 0; i < 3; i++) {
            now += 8_000;
            site.onReport(report(List.of(tag(7), tag(8)), List.of(), List.of(), List.of(), List.of()), now);
        }
        assertEquals(List.of("begin a0:8"), seen);
    }

    /** Nor does it take the others for gone: it forces nothing by itself before it has listened for long enough. */
    @Test
    void aSiteThatStoodStillDoesNotTakeTheOthersForGone() {
        DpgSite site = site(options());
        site.onMessage(message(1), false, now);
        tick(site, 60_000);
        now += 140_000;
        site.onTick(now);
        assertTrue(site.isAnchored(), "a shorter pause than an absence");
        assertEquals(List.of("begin 0:0"), seen, "the sender may still be there and choose otherwise");
        tick(site, 80_000);
        assertEquals(List.of("begin 0:0"), seen);
        tick(site, 20_000);
        assertEquals(List.of("begin 0:0", "begin 0:0", "a0:1"), seen);
    }

    /** A report that was issued Deliv_Cycle ago says nothing about what its site plans now, whenever it comes. */
    @Test
    void anOldReportAgreesToNothing() {
        DpgSite site = site(options());
        List<Arc> arcs = List.of(Arc.plain(Tag.ROOT, tag(1)));
        Report early = report(List.of(Tag.ROOT), List.of(tag(1)), arcs, List.of(), List.of(message(1)));
        site.onReport(early, now);
        now += FORCE - 1;
        site.onReport(
                new Report(
                        THIRD,
                        ++reportNumber,
                        SiteStatus.PLACED,
                        now - FORCE - 10_000,
                        1,
                        early.order(),
                        List.of(),
                        Tag.ROOT,
                        early.vertices(),
                        arcs,
                        List.of(),
                        List.of()),
                now);
        now += 1;
        site.onTick(now);
        assertEquals(List.of("begin 0:0"), seen);
        site.onReport(report(List.of(Tag.ROOT), List.of(tag(1)), arcs, List.of(), List.of()), now);
        assertEquals(List.of("begin 0:0", "a0:1"), seen);
    }

    /** 4.2, row D6: "a 'dummy' message is delivered"; 4.3: the body is asked for until then. */
    @Test
    void aBodyThatNobodyHasIsADummyAfterGivingUp() {
        DpgSite site = site(options());
        site.onReport(report(List.of(Tag.ROOT, tag(1)), List.of(), List.of(), List.of(), List.of()), now);
        tick(site, GIVE_UP - 50_000);
        assertEquals(List.of("begin 0:0"), seen);
        long asked =
                reports.stream().filter(each -> each.lost().contains(tag(1))).count();
        assertTrue(asked >= 10, "asked " + asked + " times");
        tick(site, 100_000);
        assertEquals(List.of("begin 0:0", "dummy a0:1"), seen);
    }

    /** 4.3, row D7: a lost body comes by RM, and is given to those that ask. */
    @Test
    void aLostBodyIsRecoveredAndPassedOn() {
        DpgSite site = site(options());
        site.onReport(report(List.of(Tag.ROOT, tag(1)), List.of(), List.of(), List.of(), List.of()), now);
        assertEquals(List.of("begin 0:0"), seen);
        site.onReport(report(List.of(Tag.ROOT, tag(1)), List.of(), List.of(), List.of(), List.of(message(1))), now);
        assertEquals(List.of("begin 0:0", "a0:1"), seen);
        site.onReport(report(List.of(Tag.ROOT), List.of(), List.of(), List.of(tag(1)), List.of()), now);
        tick(site, 50_000);
        assertTrue(reports.stream().flatMap(each -> each.bodies().stream()).anyMatch(each -> each.tag()
                .equals(tag(1))));
    }

    /** 4.3, row D8: "message X is permitted to seize the ordering buffer occupied by any successor Y". */
    @Test
    void aLostMessageSeizesTheBufferOfItsSuccessor() {
        DpgSite site = site(options().buffers(1, 4));
        site.onReport(
                report(
                        List.of(Tag.ROOT),
                        List.of(tag(1), tag(2)),
                        List.of(Arc.plain(Tag.ROOT, tag(1)), Arc.plain(tag(1), tag(2))),
                        List.of(),
                        List.of(message(2))),
                now);
        assertEquals(1, site.bodies());
        site.onReport(report(List.of(Tag.ROOT), List.of(), List.of(), List.of(), List.of(message(1))), now);
        assertEquals(1, site.bodies());
        assertEquals(1, site.counters().seized());
        tick(site, 20_000);
        Report last = reports.get(reports.size() - 1);
        assertTrue(reports.stream().anyMatch(each -> each.lost().contains(tag(2))), last::toString);
    }

    /** 4.4, row D9: another's report delays the own one; news that the other lacks make it come sooner. */
    @Test
    void reportsAreDelayedByOthersAndWaivedByNews() {
        DpgSite site = site(options().reportMicros(10_000));
        int before = reports.size();
        for (int i = 0; i < 40; i++) {
            now += 5_000;
            site.onReport(report(List.of(Tag.ROOT), List.of(), List.of(), List.of(), List.of()), now);
            site.onTick(now);
        }
        int own = reports.size() - before;
        assertTrue(own <= 10, "it has its turn, not more: " + own + " reports in 20 Report_Cycles");
        assertTrue(own >= 5, "a site that reports all the time does not silence the others: " + own + " reports");
        before = reports.size();
        site.onMessage(message(1), false, now);
        site.onMessage(message(2), true, now);
        site.onReport(
                report(
                        List.of(Tag.ROOT),
                        List.of(tag(1), tag(2), tag(3)),
                        List.of(Arc.plain(tag(1), tag(3)), Arc.plain(Tag.ROOT, tag(1))),
                        List.of(),
                        List.of()),
                now);
        assertEquals(1, site.counters().waived());
        now += 5_000;
        site.onTick(now);
        assertEquals(before + 1, reports.size());
    }

    /** Row D11: who has gone without a word holds nobody up as long as what the others send finds room. */
    @Test
    void whatWasDeliveredHereWaitsForOthersInBuffersOfItsOwn() {
        DpgSite site = site(options().buffers(16, 2).keptBuffers(5));
        site.onReport(report(List.of(Tag.ROOT), List.of(), List.of(), List.of(), List.of()), now);
        for (int i = 1; i <= 5; i++) {
            now += 10;
            assertTrue(site.submit(new byte[1], now), "own message " + i);
            Tag own = new Tag(0xC0, i);
            Tag before = i == 1 ? Tag.ROOT : new Tag(0xC0, i - 1);
            List<Tag> order = List.of(before, own);
            site.onReport(
                    new Report(
                            THIRD,
                            ++reportNumber,
                            SiteStatus.PLACED,
                            now,
                            1,
                            order,
                            List.of(),
                            Tag.ROOT,
                            List.of(),
                            List.of(),
                            List.of(),
                            List.of()),
                    now);
            assertEquals(own.toString(), seen.get(seen.size() - 1));
        }
        assertFalse(site.submit(new byte[1], now), "more than the kept buffers");
        assertThrows(
                IllegalArgumentException.class,
                () -> options().buffers(16, 4).keptBuffers(3).build());
    }

    /** 4.5, row D10: "incremented by Delta whenever a buffer overflows; set to max on a report; decremented every Fc_Cycle". */
    @Test
    void messageCycleRisesWithOverflowsAndReportsAndFallsAgain() {
        FlowControl flow =
                new FlowControl(options().flowControl(10, 5_000, 100, 1_000).build(), 0);
        flow.onOverflow();
        flow.onOverflow();
        assertEquals(210, flow.cycleMicros());
        flow.onReport(180);
        assertEquals(210, flow.cycleMicros());
        flow.onReport(1_000_000);
        assertEquals(5_000, flow.cycleMicros(), "not above the ceiling");
        flow.onTime(999);
        assertEquals(5_000, flow.cycleMicros());
        flow.onTime(2_000);
        assertEquals(4_800, flow.cycleMicros());
        flow.onTime(1_000_000);
        assertEquals(10, flow.cycleMicros(), "not below the bound");
    }

    /** Observation 4, row D12: "free to resume once it has reset the connection status", after a number of reports. */
    @Test
    void aSiteThatStoodStillBeginsAnewAfterSomeReports() {
        DpgSite site = site(options().absence(150_000, 3));
        site.onReport(report(List.of(Tag.ROOT), List.of(), List.of(), List.of(), List.of()), now);
        site.submit(new byte[] {1}, now);
        assertEquals(1, sent.size());
        now += 200_000;
        site.onTick(now);
        assertFalse(site.isAnchored());
        assertEquals("undetermined c0:1", seen.get(seen.size() - 1));
        for (int i = 0; i < 3; i++) {
            assertFalse(site.isAnchored());
            now += 8_000;
            site.onReport(report(List.of(tag(7), tag(8)), List.of(), List.of(), List.of(), List.of(message(8))), now);
        }
        assertTrue(site.isAnchored());
        assertEquals("begin a0:8", seen.get(seen.size() - 1));
        site.onMessage(message(9), false, now);
        site.onReport(report(List.of(tag(8), tag(9)), List.of(), List.of(), List.of(), List.of()), now);
        assertEquals("a0:9", seen.get(seen.size() - 1));
        // A site that lags still has what comes before the segment.
        site.onReport(
                report(
                        List.of(tag(7)),
                        List.of(tag(3), tag(8)),
                        List.of(Arc.plain(tag(7), tag(3)), Arc.plain(tag(3), tag(8))),
                        List.of(),
                        List.of(message(3))),
                now);
        assertEquals(0, site.vertices());
    }

    /** What was delivered before an absence stands in the order of the next segment, and does not come again. */
    @Test
    void whatWasDeliveredBeforeAnAbsenceDoesNotComeAgain() {
        DpgSite site = site(options().absence(150_000, 1));
        site.onReport(
                report(
                        List.of(Tag.ROOT, tag(1), tag(2)),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(message(1), message(2))),
                now);
        assertEquals(List.of("begin 0:0", "a0:1", "a0:2"), seen);
        now += 200_000;
        tick(site, 20_000);
        site.onReport(report(List.of(tag(7), tag(1)), List.of(), List.of(), List.of(), List.of()), now);
        site.onReport(
                report(List.of(tag(1), tag(2), tag(3)), List.of(), List.of(), List.of(), List.of(message(3))), now);
        assertEquals(List.of("begin 0:0", "a0:1", "a0:2", "begin a0:1", "a0:3"), seen);
    }

    /** 3.1 and 3.2, row D4. */
    @Test
    void detectorsInferOnlyWhatTheySaw() {
        OverwriteDetector overwrite = new OverwriteDetector();
        assertFalse(overwrite.onReception(new Arrival(true, false, 0, 0, 10)), "the first");
        assertTrue(overwrite.onReception(new Arrival(true, false, 0, 10, 20)));
        assertFalse(overwrite.onReception(new Arrival(false, true, 0, 30, 40)));
        assertFalse(overwrite.onReception(new Arrival(true, false, 0, 40, 50)), "lost before the report");
        TimingDetector timing = new TimingDetector(10);
        assertFalse(timing.onReception(new Arrival(true, false, 0, 0, 20)));
        assertTrue(timing.onReception(new Arrival(true, false, 0, 29, 40)));
        assertFalse(timing.onReception(new Arrival(true, false, 0, 50, 60)), "room for a message");
        BoundedDelayDetector bounded = new BoundedDelayDetector(100, 1_000, 0);
        bounded.onDelay(0, 50);
        assertFalse(bounded.onReception(new Arrival(true, false, 0, 50, 100)));
        bounded.onDelay(60, 120);
        assertTrue(bounded.onReception(new Arrival(true, false, 60, 120, 160)));
        bounded.onDelay(100, 250);
        assertFalse(bounded.onReception(new Arrival(true, false, 200, 280, 300)), "a delay above the bound");
    }

    /** T-D3: the tag of a delivered message is refused for good, whatever comes. */
    @Test
    void aDeliveredTagNeverComesAgain() {
        DeliveredTags done = new DeliveredTags(2, 1_000);
        for (int i = 1; i <= 100_000; i += 3) {
            done.add(tag(i), 0);
            assertTrue(done.contains(tag(i)));
        }
        assertTrue(done.contains(tag(2)), "below the window all count as delivered");
        assertFalse(done.contains(tag(99_998)));
        assertTrue(done.admits(THIRD, 500));
        assertFalse(done.admits(0xD0, 900), "no room: refused, not forgotten");
        assertTrue(done.contains(tag(1)));
        assertTrue(done.admits(0xD0, 1_400), "the first was silent for the lifetime of a tag");
    }
}
