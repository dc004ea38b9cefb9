package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.amo.base.ClientId;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.reply.RecordMemory;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.request.RequestId.Space;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;

/** Row 7 between clients and principals: a greedy one gets its share, the others find room. */
final class FairnessTest {
    private static final long START = 1_000_000;
    private static final long NOW = START + 5_000;
    private static final long DEADLINE = NOW + 50_000;
    private static final Principal GREEDY = Principal.address(new byte[] {10, 0, 0, 1});
    private static final Principal HONEST = Principal.address(new byte[] {10, 0, 0, 2});
    private static final ClientId GREEDY_CLIENT = new ClientId(1, 1);

    /** Body 8 and allowance 92: an entry is charged 100 bytes. */
    private static final int CHARGE = 100;

    private DecisionTable table = started(builder());

    // ---------------------------------------------------------------- bytes

    /** The row of the issue in small: a client that never acknowledges, then all others. */
    @Test
    void aClientThatNeverAcknowledgesLeavesRoomForTheOthers() {
        Map<Decision, Integer> greedy = new EnumMap<>(Decision.class);
        for (int number = 1; number <= 60_000; number++) {
            greedy.merge(decide(own(GREEDY_CLIENT, number), GREEDY), 1, Integer::sum);
        }
        assertEquals(5_715, greedy.get(Decision.EXECUTE), "four sevenths of 10,000 entries");
        assertEquals(60_000 - 5_715, greedy.get(Decision.NO_CLIENT_BYTES));
        for (int call = 1; call <= 60_000; call++) {
            // A thousand others, one call each at a time, of its principal and of another.
            ClientId client = new ClientId(2, call % 1_000);
            int number = 1 + call / 1_000;
            assertEquals(Decision.EXECUTE, decide(own(client, number), call % 2 == 0 ? GREEDY : HONEST));
            table.finished(client, FinishedNumbers.of(number));
        }
        assertEquals(Decision.NO_CLIENT_BYTES, decide(own(GREEDY_CLIENT, 60_001), GREEDY), "still");
    }

    @Test
    void aPrincipalWithManyClientsLeavesAThirdToTheOthers() {
        int held = 0;
        for (int client = 0; client < 60_000; client++) {
            held += decide(own(new ClientId(3, client), 1), GREEDY) == Decision.EXECUTE ? 1 : 0;
        }
        assertEquals(6_667, held);
        int newcomer = 0;
        while (decide(own(new ClientId(4, 1), newcomer + 1), HONEST) == Decision.EXECUTE) {
            newcomer++;
        }
        assertTrue(newcomer > 1_900, newcomer + " entries of a newcomer");
        assertEquals(Decision.NO_PRINCIPAL_BYTES, decide(own(new ClientId(3, 70_000), 1), GREEDY));
    }

    @Test
    void thirtyGreedyPrincipalsDoNotTakeTheLastOfIt() {
        for (int round = 1; round <= 2_000; round++) {
            for (int each = 0; each < 30; each++) {
                decide(own(new ClientId(5, each), round), new Principal(1_000 + each));
            }
        }
        for (int number = 1; number <= 20; number++) {
            assertEquals(Decision.EXECUTE, decide(own(new ClientId(6, 1), number), HONEST));
        }
    }

    @Test
    void acknowledgementsGiveTheShareBack() {
        while (decide(own(GREEDY_CLIENT, next++), GREEDY) == Decision.EXECUTE) {}
        table.finished(GREEDY_CLIENT, FinishedNumbers.of(100));
        assertEquals(Decision.EXECUTE, decide(own(GREEDY_CLIENT, next), GREEDY));
    }

    private int next = 1;

    @Test
    void expiryGivesTheShareBack() {
        while (decide(own(GREEDY_CLIENT, next++), GREEDY) == Decision.EXECUTE) {}
        table.advance(DEADLINE + 10 + 1);
        assertEquals(
                Decision.EXECUTE,
                decide(own(GREEDY_CLIENT, next, table.orderedTimeMillis(), table.orderedTimeMillis() + 100), GREEDY));
    }

    @Test
    void aWeightMultipliesTheShareOfAPrincipal() {
        table = started(builder().weight(GREEDY, 4));
        int held = 0;
        for (int client = 0; client < 12_000; client++) {
            held += decide(own(new ClientId(3, client), 1), GREEDY) == Decision.EXECUTE ? 1 : 0;
        }
        assertEquals(8_889, held, "eight ninths");
    }

    @Test
    void aForeignPrincipalThatInventsIdsLeavesRoomToOthers() {
        for (int client = 0; client < 60_000; client++) {
            decide(foreign(new ClientId(7, client), 1), GREEDY);
        }
        assertEquals(Decision.NO_PRINCIPAL_BYTES, decide(foreign(new ClientId(7, 90_000), 1), GREEDY));
        for (int id = 1; id <= 500; id++) {
            assertEquals(Decision.EXECUTE, decide(foreign(new ClientId(8, 1), id), HONEST));
        }
        assertEquals(Decision.EXECUTE, decide(own(new ClientId(9, 1), 1), GREEDY), "own clients have another budget");
    }

    @Test
    void oneForeignClientLeavesRoomToThoseOfItsOwnPrincipal() {
        for (int id = 1; id <= 60_000; id++) {
            decide(foreign(GREEDY_CLIENT, id), GREEDY);
        }
        assertEquals(Decision.NO_CLIENT_BYTES, decide(foreign(GREEDY_CLIENT, 70_000), GREEDY));
        assertEquals(Decision.EXECUTE, decide(foreign(new ClientId(8, 1), 1), GREEDY));
    }

    /** A record is charged to the principal that made it: another address of the same client changes nothing. */
    @Test
    void aClientKeepsThePrincipalOfItsFirstRequest() {
        decide(own(GREEDY_CLIENT, 1), GREEDY);
        for (int number = 2; number <= 60_000; number++) {
            decide(own(GREEDY_CLIENT, number), new Principal(number));
        }
        assertEquals(5_715, table.entries());
    }

    // ---------------------------------------------------------------- records and ranges

    @Test
    void aPrincipalThatOpensAMillionIdsDoesNotLockOutTheOthers() {
        table = started(builder().maxClients(1_000).budgetBytes(1L << 40));
        Map<Decision, Integer> greedy = new EnumMap<>(Decision.class);
        for (int client = 0; client < 1_000_000; client++) {
            greedy.merge(decide(own(new ClientId(3, client), 1), GREEDY), 1, Integer::sum);
        }
        assertEquals(667, greedy.get(Decision.EXECUTE));
        assertEquals(1_000_000 - 667, greedy.get(Decision.NO_PRINCIPAL_CLIENTS));
        for (int client = 0; client < 200; client++) {
            assertEquals(Decision.EXECUTE, decide(own(new ClientId(4, client), 1), HONEST));
        }
        assertEquals(Decision.EXECUTE, decide(own(new ClientId(3, 5), 2), GREEDY), "known clients go on");
    }

    @Test
    void ownAndForeignClientsOfAPrincipalAreCountedTogether() {
        table = started(builder().maxClients(9));
        for (int client = 0; client < 3; client++) {
            decide(own(new ClientId(3, client), 1), GREEDY);
            decide(foreign(new ClientId(4, client), 1), GREEDY);
        }
        assertEquals(Decision.NO_PRINCIPAL_CLIENTS, decide(own(new ClientId(3, 9), 1), GREEDY));
        assertEquals(Decision.NO_PRINCIPAL_CLIENTS, decide(foreign(new ClientId(4, 9), 1), GREEDY));
        assertEquals(Decision.EXECUTE, decide(foreign(new ClientId(5, 9), 1), HONEST));
    }

    /** Forged acknowledgements of numbers never used are ranges, and ranges are bytes. */
    @Test
    void rangesOfNumbersNeverSeenTakeOfTheShareAndOfNothingElse() {
        table = started(builder().budgetBytes(70_000).maxRangesPerClient(1_000_000));
        decide(own(GREEDY_CLIENT, 1), GREEDY);
        for (int number = 10; number < 40_000; number += 2) {
            table.finished(GREEDY_CLIENT, FinishedNumbers.of(0, number, number));
        }
        assertTrue(
                table.resolvedRanges() > 1_000 && table.resolvedRanges() < 1_300, table.resolvedRanges() + " ranges");
        assertEquals(Decision.EXECUTE, decide(own(new ClientId(4, 1), 1), HONEST));
        assertEquals(2, table.entries());
        table.finished(GREEDY_CLIENT, FinishedNumbers.of(1));
        assertEquals(1, table.entries(), "an acknowledgement of a live number is always taken");
    }

    // ---------------------------------------------------------------- calls a second

    @Test
    void aClientMakesNoMoreCallsASecondThanAllowedInOrderedTime() {
        table = started(builder().clientCallsPerSecond(100));
        assertEquals(100, accepted(GREEDY_CLIENT, GREEDY), "a bucket holds those of a second");
        assertEquals(Decision.NO_CLIENT_RATE, decide(own(GREEDY_CLIENT, next), GREEDY));
        assertEquals(Decision.EXECUTE, decide(own(new ClientId(2, 2), 1), GREEDY));
        table.advance(NOW + 500);
        assertEquals(50, accepted(GREEDY_CLIENT, GREEDY));
        table.advance(NOW + 60_000 - 20_000);
        assertEquals(100, accepted(GREEDY_CLIENT, GREEDY));
    }

    @Test
    void aPrincipalMakesNoMoreCallsASecondThanAllowedTimesItsWeight() {
        table = started(builder().principalCallsPerSecond(10).weight(HONEST, 3));
        for (int client = 0; client < 10; client++) {
            assertEquals(Decision.EXECUTE, decide(own(new ClientId(3, client), 1), GREEDY));
        }
        assertEquals(Decision.NO_PRINCIPAL_RATE, decide(own(new ClientId(3, 99), 1), GREEDY));
        assertEquals(Decision.NO_PRINCIPAL_RATE, decide(foreign(new ClientId(3, 99), 1), GREEDY));
        assertEquals(30, accepted(new ClientId(4, 1), HONEST));
    }

    private int accepted(ClientId client, Principal principal) {
        int accepted = 0;
        while (true) {
            long time = table.orderedTimeMillis();
            if (decide(own(client, next, time, time + 1_000), principal) != Decision.EXECUTE) {
                return accepted;
            }
            next++;
            accepted++;
        }
    }

    // ---------------------------------------------------------------- replicated state

    /** Shares and buckets come back from a snapshot as they were, or members would decide apart. */
    @Property(tries = 30)
    void aTableReadFromItsSnapshotDecidesAsTheTableItself(@ForAll long seed) {
        Random random = new Random(seed);
        table = started(builder()
                .budgetBytes(3_000)
                .foreignBudgetBytes(2_000)
                .maxClients(12)
                .maxRangesPerClient(20)
                .clientCallsPerSecond(random.nextBoolean() ? 0 : 40)
                .principalCallsPerSecond(random.nextBoolean() ? 0 : 60)
                .weight(HONEST, 1 + random.nextInt(3)));
        Optional<DecisionTable> other = Optional.empty();
        for (int step = 0; step < 600; step++) {
            if (random.nextInt(50) == 0) {
                byte[] bytes = written(table);
                DecisionTable restored = new DecisionTable(RecordMemory.heap(random.nextLong()));
                restored.restore(new WireReader("snapshot", bytes));
                other = Optional.of(restored);
                assertArrayEquals(bytes, written(other.get()));
            }
            ClientId client = new ClientId(0, random.nextInt(10));
            Principal principal = new Principal(random.nextInt(3));
            long time = table.orderedTimeMillis();
            switch (random.nextInt(6)) {
                case 0 -> {
                    long stamp = time + random.nextInt(80);
                    table.advance(stamp);
                    other.ifPresent(same -> same.advance(stamp));
                }
                case 1 -> {
                    int number = 2 + random.nextInt(60);
                    FinishedNumbers finished = FinishedNumbers.of(0, number, number);
                    table.finished(client, finished);
                    other.ifPresent(same -> same.finished(client, finished));
                }
                case 2 -> {
                    Request request = foreign(client, 1 + random.nextInt(50));
                    Decision decision = table.decide(request, principal);
                    other.ifPresent(same -> assertEquals(decision, same.decide(request, principal)));
                }
                default -> {
                    int number = 1 + random.nextInt(60);
                    boolean oneway = random.nextInt(4) == 0;
                    Request request =
                            new Request(RequestId.own(client, number), time, time + 200, number, oneway, new byte[8]);
                    Decision decision = table.decide(request, principal);
                    other.ifPresent(same -> assertEquals(decision, same.decide(request, principal)));
                }
            }
        }
        other.ifPresent(same -> assertArrayEquals(written(table), written(same)));
    }

    /** No refusal leaves a trace, whatever it is for. */
    @Test
    void aRefusalChangesNothing() {
        table = started(builder().principalCallsPerSecond(10_000));
        while (decide(own(GREEDY_CLIENT, next++), GREEDY) == Decision.EXECUTE) {}
        byte[] before = written(table);
        for (int number = next; number < next + 500; number++) {
            assertEquals(
                    Optional.of(Budget.CLIENT_BYTES),
                    decide(own(GREEDY_CLIENT, number), GREEDY).budget());
        }
        assertArrayEquals(before, written(table));
        table.finished(GREEDY_CLIENT, FinishedNumbers.of(2));
        assertEquals(Decision.EXECUTE, decide(own(GREEDY_CLIENT, next), GREEDY));
    }

    private static byte[] written(DecisionTable table) {
        WireWriter writer = new WireWriter(1_024);
        table.write(writer);
        return writer.toBytes();
    }

    private Decision decide(Request request, Principal principal) {
        return table.decide(request, principal);
    }

    private static Request own(ClientId client, long number) {
        return own(client, number, NOW, DEADLINE);
    }

    private static Request own(ClientId client, long number, long timestamp, long deadline) {
        return new Request(RequestId.own(client, number), timestamp, deadline, number, false, new byte[8]);
    }

    private static Request foreign(ClientId client, long id) {
        return new Request(
                new RequestId(Space.FOREIGN, client, id), DEADLINE - 120_000, DEADLINE, id, false, new byte[8]);
    }

    private static GroupParameters.Builder builder() {
        return GroupParameters.builder()
                .skewMillis(10)
                .retentionMillis(120_000)
                .lifeMillis(300_000)
                .defaultDeadlineMillis(60_000)
                .replyAllowanceBytes(CHARGE - 8)
                .budgetBytes(10_000 * CHARGE)
                .foreignBudgetBytes(10_000 * CHARGE);
    }

    private static DecisionTable started(GroupParameters.Builder parameters) {
        DecisionTable made = new DecisionTable();
        made.start(START, parameters.build());
        made.advance(NOW);
        return made;
    }
}
