package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Section 4.4, row D9: reports by turns, at a rate of the whole group. */
class HeartbeatTest {
    private static final long REPORT = 8_000;
    private static final DpgOptions OPTIONS =
            DpgOptions.builder().reportMicros(REPORT).build();

    private final List<Heartbeat> group = new ArrayList<>();
    private final long[] reports = new long[100];
    private final long[] last = new long[100];
    private long longest;

    private void group(int count) {
        for (int i = 0; i < count; i++) {
            Sites sites = new Sites(OPTIONS, 0);
            for (int other = 0; other < count; other++) {
                if (other != i) {
                    sites.heard(1 + other, 0, 0);
                }
            }
            group.add(new Heartbeat(
                    new SiteContext(OPTIONS, new RecordedEffects(), new SpellParts(), 0), sites, 1 + i, 0));
            group.get(i).onSent(0);
        }
    }

    /** @param waives whether a site has something to tell whoever reported */
    private void run(long micros, java.util.function.IntPredicate waives) {
        for (long now = 0; now < micros; now += 100) {
            for (int i = 0; i < group.size(); i++) {
                if (now >= group.get(i).dueMicros()) {
                    reports[i]++;
                    longest = Math.max(longest, now - last[i]);
                    last[i] = now;
                    group.get(i).onSent(now);
                    for (int other = 0; other < group.size(); other++) {
                        if (other != i) {
                            group.get(other).onReport(1 + i, waives.test(other), false, now);
                        }
                    }
                }
            }
        }
    }

    private long total() {
        long sum = 0;
        for (long each : reports) {
            sum += each;
        }
        return sum;
    }

    /** "Maintain a uniform 'report' PDU cycle throughout the group", where every site knows something that the others lack. */
    @Test
    void howeverManySitesLackSomethingReportsComeTwiceInACycleAtMost() {
        group(50);
        run(2_000_000, site -> true);
        assertTrue(total() <= 2 * 2_000_000 / REPORT + 50, total() + " reports");
        assertTrue(total() >= 2_000_000 / REPORT, total() + " reports");
    }

    @Test
    void aSiteThatHasNothingNewReportsOnceInARoundAndATurnThoughOthersAlwaysHave() {
        group(20);
        run(2_000_000, site -> site != 7);
        long turns = (REPORT + REPORT / 8) * (20 + 1);
        assertTrue(longest <= turns + 100, longest + " us without a report, a round and a turn being " + turns);
    }

    @Test
    void whatWasChosenHereIsToldSoonWhoeverReports() {
        group(5);
        Heartbeat heartbeat = group.get(2);
        heartbeat.onReport(2, false, false, 100);
        heartbeat.onChosen(200);
        assertEquals(REPORT / 2, heartbeat.dueMicros());
        heartbeat.onReport(1, false, false, 300);
        assertEquals(REPORT / 2, heartbeat.dueMicros());
    }

    @Test
    void whoDoesNotMeetAnotherDoesNotWaitForThirdOnes() {
        group(5);
        Heartbeat heartbeat = group.get(2);
        heartbeat.onReport(2, true, true, 100);
        long due = heartbeat.dueMicros();
        heartbeat.onReport(1, false, false, 300);
        assertEquals(due, heartbeat.dueMicros());
    }

    /** Reports of others delay this site's for a round at most. */
    @Test
    void aRoundIsATurnForEachSiteAndOneMore() {
        group(3);
        group.get(0).onReport(2, false, false, 100 * REPORT);
        assertEquals((REPORT + REPORT / 8) * 4, group.get(0).dueMicros());
    }
}
