package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.LongStream;
import org.amo.dpg.Report.SiteStatus;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Inputs and deadlines of a site that is alone with one other. */
class DpgSiteTest {
    private static final long OTHER = 0xA0;
    private static final long CYCLE = 1_000;
    private static final long ABSENCE = 150_000;

    private final RecordedEffects effects = new RecordedEffects();
    private final List<Message> sent = effects.messages;
    private final List<Tag> delivered = effects.delivered;
    private long origins = 0xC0;
    private long now = 1_000_000;
    private long reports;
    private DpgSite site;

    @BeforeEach
    void startsAlone() {
        site = alone(options().graph(4, 16, 8));
    }

    private static DpgOptions.Builder options() {
        return DpgOptions.builder()
                .maxBodyBytes(10)
                .buffers(8, 3)
                .keptBuffers(6)
                .maxSites(2)
                .reportMicros(8_000)
                .deliveryMicros(60_000, 500_000)
                .absence(ABSENCE, 3)
                .flowControl(CYCLE, 10 * CYCLE, CYCLE, 4 * CYCLE);
    }

    private DpgSite alone(DpgOptions.Builder options) {
        DpgSite started = new DpgSite(options.build(), () -> origins++, effects, now);
        for (int i = 0; i < 30 && !started.isAnchored(); i++) {
            now += 5_000;
            started.onTick(now);
        }
        assertTrue(started.isAnchored());
        return started;
    }

    private static Message message(long origin, int number) {
        return new Message(new Tag(origin, number), new byte[] {(byte) number});
    }

    private Report report(long cycleMicros, List<Tag> order, List<Tag> vertices) {
        return report(OTHER, cycleMicros, order, vertices);
    }

    private Report report(long origin, long cycleMicros, List<Tag> order, List<Tag> vertices) {
        return new Report(
                origin,
                ++reports,
                SiteStatus.PLACED,
                now,
                cycleMicros,
                order,
                List.of(),
                Tag.ROOT,
                vertices,
                List.of(),
                List.of(),
                List.of());
    }

    @Test
    void messagesLeaveOneInAMessageCycle() {
        assertTrue(site.submit(new byte[1], now));
        assertEquals(1, sent.size());
        assertTrue(site.submit(new byte[1], now));
        assertEquals(1, sent.size());
        assertEquals(now + CYCLE, site.nextDeadline());
        site.onTick(now + CYCLE - 1);
        assertEquals(1, sent.size());
        site.onTick(now + CYCLE);
        assertEquals(2, sent.size());
        assertEquals(
                List.of(new Tag(site.origin(), 1), new Tag(site.origin(), 2)),
                sent.stream().map(Message::tag).toList());
    }

    @Test
    void theAdmissionBuffersHoldMessagesThatWaitAndThoseInFlight() {
        for (int i = 0; i < 3; i++) {
            assertTrue(site.submit(new byte[1], now), "message " + i);
        }
        assertFalse(site.submit(new byte[1], now));
        assertEquals(1, sent.size());
    }

    @Test
    void aReportRaisesTheMessageCycleAndQuietTimeLowersIt() {
        site.onReport(report(7 * CYCLE, List.of(Tag.ROOT), List.of()), now);
        assertEquals(7 * CYCLE, site.messageCycleMicros());
        site.onTick(now + 4 * CYCLE);
        assertTrue(site.messageCycleMicros() < 7 * CYCLE);
    }

    @Test
    void aReportThatIsNotNewerIsIgnored() {
        Report first = report(2 * CYCLE, List.of(Tag.ROOT), List.of());
        site.onReport(first, now);
        Report again = new Report(
                OTHER,
                first.number(),
                SiteStatus.PLACED,
                now,
                9 * CYCLE,
                List.of(Tag.ROOT),
                List.of(),
                Tag.ROOT,
                List.of(),
                List.of(),
                List.of(),
                List.of());
        site.onReport(again, now);
        assertEquals(2 * CYCLE, site.messageCycleMicros());
    }

    @Test
    void aMessageOutOfItsTurnBringsItsBody() {
        site.onReport(report(1, List.of(Tag.ROOT, new Tag(OTHER, 1)), List.of()), now);
        assertEquals(List.of(), delivered);
        site.onLateMessage(message(OTHER, 1), now);
        assertEquals(List.of(new Tag(OTHER, 1)), delivered);
    }

    @Test
    void messagesBeyondTheGraphAreAnOverflow() {
        for (int i = 1; i <= 4; i++) {
            site.onMessage(message(OTHER, i), false, now);
        }
        assertEquals(4, site.vertices());
        assertEquals(0, site.counters().overflows());
        site.onMessage(message(OTHER, 5), false, now);
        assertEquals(4, site.vertices());
        assertEquals(1, site.counters().overflows());
        assertTrue(site.submit(new byte[1], now));
        assertEquals(0, sent.size(), "a full graph sends nothing");
    }

    @Test
    void moreOriginsThanCanBeRememberedAreRefused() {
        for (int origin = 1; origin <= 8; origin++) {
            site.onMessage(message(origin, 1), false, now);
        }
        assertEquals(0, site.counters().refusedOrigins());
        site.onMessage(message(9, 1), false, now);
        assertEquals(1, site.counters().refusedOrigins());
    }

    /** A site adopts what others have incorporated whether or not there is room for its origin. */
    @Test
    void aMessageOfAnOriginWithoutRoomIsDeliveredOnce() {
        DpgSite crowded = alone(options().graph(64, 64, 32));
        List<Tag> others = LongStream.rangeClosed(1, 8)
                .mapToObj(origin -> new Tag(origin, 1))
                .toList();
        crowded.onReport(report(1, List.of(Tag.ROOT), others), now);
        Tag ninth = new Tag(9, 1);
        crowded.onReport(report(1, List.of(Tag.ROOT, ninth), List.of()), now);
        crowded.onLateMessage(message(9, 1), now);
        assertEquals(List.of(ninth), delivered);

        // The sequence that the site follows after an absence has the message still before it.
        now += 2 * ABSENCE;
        crowded.onTick(now);
        assertFalse(crowded.isAnchored());
        for (int i = 0; i < 6 && !crowded.isAnchored(); i++) {
            now += 7_000;
            crowded.onReport(report(1, List.of(new Tag(OTHER, 7)), List.of()), now);
        }
        assertTrue(crowded.isAnchored());
        crowded.onReport(report(1, List.of(new Tag(OTHER, 7), ninth), List.of()), now);
        crowded.onLateMessage(message(9, 1), now);
        assertEquals(List.of(ninth), delivered, "at most once in the life of a process");
    }

    @Test
    void aLongerPauseThanAnAbsenceBeginsANewSpellUnderAnotherOrigin() {
        long before = site.origin();
        now = Math.max(now, site.nextDeadline());
        site.onTick(now);
        site.onTick(now + ABSENCE);
        assertEquals(before, site.origin(), "as long as an absence is no absence");
        site.onTick(now + ABSENCE + ABSENCE + 1);
        assertEquals(before + 1, site.origin());
        assertFalse(site.isAnchored());
        assertEquals(1, site.counters().returns());
    }

    @Test
    void anOrderWithTheOwnOriginMakesAListenerDrawAnother() {
        site.onTick(now + 2 * ABSENCE);
        assertFalse(site.isAnchored());
        long before = site.origin();
        now += 2 * ABSENCE + 10_000;
        site.onReport(report(1, List.of(new Tag(before, 1)), List.of()), now);
        assertEquals(before + 1, site.origin());
    }

    /** Its PDUs may still come, also those of spells before the last one. */
    @Test
    void anEarlierSpellOfThisSiteIsNoOtherSite() {
        long first = site.origin();
        for (int spell = 0; spell < 2; spell++) {
            now += 2 * ABSENCE + 1;
            site.onTick(now);
            assertFalse(site.isAnchored());
            for (int i = 0; i < 60 && !site.isAnchored(); i++) {
                now += 5_000;
                site.onTick(now);
            }
            assertTrue(site.isAnchored());
        }
        assertEquals(first + 2, site.origin());
        for (long former = first; former < first + 2; former++) {
            site.onMessage(message(former, 1), false, now);
            assertFalse(site.isInSyncWith(former), "by a message");
            site.onReport(report(former, 1, List.of(Tag.ROOT), List.of()), now);
            assertFalse(site.isInSyncWith(former), "by a report");
        }
    }

    /** Own messages of the spell before may be on their way for an absence, and no site will tell where they lie. */
    @Test
    void aSiteThatBeganAnewSuspendsForAnAbsence() {
        DpgSite suspending = new DpgSite(
                DpgOptions.builder()
                        .reportMicros(8_000)
                        .deliveryMicros(60_000, 500_000)
                        .absence(ABSENCE, 3)
                        .ownMessages(OwnMessages.SUSPENDED)
                        .build(),
                () -> origins++,
                effects,
                now);
        for (int i = 0; i < 30 && !suspending.isAnchored(); i++) {
            now += 5_000;
            suspending.onTick(now);
        }
        assertTrue(suspending.isAnchored());
        long begun = now + 2 * ABSENCE;
        now = begun;
        suspending.onTick(now);
        assertFalse(suspending.isAnchored());
        for (int i = 0; i < 6 && !suspending.isAnchored(); i++) {
            now += 7_000;
            suspending.onReport(report(1, List.of(Tag.ROOT, new Tag(OTHER, 1)), List.of()), now);
        }
        assertTrue(suspending.isAnchored());
        suspending.onMessage(message(OTHER, 2), false, now);
        suspending.onMessage(message(OTHER, 3), true, now);
        assertTrue(suspending.arcs().stream().noneMatch(Arc::marked));
        while (now < begun + ABSENCE) {
            now += 7_000;
            suspending.onTick(now);
        }
        suspending.onMessage(message(OTHER, 4), true, now);
        suspending.onMessage(message(OTHER, 5), true, now);
        assertTrue(suspending.arcs().stream().anyMatch(Arc::marked));
    }

    @Test
    void reportsThatWereSentAreCounted() {
        int before = effects.reports.size();
        assertEquals(before, site.counters().reports());
        now += 20_000;
        site.onTick(now);
        assertEquals(before + 1, site.counters().reports());
        assertEquals(before + 1, effects.reports.size());
    }
}
