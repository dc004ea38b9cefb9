package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.amo.dpg.Report.SiteStatus;
import org.junit.jupiter.api.Test;

/** What the cycles of a site run by: a clock, the group's clocks (section 4), or counted messages (section 6, row D13). */
class CycleClockTest {
    private static final long OTHER = 0xA0;
    private static final long MESSAGE = 2_000;
    private static final long IDLE = 10_000;

    private final RecordedEffects effects = new RecordedEffects();
    private final List<Report> reports = effects.reports;
    private final List<Tag> delivered = effects.delivered;

    private static Message message(int number) {
        return new Message(new Tag(OTHER, number), new byte[1]);
    }

    private static Report report(
            long number,
            long clock,
            List<Tag> order,
            Tag delivered,
            List<Tag> vertices,
            List<Arc> arcs,
            List<Tag> lost) {
        return new Report(
                OTHER,
                number,
                SiteStatus.PLACED,
                clock,
                1,
                order,
                List.of(),
                delivered,
                vertices,
                arcs,
                lost,
                List.of());
    }

    @Test
    void byTheClockTheTimeIsTheClocks() {
        CycleClock pace = new CycleClock(0, 0, 500);
        assertEquals(500, pace.micros());
        assertEquals(1_234, pace.onInput(1_234));
        assertEquals(9_999, pace.toClock(9_999));
        assertEquals(Long.MAX_VALUE, pace.toClock(Long.MAX_VALUE));
    }

    /** Section 6: "in terms of the number of 'message' PDUs received". */
    @Test
    void inCountedMessagesTheClockCountsOnlyWhileNoneComes() {
        CycleClock pace = new CycleClock(MESSAGE, IDLE, 0);
        for (int i = 1; i <= 5; i++) {
            pace.onInput(i * 100L);
            assertEquals(i * MESSAGE, pace.onMessage());
        }
        assertEquals(5 * MESSAGE, pace.onInput(500 + IDLE), "not idle for long enough");
        assertEquals(5 * MESSAGE + 300, pace.onInput(500 + IDLE + 300));
        assertEquals(500 + IDLE + 800, pace.toClock(5 * MESSAGE + 800));
        pace.onInput(20_000);
        pace.onMessage();
        long now = pace.micros();
        assertEquals(20_000 + IDLE + 700, pace.toClock(now + 700), "idle again only after that message");
        assertEquals(20_000, pace.toClock(now), "what is due is due");
    }

    /** Row D13: whether the clock's thread runs or not, and whatever it shows, messages drive all cycles. */
    @Test
    void aSiteWhoseClockIsSlowGoesOnByCountedMessages() {
        DpgOptions options = DpgOptions.builder().countMessages(MESSAGE, IDLE).build();
        DpgSite site = new DpgSite(options, () -> 0xC0, effects, 0);
        long stopped = 7_000;
        int number = 0;
        while (!site.isAnchored() && number < 200) {
            site.onMessage(message(++number), false, stopped);
        }
        assertEquals(75, number, "an absence of 150 ms, with no tick");
        assertTrue(reports.size() >= 10, "reports: " + reports.size());
        int before = reports.size();
        List<Tag> order = new ArrayList<>(List.of(Tag.ROOT));
        for (int i = 1; i <= number; i++) {
            order.add(message(i).tag());
        }
        Tag newest = order.get(order.size() - 1);
        site.onReport(report(1, stopped, order, newest, List.of(), List.of(), List.of()), stopped);
        assertEquals(75, delivered.size(), "adopted");
        List<Tag> asked = List.of(message(2).tag());
        site.onReport(report(2, stopped, order, Tag.ROOT, List.of(), List.of(), asked), stopped);
        // The clock goes on slowly: by it alone the others can count a site that has just taken its place.
        long slow = stopped;
        for (int i = 0; i < 10; i++) {
            slow += 5_000;
            site.onMessage(message(++number), false, slow);
        }
        assertTrue(reports.size() > before, "reports go on");
        assertTrue(reports.stream().anyMatch(each -> !each.bodies().isEmpty()), "bodies are sent again");
        // The sender plans alike. Nothing is marked, so that the next message waits for Deliv_Cycle.
        Tag last = order.get(order.size() - 1);
        Tag next = message(order.size()).tag();
        List<Arc> arcs = List.of(Arc.plain(last, next));
        site.onReport(report(3, slow, order, last, List.of(next), arcs, List.of()), slow);
        for (int i = 0; i < 19; i++) {
            slow += 1_500;
            site.onMessage(message(++number), false, slow);
        }
        assertEquals(75, delivered.size());
        for (int i = 0; i < 3; i++) {
            slow += 1_500;
            site.onMessage(message(++number), false, slow);
        }
        assertEquals(76, delivered.size(), "60 ms are 30 messages");
    }

    /** While nothing comes the clock counts, or a silent group would stand still. */
    @Test
    void aSilentGroupGoesOnByTheClock() {
        DpgOptions options = DpgOptions.builder().countMessages(MESSAGE, IDLE).build();
        DpgSite site = new DpgSite(options, () -> 0xC0, effects, 0);
        long now = 0;
        while (!site.isAnchored() && now < 1_000_000) {
            now = site.nextDeadline();
            site.onTick(now);
        }
        assertTrue(now >= 150_000 && now <= 150_000 + 2 * IDLE, "anchored at " + now);
    }

    @Test
    void aMessageIsNotWorthMoreThanAReportsCycle() {
        assertThrows(
                IllegalArgumentException.class,
                () -> DpgOptions.builder().countMessages(8_001, 10_000).build());
        assertThrows(
                IllegalArgumentException.class,
                () -> DpgOptions.builder().countMessages(2_000, 1_999).build());
        assertThrows(IllegalArgumentException.class, () -> DpgOptions.builder().countMessages(0, 10));
    }

    /** Section 4: a report "helps perform local clock rate synchronisation". Delays vary, and only ever add. */
    @Test
    void theRateOfAnothersClockIsToldByItsReports() {
        Random random = new Random(5);
        RemoteClock clock = new RemoteClock(4_000_000);
        for (long now = 0; now < 100_000_000; now += 40_000) {
            long theirs = 77_000_000 + now + now * 400 / 1_000_000;
            clock.onReport(theirs, now + 200 + random.nextInt(2_000));
        }
        assertTrue(clock.hasRate());
        assertEquals(400, clock.millionths(), 40);
        RemoteClock stepped = new RemoteClock(1_000_000);
        for (long now = 0; now < 5_000_000; now += 40_000) {
            stepped.onReport(now + (now > 2_500_000 ? 9_000_000 : 0), now + 200);
        }
        assertEquals(0, stepped.millionths(), 1, "a step of the clock is no rate");
    }

    /** Three sites whose clocks run apart by 900 millionths live by one rate, that of the clock in the middle. */
    @Test
    void sitesLiveByTheMedianOfTheirClocksRates() {
        long[] drift = {-500, 100, 400};
        List<DpgSite> sites = new ArrayList<>();
        List<List<Report>> sent = new ArrayList<>();
        DpgOptions options =
                DpgOptions.builder().synchroniseClockRates(1_000_000).build();
        for (int i = 0; i < drift.length; i++) {
            long origin = 0xA0L + i;
            RecordedEffects out = new RecordedEffects();
            sent.add(out.reports);
            sites.add(new DpgSite(options, () -> origin, out, 0));
        }
        long[] atTwenty = new long[drift.length];
        for (long world = 0; world <= 40_000_000; world += 1_000) {
            for (int i = 0; i < drift.length; i++) {
                sites.get(i).onTick(clock(world, drift[i]));
            }
            for (int from = 0; from < drift.length; from++) {
                for (Report report : sent.get(from)) {
                    for (int to = 0; to < drift.length; to++) {
                        if (to != from) {
                            sites.get(to).onReport(report, clock(world, drift[to]));
                        }
                    }
                }
                sent.get(from).clear();
            }
            if (world == 20_000_000) {
                for (int i = 0; i < drift.length; i++) {
                    atTwenty[i] = sites.get(i).paceMicros();
                }
            }
        }
        for (int i = 0; i < drift.length; i++) {
            long lived = sites.get(i).paceMicros() - atTwenty[i];
            assertTrue(Math.abs(lived - 20_002_000) <= 1_200, "site " + i + " lived " + lived);
        }
    }

    private static long clock(long world, long drift) {
        return world + world * drift / 1_000_000;
    }

    /** At the time that is told for a deadline it has come, and a microsecond before it has not. */
    @Test
    void aDeadlineIsToldByTheClockThatRunsFasterOrSlower() {
        for (double millionths : new double[] {100, -100}) {
            CycleClock pace = new CycleClock(0, 0, 500);
            pace.setRate(millionths);
            pace.onInput(1_000);
            long due = pace.micros() + 1_000_000;
            long at = pace.toClock(due);
            assertEquals(1_000 + 1_000_000 - millionths, (double) at, 1);
            assertTrue(pace.onInput(at - 2) < due);
            assertTrue(pace.onInput(at + 1) >= due);
        }
    }
}
