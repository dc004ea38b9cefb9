package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.amo.base.ClientId;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.request.RequestId.Space;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.sack.NumberRanges;

/** What holds for every sequence of ordered inputs. The seed that a failure prints reproduces it alone. */
final class DecisionTablePropertyTest {
    private static final int STEPS = 250;
    private static final long START = 1_000_000;

    /** Small enough that every budget, bound and gap is met within some hundred steps. */
    private static final GroupParameters PARAMETERS = GroupParameters.builder()
            .retentionMillis(100)
            .skewMillis(10)
            .lifeMillis(150)
            .defaultDeadlineMillis(50)
            .budgetBytes(1_000)
            .foreignBudgetBytes(300)
            .replyAllowanceBytes(60)
            .maxClients(4)
            .maxEntriesPerClient(6)
            .maxRangesPerClient(3)
            .build();

    @Property(tries = 60)
    void aTableRestoredFromSnapshotsAndCompletedInAnotherOrderDecidesAndWritesTheSame(@ForAll long seed) {
        Random random = new Random(seed);
        Inputs inputs = new Inputs(random);
        DecisionTable straight = started();
        DecisionTable restored = started();
        List<Request> openStraight = new ArrayList<>();
        List<Request> openRestored = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            Input input = inputs.next(straight.orderedTimeMillis());
            String outcome = apply(straight, input, openStraight);
            int at = step;
            assertEquals(outcome, apply(restored, input, openRestored), () -> "step " + at + " " + input);
            assertEquals(straight.nextWakeMillis(), restored.nextWakeMillis(), () -> "ticks at step " + at);
            completeSome(straight, openStraight, random.nextInt(4));
            completeSome(restored, openRestored, random.nextInt(4));
            if (random.nextInt(10) == 0) {
                // Replies are the only local fact: with all executions ended the bytes must be equal.
                completeSome(straight, openStraight, openStraight.size());
                completeSome(restored, openRestored, openRestored.size());
                byte[] snapshot = write(straight);
                assertArrayEquals(snapshot, write(restored), "snapshot at step " + step);
                restored = new DecisionTable();
                restored.restore(new WireReader("snapshot", snapshot));
                assertEquals(straight.replyBytes(), restored.replyBytes());
                assertEquals(straight.entries(), restored.entries());
                assertEquals(straight.clients(), restored.clients());
                assertEquals(straight.resolvedRanges(), restored.resolvedRanges());
            }
        }
    }

    /** The model never forgets: it holds every id that ever ran, and every id of which EXPIRED was said. */
    @Property(tries = 100)
    void noIdRunsTwiceAndWhatWasCalledExpiredNeverRuns(@ForAll long seed) {
        Random random = new Random(seed);
        Inputs inputs = new Inputs(random);
        DecisionTable table = started();
        Set<RequestId> executed = new HashSet<>();
        Set<RequestId> expired = new HashSet<>();
        for (int step = 0; step < STEPS; step++) {
            Input input = inputs.next(table.orderedTimeMillis());
            table.advance(input.stampMillis);
            table.finished(input.client, input.finished);
            for (Request request : input.requests) {
                switch (table.decide(request, Principal.UNKNOWN)) {
                    case EXECUTE -> {
                        assertTrue(executed.add(request.id()), () -> "ran twice: " + request.id());
                        assertFalse(expired.contains(request.id()), () -> "ran after EXPIRED: " + request.id());
                    }
                    case EXPIRED -> {
                        expired.add(request.id());
                        assertFalse(executed.contains(request.id()), () -> "EXPIRED after it ran: " + request.id());
                    }
                    case LIVE ->
                        assertTrue(executed.contains(request.id()), () -> "LIVE and never ran: " + request.id());
                    default -> {}
                }
            }
        }
    }

    @Property(tries = 40)
    void whenTimeGoesOnEverythingIsForgottenAndStillRefused(@ForAll long seed) {
        Random random = new Random(seed);
        Inputs inputs = new Inputs(random);
        DecisionTable table = started();
        List<Request> all = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            Input input = inputs.next(table.orderedTimeMillis());
            apply(table, input, new ArrayList<>());
            all.addAll(input.requests);
        }
        int ticks = 0;
        for (long at = table.nextWakeMillis(); at != Long.MAX_VALUE; at = table.nextWakeMillis()) {
            assertTrue(at > table.orderedTimeMillis(), "a tick that changes nothing");
            table.advance(at);
            assertTrue(++ticks < 1_000, "ticks without end");
        }
        assertEquals(0, table.entries());
        assertEquals(0, table.clients());
        assertEquals(0, table.resolvedRanges());
        table.advance(table.orderedTimeMillis() + 2 * PARAMETERS.retentionMillis());
        for (Request request : all) {
            assertTrue(
                    table.decide(request, Principal.UNKNOWN).refusal().isPresent(),
                    () -> "runs after all was forgotten: " + request.id());
        }
    }

    private static DecisionTable started() {
        DecisionTable table = new DecisionTable();
        table.start(START, PARAMETERS);
        return table;
    }

    private static String apply(DecisionTable table, Input input, List<Request> open) {
        table.advance(input.stampMillis);
        table.finished(input.client, input.finished);
        StringBuilder decisions = new StringBuilder();
        for (Request request : input.requests) {
            Decision decision = table.decide(request, Principal.UNKNOWN);
            decisions.append(decision).append(' ');
            if (decision == Decision.EXECUTE) {
                open.add(request);
            }
        }
        return decisions
                .append(table.upperMillis())
                .append(' ')
                .append(table.maxRanges())
                .toString();
    }

    /** Executions end in order; the reply follows from the request, as it must be equal everywhere. */
    private static void completeSome(DecisionTable table, List<Request> open, int count) {
        for (int i = 0; i < count && !open.isEmpty(); i++) {
            Request request = open.remove(0);
            table.complete(request, new byte[(int) (request.id().number() % 40)]);
        }
    }

    private static byte[] write(DecisionTable table) {
        WireWriter writer = new WireWriter(256);
        table.write(writer);
        return writer.toBytes();
    }

    private record Input(long stampMillis, ClientId client, FinishedNumbers finished, List<Request> requests) {}

    /** Clients that number their calls, repeat old ones at any time, and finish numbers of all kinds. */
    private static final class Inputs {
        private static final ClientId[] CLIENTS = {
            new ClientId(1, 1), new ClientId(2, 2), new ClientId(3, 3), new ClientId(4, 4), new ClientId(5, 5)
        };

        private final Random random;
        private final Map<RequestId, Request> sent = new HashMap<>();
        private final List<Request> history = new ArrayList<>();
        private final Map<ClientId, NumberRanges> finished = new HashMap<>();
        private final Map<ClientId, Long> numbers = new HashMap<>();

        Inputs(Random random) {
            this.random = random;
        }

        Input next(long orderedTime) {
            int pace = random.nextInt(12);
            long stamp = orderedTime + (pace == 0 ? 60 + random.nextInt(120) : pace < 3 ? -5 : random.nextInt(8));
            ClientId client = CLIENTS[random.nextInt(CLIENTS.length)];
            List<Request> requests = new ArrayList<>();
            for (int i = random.nextInt(3); i >= 0; i--) {
                requests.add(
                        history.isEmpty() || random.nextInt(3) > 0
                                ? fresh(client, Math.max(stamp, orderedTime))
                                : history.get(random.nextInt(history.size())));
            }
            return new Input(stamp, client, finished(client), requests);
        }

        private Request fresh(ClientId client, long now) {
            boolean foreign = random.nextInt(5) == 0;
            long expiration = now + random.nextInt(160);
            long timestamp = foreign ? expiration - PARAMETERS.retentionMillis() : now + random.nextInt(24) - 12;
            long deadline = foreign ? expiration : timestamp + (random.nextInt(6) == 0 ? 400 : random.nextInt(60));
            long number = foreign ? random.nextInt(1 << 20) : numbers.merge(client, 1L + random.nextInt(2), Long::sum);
            RequestId id = new RequestId(foreign ? Space.FOREIGN : Space.OWN, client, number);
            return sent.computeIfAbsent(id, key -> {
                Request request = new Request(
                        id, timestamp, deadline, number, random.nextInt(6) == 0, new byte[random.nextInt(60)]);
                history.add(request);
                return request;
            });
        }

        /** Genuine ones, forged ones ahead of the last number, and none. */
        private FinishedNumbers finished(ClientId client) {
            long last = numbers.getOrDefault(client, 0L);
            if (last == 0 || random.nextInt(3) == 0) {
                return FinishedNumbers.NONE;
            }
            NumberRanges ranges = finished.computeIfAbsent(client, key -> new NumberRanges());
            for (int i = random.nextInt(3); i > 0; i--) {
                long first = Math.max(1, last + random.nextInt(10) - 8);
                ranges.add(first, first + random.nextInt(3));
            }
            return ranges.toFinished(random.nextInt(5), 1 + random.nextInt(5));
        }
    }
}
