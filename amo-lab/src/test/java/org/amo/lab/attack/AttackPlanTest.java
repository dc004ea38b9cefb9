package org.amo.lab.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The attacks that share a group. */
class AttackPlanTest {
    private static Attack bank(String name) {
        return Attack.onBank(name, "y", (target, pace) -> {});
    }

    private static List<List<String>> plan(Attack... attacks) {
        return AttackPlan.of(
                        List.of(attacks), attack -> attack.services().iterator().next())
                .stream()
                .map(group -> group.stream().map(Attack::name).toList())
                .toList();
    }

    @Test
    void attacksOnMembersOfTheSameSettingsShareAGroup() {
        Attack counter = Attack.onCounter("counter", "y", (target, pace) -> {});
        assertEquals(
                List.of(List.of("a", "b"), List.of("counter"), List.of("options", "same")),
                plan(
                        bank("a"),
                        counter,
                        bank("options").onMembersWith("-Dx=1"),
                        bank("b"),
                        bank("same").onMembersWith("-Dx=1")));
    }

    @Test
    void anAttackThatMayEndMembersHasAGroupOfItsOwn() {
        assertEquals(
                List.of(List.of("a", "b"), List.of("ends"), List.of("ends-too")),
                plan(
                        bank("a"),
                        bank("ends").thatMayEndMembers(),
                        bank("ends-too").thatMayEndMembers(),
                        bank("b")));
    }

    @Test
    void anAttackThatLeavesMuchIsTheLastOnItsGroup() {
        assertEquals(
                List.of(List.of("a", "b", "much"), List.of("c", "more")),
                plan(
                        bank("much").thatLeaves("x"),
                        bank("a"),
                        bank("b"),
                        bank("more").thatLeaves("x"),
                        bank("c")));
    }

    @Test
    void aGroupIsRenewedAfterSomeAttacks() {
        for (int count = 1; count < 40; count++) {
            List<Attack> attacks = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                Attack attack = bank("a" + i);
                attacks.add(i % 7 == 0 ? attack.thatLeaves("x") : attack);
            }
            List<List<String>> plan = plan(attacks.toArray(new Attack[0]));
            Set<String> all = new HashSet<>();
            plan.forEach(all::addAll);
            assertEquals(count, all.size());
            assertEquals(count, plan.stream().mapToInt(List::size).sum());
            assertTrue(plan.stream().allMatch(group -> group.size() <= AttackPlan.MOST_IN_A_GROUP), plan.toString());
        }
    }

    @Test
    void allAttacksNeedFewGroups() {
        List<List<Attack>> plan = AttackPlan.of(
                Attacks.all(), attack -> attack.services().iterator().next());
        assertTrue(plan.size() <= 18, plan.size() + " groups");
        for (List<Attack> group : plan) {
            for (Attack attack : group.subList(0, group.size() - 1)) {
                assertTrue(attack.leaves().isEmpty() && !attack.mayEndMembers(), attack.name());
            }
        }
    }
}
