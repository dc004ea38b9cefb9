package org.amo.lab.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.amo.lab.cluster.ScmpCounterServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two attacks of a second on one group of real processes. Rates and latencies of so short a run are not judged. {@link AttackSeriesTest}
 * and {@link BarsTest} have what follows from the results.
 */
@Timeout(240)
class SharedGroupTest {
    private static final AttackSettings SETTINGS = new AttackSettings(64 << 20, 1_000, 7);

    private static Attack attack(String name) {
        return Attacks.all().stream()
                .filter(attack -> attack.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void callsThatRanTwiceAreFoundAtTheirAttackAndNotAtTheOneBefore() throws Exception {
        Attack before = attack("scmp-flood");
        AttackedMembers members = new AttackedMembers(
                "shared-group-test",
                Service.SCMP,
                before.memberOptions(),
                SETTINGS.heapBytes(),
                of -> ScmpCounterServer.member(QuickMembers.of(of), TwiceServer.class),
                line -> {});
        try (AttackedGroup group = AttackedGroup.start(members, SETTINGS, line -> {})) {
            AttackResult first = group.attack(before);
            AttackResult second = group.attack(attack(TwiceServer.ATTACK));

            for (AttackResult each : List.of(first, second)) {
                assertTrue(each.alive(), each.toString());
                assertTrue(each.statesEqual(), each.toString());
                assertEquals(0, each.lost(), each.toString());
                assertTrue(each.steps() > 2, each.toString());
                assertTrue(each.honestRateRatio() > 0, each.toString());
                assertTrue(each.heapPercent() > 1 && each.heapPercent() < 100, each.toString());
            }
            assertEquals(0, first.executedTwice(), first.toString());
            assertTrue(second.executedTwice() > 0, second.toString());
            assertFalse(second.passed());
            assertTrue(second.remarks().toString().contains("attack-" + TwiceServer.ATTACK), second.toString());
        }
    }
}
