package org.amo.testkit.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.amo.testkit.check.Linearizability.Result;
import org.amo.testkit.history.HistoryCall;
import org.junit.jupiter.api.Test;

/** What the clients alone can tell. */
class LinearizabilityTest {

    @Test
    void overlappingCallsMayRunInEitherOrder() {
        assertResult(Result.YES, new Lines().deposit("c", "x", 5, 1, 9, 12).deposit("d", "x", 7, 2, 8, 7));
        assertResult(Result.YES, new Lines().deposit("c", "x", 5, 1, 9, 5).deposit("d", "x", 7, 2, 8, 12));
    }

    @Test
    void callsThatDoNotOverlapRunInTheirOrder() {
        assertResult(Result.NO, new Lines().deposit("c", "x", 5, 1, 2, 12).deposit("d", "x", 7, 3, 4, 7));
    }

    @Test
    void twoCallsCannotBothBeFirst() {
        assertResult(Result.NO, new Lines().deposit("c", "x", 5, 1, 9, 5).deposit("d", "x", 7, 2, 8, 7));
    }

    @Test
    void aDepositThatRanTwiceIsSeenInTheNextBalance() {
        assertResult(Result.NO, new Lines().deposit("c", "x", 5, 1, 2, 5).deposit("d", "x", 7, 3, 4, 17));
    }

    @Test
    void anUnknownCallMayRunLate() {
        Lines late = new Lines()
                .begin("u", "x", 100, 1)
                .info("u", 2)
                .deposit("c", "x", 5, 3, 4, 5)
                .deposit("d", "x", 5, 5, 6, 110);
        assertResult(Result.YES, late);
    }

    @Test
    void anUnknownCallMayNotRunBeforeItsBeginNorTwice() {
        assertResult(
                Result.NO,
                new Lines()
                        .deposit("c", "x", 5, 1, 2, 105)
                        .begin("u", "x", 100, 3)
                        .info("u", 4));
        assertResult(
                Result.NO,
                new Lines()
                        .begin("u", "x", 100, 1)
                        .info("u", 2)
                        .deposit("c", "x", 5, 3, 4, 105)
                        .deposit("d", "x", 5, 5, 6, 210));
    }

    @Test
    void aCallThatFailedDidNotRun() {
        assertResult(Result.NO, new Lines().begin("f", "x", 5, 1).fail("f", 2).deposit("c", "x", 5, 3, 4, 10));
    }

    @Test
    void manyCallsWithUnknownOnesAreDecidedSoon() {
        Lines lines = new Lines();
        long balance = 0;
        for (int i = 0; i < 12; i++) {
            lines.begin("u" + i, "x", 1_000_003L + i, i).info("u" + i, 20 + i);
        }
        for (int i = 0; i < 3_000; i++) {
            balance += 1;
            lines.deposit("c" + i, "x", 1, 100 + 2L * i, 101 + 2L * i, balance);
        }
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> assertResult(Result.YES, lines));
    }

    /** Brute force: all orders of few calls. */
    @Test
    void agreesWithTryingAllOrders() {
        Random random = new Random(7);
        Map<Result, Integer> seen = new HashMap<>();
        for (int round = 0; round < 2_000; round++) {
            Lines lines = new Lines();
            for (int i = 0; i < 4; i++) {
                long from = random.nextInt(8);
                long amount = 1 + random.nextLong(2);
                if (random.nextInt(4) == 0) {
                    lines.begin("u" + i, "x", amount, from).info("u" + i, from + 1);
                } else {
                    lines.deposit("c" + i, "x", amount, from, from + 1 + random.nextInt(6), 1 + random.nextInt(5));
                }
            }
            List<HistoryCall> calls = List.copyOf(lines.history().calls().values());
            Result expected = someOrderFits(calls, new ArrayList<>()) ? Result.YES : Result.NO;
            assertEquals(expected, decide(calls), lines.all().toString());
            seen.merge(expected, 1, Integer::sum);
        }
        assertEquals(2, seen.size(), "both answers were met: " + seen);
        assertEquals(true, Collections.min(seen.values()) > 50, seen.toString());
    }

    private static boolean someOrderFits(List<HistoryCall> calls, List<HistoryCall> order) {
        boolean allAnswered =
                calls.stream().allMatch(call -> call.outcome() != HistoryCall.Outcome.OK || order.contains(call));
        if (allAnswered && fits(order)) {
            return true;
        }
        for (HistoryCall call : calls) {
            if (!order.contains(call)) {
                List<HistoryCall> longer = new ArrayList<>(order);
                longer.add(call);
                if (someOrderFits(calls, longer)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean fits(List<HistoryCall> order) {
        long balance = 0;
        for (int i = 0; i < order.size(); i++) {
            HistoryCall call = order.get(i);
            for (HistoryCall later : order.subList(i + 1, order.size())) {
                if (later.outcome() == HistoryCall.Outcome.OK
                        && later.endNanos().getAsLong() < call.startNanos().getAsLong()) {
                    return false;
                }
            }
            balance += (Long) call.arguments().orElseThrow().get(1);
            if (call.outcome() == HistoryCall.Outcome.OK
                    && !call.value().orElseThrow().equals(balance)) {
                return false;
            }
        }
        return true;
    }

    private static void assertResult(Result expected, Lines lines) {
        List<HistoryCall> calls = List.copyOf(lines.history().calls().values());
        assertEquals(expected, decide(calls), lines.all().toString());
    }

    private static Result decide(List<HistoryCall> calls) {
        AccountsModel model = new AccountsModel();
        List<Result> results = model.parts(calls).stream()
                .map(part -> Linearizability.decide(model, part).result())
                .toList();
        return results.contains(Result.NO)
                ? Result.NO
                : results.contains(Result.UNDECIDED) ? Result.UNDECIDED : Result.YES;
    }
}
