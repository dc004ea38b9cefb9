package org.amo.lab.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import org.amo.examples.counter.CountersInMemory;
import org.amo.testkit.check.CheckReport;
import org.amo.testkit.check.Checker;
import org.amo.testkit.check.SequentialModel;
import org.amo.testkit.history.HistoryFile;
import org.junit.jupiter.api.Test;

/** The model against the service, and its division of a history into parts. */
final class LedgerModelTest {
    private static final List<String> NAMES = List.of("a", "b", "c");

    private final CountersInMemory counters = new CountersInMemory();
    private final LedgerModel model = LedgerModel.counters();
    private SortedMap<String, Long> state = model.initial();

    @Test
    void theModelAnswersWhatTheCountersAnswer() {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 2_000; i++) {
            String from = NAMES.get(random.nextInt(3));
            String to = NAMES.get(random.nextInt(3));
            long amount = random.nextLong(1, 50);
            switch (random.nextInt(3)) {
                case 0 -> check("add", List.of(from, amount), counters.add(from, amount));
                case 1 -> check("move", List.of(from, to, amount), counters.move(from, to, amount));
                default -> {
                    List<Object> lines = new ArrayList<>();
                    counters.all().forEach((name, value) -> lines.add(List.of(name, value)));
                    check("all", List.of(), lines);
                }
            }
        }
        assertEquals(counters.all(), model.state(state));
    }

    @Test
    void aListOfAllBalancesIsJudgedInEveryPart() {
        assertTrue(isLinearizable("deposit x,5 5", "deposit y,7 7", "balances  [['x',5],['y',7]]"));
        assertFalse(isLinearizable("deposit x,5 5", "deposit y,7 7", "balances  [['x',5],['y',8]]"));
    }

    @Test
    void anAccountThatNoCallNamesCannotBeInAList() {
        assertFalse(isLinearizable("deposit x,5 5", "balances  [['x',5],['z',9]]"));
        assertFalse(isLinearizable("balances  [['z',9]]"));
        assertTrue(isLinearizable("balances  []"));
    }

    @Test
    void aTransferJoinsItsAccounts() {
        assertTrue(isLinearizable("deposit x,5 5", "transfer x,y,3 true", "deposit y,1 4"));
        assertFalse(isLinearizable("deposit x,5 5", "transfer x,y,3 true", "deposit x,1 6"));
    }

    /** @param calls operation, arguments and answer, one call after the other */
    private static boolean isLinearizable(String... calls) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < calls.length; i++) {
            String[] parts = calls[i].split(" ", -1);
            String arguments = parts[1].replaceAll("([a-z])", "'$1'");
            lines.add("{'type':'invoke','client':'c','id':'c-" + i + "','op':'" + parts[0] + "','key':'bank','arg':["
                    + arguments + "],'t':" + 2 * i + "}");
            lines.add("{'type':'ok','client':'c','id':'c-" + i + "','value':" + parts[2] + ",'t':" + (2 * i + 1) + "}");
        }
        CheckReport report = Checker.check(
                HistoryFile.parse(
                        lines.stream().map(line -> line.replace('\'', '"')).toList()),
                LedgerModel.bank());
        return report.passed();
    }

    private void check(String operation, List<Object> arguments, Object answer) {
        SequentialModel.Step<SortedMap<String, Long>> step = model.run(state, operation, arguments);
        state = step.state();
        assertEquals(Optional.of(answer), step.value(), () -> operation + arguments);
    }

    @Test
    void theListOfCountersIsAReadAndThatOfTheBankIsOrdered() {
        assertTrue(LedgerModel.counters().isRead("all"));
        assertFalse(LedgerModel.counters().isRead("add"));
        assertFalse(LedgerModel.bank().isRead("balances"));
    }
}
