package org.amo.core.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.amo.core.lease.LeaseAnswer.Status;
import org.amo.core.wire.WireReader;
import org.amo.core.wire.WireWriter;
import org.junit.jupiter.api.Test;

/** The simulator's mutants: each takes out the rule that it names and no other, and outside the simulator all hold. */
class LeaseRulesTest {
    private static final ClusterTime EARLY = new ClusterTime(100);
    private static final ClusterTime LATE = new ClusterTime(900);

    @Test
    void everyRuleHasANameOfItsOwnAndSaysWhatIsWrongWithoutIt() {
        List<LeaseRule> rules = Arrays.asList(LeaseRule.values());
        assertEquals(
                rules.size(), rules.stream().map(LeaseRule::plant).distinct().count());
        assertTrue(rules.stream().allMatch(rule -> rule.plant().matches("[a-z]+(-[a-z]+)+")));
        assertEquals(
                rules.size(),
                rules.stream().map(LeaseRule::description).distinct().count());
        assertTrue(rules.stream().allMatch(rule -> rule.description().contains(" ")));
    }

    @Test
    void allHoldBesideTheOneThatIsTakenOut() {
        assertSame(LeaseRules.ALL, LeaseRules.without(Set.of()));
        LeaseRules without = LeaseRules.without(Set.of(LeaseRule.ONE_WRITE));
        for (LeaseRule rule : LeaseRule.values()) {
            assertTrue(LeaseRules.ALL.holds(rule));
            assertEquals(rule != LeaseRule.ONE_WRITE, without.holds(rule));
        }
    }

    @Test
    void aServerWithoutTimeServesOnlyWhereThatRuleIsTakenOut() {
        LeaseValidator atStart = new LeaseValidator(LeaseRules.without(Set.of(LeaseRule.TIME_IS_LEARNED)));
        atStart.mustLearn();
        assertTrue(atStart.isReady());
        atStart.mustLearn();
        assertFalse(atStart.isReady(), "a range that was taken over is another rule");
        LeaseValidator atTakeover = new LeaseValidator(LeaseRules.without(Set.of(LeaseRule.TIME_IS_LEARNED_ANEW)));
        atTakeover.mustLearn();
        assertFalse(atTakeover.isReady());
        atTakeover.mustLearn();
        assertTrue(atTakeover.isReady());
    }

    @Test
    void timeFallsOnlyWhereThatRuleIsTakenOut() {
        LeaseRules falls = LeaseRules.without(Set.of(LeaseRule.TIME_NEVER_FALLS));
        LeaseAuthority authority = new LeaseAuthority(1_000, 10, falls);
        authority.time(LATE);
        assertEquals(EARLY, authority.time(EARLY));
        WireWriter writer = new WireWriter(16);
        authority.write(writer);
        LeaseAuthority read = LeaseAuthority.read(new WireReader("authority", writer.toBytes()), falls);
        assertEquals(ClusterTime.ZERO, read.time(ClusterTime.ZERO));
    }

    @Test
    void aRenewalIsConfirmedBeforeItIsOrderedOnlyWhereThatRuleIsTakenOut() {
        List<LeaseAnswer> told = new ArrayList<>();
        RenewalCollector<String> collector = collector(LeaseRule.RENEWAL_IS_ORDERED, told);
        collector.onRenewal("first", new LeaseId(4), 0);
        collector.onOrdered(1, new Renewed(LATE, EARLY, new long[0]));
        told.clear();
        collector.onRenewal("second", new LeaseId(5), 0);
        assertEquals(List.of(new LeaseAnswer(Status.LIVE, new LeaseId(5), LATE, EARLY)), told);
    }

    @Test
    void anEndedLeaseIsConfirmedOnlyWhereThatRuleIsTakenOut() {
        List<LeaseAnswer> told = new ArrayList<>();
        RenewalCollector<String> collector = collector(LeaseRule.EACH_RENEWAL_IS_JUDGED, told);
        collector.onRenewal("ended", new LeaseId(4), 0);
        collector.onTick(0);
        collector.onOrdered(1, new Renewed(LATE, EARLY, new long[] {4}));
        assertEquals(List.of(new LeaseAnswer(Status.LIVE, new LeaseId(4), LATE, EARLY)), told);
    }

    private static RenewalCollector<String> collector(LeaseRule out, List<LeaseAnswer> told) {
        RenewalCollectorEffects<String> effects = new RenewalCollectorEffects<>() {
            @Override
            public void order(long batch, long[] clients) {}

            @Override
            public void answer(String asker, LeaseAnswer answer) {
                told.add(answer);
            }

            @Override
            public void unanswered(String asker) {}
        };
        return new RenewalCollector<>(0, 10, 10, effects, LeaseRules.without(Set.of(out)));
    }
}
