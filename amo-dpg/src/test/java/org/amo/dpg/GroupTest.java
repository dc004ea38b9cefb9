package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Some sites on a bus that gives all PDUs one order, in virtual time. A site runs when a PDU comes and when its next deadline has
 * come, and at no other time: a deadline that is told too late, or not at all, stops it.
 */
class GroupTest {
    private static final long DELAY_MICROS = 100;
    private static final int SITES = 4;
    private static final int BODY_BYTES = 8;

    /** Something that happens at a time; of the same time, in the order in which it was asked for. */
    private record Event(long atMicros, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atMicros, other.atMicros);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final List<Place> places = new ArrayList<>();
    private final Random random = new Random(20_261_123);
    private double loss;
    private long nowMicros;
    private long asked;
    private long sent;

    private void after(long micros, Runnable action) {
        events.add(new Event(nowMicros + micros, asked++, action));
    }

    private void run(long micros) {
        long end = nowMicros + micros;
        while (!events.isEmpty() && events.peek().atMicros <= end) {
            Event event = events.remove();
            nowMicros = event.atMicros;
            event.action.run();
        }
        nowMicros = end;
    }

    /** One site, and what it was given. */
    private final class Place implements DpgEffects {
        private final OwnMessages own;
        private final DpgSite site;
        private final List<String> delivered = new ArrayList<>();
        private final List<String> undetermined = new ArrayList<>();
        private int dummies;
        private int segments;
        private long heard;
        private boolean broken = true;
        private boolean connected = true;
        private long tickAtMicros = Long.MAX_VALUE;

        Place(int index, DpgOptions.Builder options, OwnMessages own) {
            this.own = own;
            long[] spell = {0};
            site = new DpgSite(options.ownMessages(own).build(), () -> 100 * ++spell[0] + index, this, nowMicros);
            schedule();
        }

        private void schedule() {
            long due = Math.max(nowMicros, site.nextDeadline());
            if (due < tickAtMicros) {
                tickAtMicros = due;
                after(due - nowMicros, () -> tick(due));
            }
        }

        private void tick(long due) {
            if (due == tickAtMicros) {
                tickAtMicros = Long.MAX_VALUE;
                site.onTick(nowMicros);
                schedule();
            }
        }

        void submit(String text) {
            assertTrue(site.submit(text.getBytes(StandardCharsets.US_ASCII), nowMicros), text);
            schedule();
        }

        /** The number shows a PDU that was lost. */
        private void numbered(long number) {
            broken |= heard + 1 < number;
            heard = number;
        }

        private void receive(long number, Consumer<DpgSite> pdu) {
            if (connected && random.nextDouble() >= loss) {
                numbered(number);
                pdu.accept(site);
                schedule();
            }
        }

        @Override
        public void multicast(Message message) {
            long number = ++sent;
            for (Place each : places) {
                boolean mine = each == this;
                if (!connected && !mine) {
                    continue;
                }
                after(DELAY_MICROS, () -> {
                    if (mine && own != OwnMessages.LOOPED_BACK) {
                        // The site does not hear itself: with SUSPENDED it takes the number for its own, else for a
                        // loss.
                        each.broken |= own == OwnMessages.MISSED;
                        each.heard = number;
                        return;
                    }
                    each.receive(number, site -> {
                        site.onMessage(message, !each.broken, nowMicros);
                        each.broken = false;
                    });
                });
            }
        }

        @Override
        public void multicast(Report report) {
            long number = ++sent;
            for (Place each : places) {
                if (connected || each == this) {
                    after(DELAY_MICROS, () -> each.receive(number, site -> site.onReport(report, nowMicros)));
                }
            }
        }

        @Override
        public void beginSegment(Tag after) {
            segments++;
        }

        @Override
        public void deliver(Tag tag, byte[] body) {
            delivered.add(new String(body, StandardCharsets.US_ASCII));
        }

        @Override
        public void deliverDummy(Tag tag) {
            dummies++;
        }

        @Override
        public void undetermined(Message message) {
            undetermined.add(new String(message.body(), StandardCharsets.US_ASCII));
        }
    }

    private static DpgOptions.Builder options() {
        return DpgOptions.builder()
                .maxBodyBytes(BODY_BYTES)
                .reportMicros(5_000)
                .deliveryMicros(60_000, 300_000)
                .retrievalMicros(20_000)
                .absence(100_000, 4)
                .flowControl(500, 50_000, 200, 5_000);
    }

    private void join(OwnMessages own) {
        for (int i = 1; i <= SITES; i++) {
            places.add(new Place(i, options(), own));
        }
        run(300_000);
        places.forEach(place -> assertTrue(place.site.isAnchored()));
    }

    private List<String> send(int messages, long everyMicros) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            String text = "m" + sent + "-" + i;
            texts.add(text);
            places.get(i % SITES).submit(text);
            run(everyMicros);
        }
        return texts;
    }

    private void assertAllDeliveredOneOrder(List<String> texts) {
        for (Place place : places) {
            assertEquals(places.get(0).delivered, place.delivered);
            assertEquals(0, place.dummies);
            assertEquals(List.of(), place.undetermined);
            assertEquals(0, place.site.vertices(), "all is incorporated");
            assertEquals(place.delivered.size(), place.site.counters().delivered());
            assertEquals(0, place.site.counters().contradictions());
        }
        List<String> sorted = new ArrayList<>(places.get(0).delivered);
        sorted.sort(null);
        List<String> expected = new ArrayList<>(texts);
        expected.sort(null);
        assertEquals(expected, sorted);
    }

    @ParameterizedTest
    @EnumSource
    void onABusThatLosesNothingAllDeliverTheOrderOfTheBus(OwnMessages own) {
        join(own);
        List<String> texts = send(200, 2_000);
        run(1_000_000);
        assertAllDeliveredOneOrder(texts);
        assertEquals(texts, places.get(0).delivered, "one message at a time is in the order in which it was sent");
        for (Place place : places) {
            assertEquals(1, place.segments);
            DpgCounters counters = place.site.counters();
            assertEquals(200, counters.marked() + counters.adopted() + counters.forced());
            assertTrue(own == OwnMessages.MISSED || counters.marked() > 100, "marked: " + counters.marked());
            assertTrue(place.site.bodies() <= 1, "all sites have delivered all bodies; the last one stays");
            assertTrue(place.site.isInSyncWith(places.get(0) == place ? 102 : 101));
        }
        if (own == OwnMessages.LOOPED_BACK) {
            places.forEach(
                    place -> assertTrue(place.site.counters().forced() <= 1, "only the first message follows nothing"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void withLossesAllDeliverAllBodiesInOneOrder(OwnMessages own) {
        join(own);
        loss = 0.1;
        List<String> texts = send(200, 2_000);
        loss = 0;
        run(2_000_000);
        assertAllDeliveredOneOrder(texts);
        long again = places.stream()
                .mapToLong(place -> place.site.counters().remulticast())
                .sum();
        assertTrue(again > 10, "bodies sent again: " + again);
        places.forEach(place -> assertEquals(1, place.segments));
    }

    /** A site that is cut off for longer than an absence goes on alone, is told otherwise and begins a segment of the others' order. */
    @Test
    void aSiteThatWasCutOffDeliversTheOthersOrderAgain() {
        join(OwnMessages.LOOPED_BACK);
        Place cut = places.get(3);
        send(40, 2_000);
        run(300_000);
        cut.connected = false;
        for (int i = 0; i < 60; i++) {
            places.get(i % 3).submit("c" + i);
            run(5_000);
        }
        int before = cut.delivered.size();
        cut.connected = true;
        run(1_000_000);
        assertTrue(cut.segments > 1, "it began anew");
        assertTrue(cut.site.counters().returns() > 0);
        int from = places.get(0).delivered.size();
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < 80; i++) {
            texts.add("d" + i);
            places.get(i % SITES).submit("d" + i);
            run(2_000);
        }
        run(1_000_000);
        for (Place place : places) {
            List<String> last = place.delivered.subList(place.delivered.size() - texts.size(), place.delivered.size());
            assertEquals(texts, last);
            assertEquals(0, place.site.vertices());
        }
        assertEquals(from + texts.size(), places.get(0).delivered.size());
        assertTrue(cut.delivered.size() - before >= texts.size());
    }

    /** A site whose neighbours all go decides by itself, and those that come back follow the greater camp. */
    @Test
    void aSiteThatIsLeftAloneGoesOnByItself() {
        join(OwnMessages.LOOPED_BACK);
        send(20, 2_000);
        run(300_000);
        places.subList(1, SITES).forEach(place -> place.connected = false);
        run(300_000);
        Place alone = places.get(0);
        int before = alone.delivered.size();
        for (int i = 0; i < 10; i++) {
            alone.submit("a" + i);
            run(20_000);
        }
        run(500_000);
        assertEquals(before + 10, alone.delivered.size());
        assertEquals(0, alone.site.vertices());
    }
}
