package org.amo.lab.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.amo.cli.CliException;
import org.amo.lab.attack.AttackResult.Measured;
import org.amo.lab.attack.HonestCalls.Comparison;
import org.junit.jupiter.api.Test;

/** When a group is renewed and an attack repeated, on groups without processes. */
class AttackSeriesTest {
    private static final Comparison FINE = new Comparison(1, 1, 100, 10);

    private final List<String> events = new ArrayList<>();
    private final Set<String> slow = new HashSet<>();
    private final Set<String> exhausting = new HashSet<>();
    private final Set<String> breaking = new HashSet<>();
    private boolean starts = true;

    private static Attack attack(String name) {
        return Attack.onBank(name, "y", (target, pace) -> {});
    }

    private final class Group implements AttackSeries.Group {
        private boolean recovered = true;
        private boolean first = true;

        @Override
        public AttackResult attack(Attack attack) {
            if (breaking.contains(attack.name())) {
                throw CliException.environment("gone");
            }
            recovered = !exhausting.contains(attack.name());
            boolean fails = slow.contains(attack.name()) && !first;
            first = false;
            Measured measured = new Measured(true, fails ? 99 : 50, FINE, true, 0, 0, 0, 0);
            return AttackResult.of(attack, Service.BANK, measured, true, new AttackRate(1), 1, List.of());
        }

        @Override
        public boolean hasRecovered() {
            return recovered;
        }

        @Override
        public void close() {
            events.add("end");
        }
    }

    /** What happened: starts and ends of groups, and results with the attacks before them. */
    private List<String> run(String... names) throws InterruptedException {
        new AttackSeries(
                        first -> {
                            if (!starts) {
                                throw CliException.environment("no members here");
                            }
                            events.add("start");
                            return new Group();
                        },
                        attack -> Service.BANK,
                        result -> events.add((result.passed() ? "" : "failed ") + result.name() + result.after()))
                .run(List.of(
                        List.of(names).stream().map(AttackSeriesTest::attack).toList()));
        return events;
    }

    @Test
    void attacksThatPassShareOneGroup() throws Exception {
        assertEquals(List.of("start", "a[]", "b[a]", "c[a, b]", "end"), run("a", "b", "c"));
    }

    @Test
    void anAttackThatFailsAfterOthersRunsOnceMoreAloneAndTheRestOnANewGroup() throws Exception {
        slow.add("b");
        assertEquals(
                List.of("start", "a[]", "failed b[a]", "end", "start", "b[]", "end", "start", "c[]", "d[c]", "end"),
                run("a", "b", "c", "d"));
    }

    @Test
    void aGroupThatHasNotRecoveredIsRenewed() throws Exception {
        exhausting.add("a");
        assertEquals(List.of("start", "a[]", "end", "start", "b[]", "c[b]", "end"), run("a", "b", "c"));
    }

    @Test
    void anAttackThatBreaksOffHasFailedAndTheOthersRun() throws Exception {
        breaking.add("b");
        assertEquals(
                List.of("start", "a[]", "failed b[a]", "end", "start", "failed b[]", "end", "start", "c[]", "end"),
                run("a", "b", "c"));
    }

    @Test
    void eachAttackFailsIfNoGroupStarts() throws Exception {
        starts = false;
        assertEquals(List.of("failed a[]", "failed b[]"), run("a", "b"));
    }
}
