package org.amo.lab.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.lab.cluster.ScmpCounterServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two attacks of a second on one group of real processes. Rates and latencies of so short a run are not judged: the first attack
 * counts as passed, so that the second one comes after it.
 */
@Timeout(240)
class SharedGroupTest {
    private static final String FIRST = "scmp-flood";
    private static final AttackSettings SETTINGS = new AttackSettings(64 << 20, 1_000, 7);

    private final AtomicInteger groups = new AtomicInteger();
    private final List<AttackResult> results = new ArrayList<>();

    private static Attack attack(String name) {
        return Attacks.all().stream()
                .filter(attack -> attack.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** The members of the first group execute twice, all others once. */
    private AttackSeries.Group start(Attack first) throws IOException {
        Class<?> program = groups.incrementAndGet() == 1 ? TwiceServer.class : ScmpCounterServer.class;
        AttackedGroup group = AttackedGroup.start(
                new AttackedMembers(
                        "shared-group-test-" + groups,
                        Service.SCMP,
                        first.memberOptions(),
                        SETTINGS.heapBytes(),
                        of -> ScmpCounterServer.member(QuickMembers.of(of), program),
                        line -> {}),
                SETTINGS,
                line -> {});
        return new AttackSeries.Group() {
            @Override
            public AttackResult attack(Attack attack) throws IOException, InterruptedException {
                AttackResult result = group.attack(attack);
                return attack.name().equals(FIRST) ? passed(result) : result;
            }

            @Override
            public boolean hasRecovered() {
                return true;
            }

            @Override
            public void close() {
                group.close();
            }
        };
    }

    private static AttackResult passed(AttackResult result) {
        return new AttackResult(
                result.name(),
                result.alive(),
                result.heapPercent(),
                result.honestRateRatio(),
                result.honestP99Ratio(),
                result.statesEqual(),
                result.logLines(),
                true,
                result.service(),
                result.after(),
                result.restarts(),
                result.executedTwice(),
                result.lost(),
                result.steps(),
                result.refused(),
                result.attackSeconds(),
                result.remarks());
    }

    @Test
    void aCallThatRanTwiceIsFoundAtItsAttackRunsAgainAloneAndIsNotExcusedByThat() throws Exception {
        List<Attack> attacks = List.of(attack(FIRST), attack(TwiceServer.ATTACK));
        new AttackSeries(this::start, attack -> Service.SCMP, results::add)
                .run(AttackPlan.of(attacks, attack -> Service.SCMP));

        assertEquals(3, results.size(), results.toString());
        AttackResult first = results.get(0);
        AttackResult shared = results.get(1);
        AttackResult alone = results.get(2);
        for (AttackResult each : results) {
            assertTrue(each.alive(), each.toString());
            assertTrue(each.statesEqual(), each.toString());
            assertEquals(0, each.lost(), each.toString());
            assertTrue(each.steps() > 2, each.toString());
            assertTrue(each.honestRateRatio() > 0, each.toString());
            assertTrue(each.heapPercent() > 1 && each.heapPercent() < 100, each.toString());
        }
        assertEquals(0, first.executedTwice(), first.toString());
        assertEquals(List.of(FIRST), shared.after());
        assertTrue(shared.executedTwice() > 0, shared.toString());
        assertFalse(shared.passed());
        assertTrue(shared.remarks().toString().contains("attack-" + TwiceServer.ATTACK), shared.toString());
        assertEquals(TwiceServer.ATTACK, alone.name());
        assertEquals(List.of(), alone.after());
        assertEquals(0, alone.executedTwice(), alone.toString());
        AttackReport report = AttackReport.of(
                List.of(first, shared, passed(alone)),
                attacks,
                List.of(),
                new AttackConditions("c0ffee", "x", 1, 1, "default"));
        assertEquals(1, report.failed(), report.toString());
        assertEquals(1, report.passed(), report.toString());
        assertEquals(List.of(TwiceServer.ATTACK), report.ranAlone());
    }
}
