package org.amo.sim.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseAnswer.Status;
import org.amo.linearizable.lease.LeaseAuthority;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.lease.LeaseValidator;
import org.amo.linearizable.lease.RenewalCollector;
import org.amo.linearizable.lease.RenewalCollectorEffects;
import org.amo.linearizable.lease.Renewed;
import org.amo.linearizable.rpclog.PendingRemovals;
import org.amo.linearizable.rpclog.RangeRecovery;
import org.amo.linearizable.rpclog.RpcHeader;
import org.amo.linearizable.rpclog.RpcId;
import org.amo.linearizable.rpclog.RpcLogOptions;
import org.amo.linearizable.rpclog.RpcTracker;
import org.amo.linearizable.rpclog.RpcVerdict;
import org.amo.linearizable.rpclog.UnackedRpcResults;
import org.amo.sim.rules.RuleSet;
import org.junit.jupiter.api.Test;

/** Each planted bug takes out the rule that it names and no other; without one, each part is the one that is shipped. */
class LeaseMutantsTest {
    private static final ClusterTime EARLY = new ClusterTime(100);
    private static final ClusterTime LATE = new ClusterTime(900);
    private static final LeaseId CLIENT = new LeaseId(4);

    private static RuleSet<LeaseRule> without(LeaseRule rule) {
        return RuleSet.without(rule);
    }

    @Test
    void everyRuleHasANameOfItsOwnAndSaysWhatIsWrongWithoutIt() {
        List<LeaseRule> rules = Arrays.asList(LeaseRule.values());
        assertEquals(
                rules.size(), rules.stream().map(LeaseRule::plant).distinct().count());
        assertTrue(rules.stream().allMatch(rule -> rule.plant().matches("[a-z]+(-[a-z]+)+")));
        assertEquals(
                rules.size(),
                rules.stream().map(rule -> rule.bug().description()).distinct().count());
        assertTrue(rules.stream().allMatch(rule -> rule.bug().description().contains(" ")));
    }

    @Test
    void allHoldBesideTheOneThatIsTakenOut() {
        RuleSet<LeaseRule> all = RuleSet.all();
        assertTrue(all.allHold());
        assertFalse(without(LeaseRule.ONE_WRITE).allHold());
        for (LeaseRule rule : LeaseRule.values()) {
            assertTrue(all.holds(rule));
            assertEquals(
                    rule != LeaseRule.ONE_WRITE, without(LeaseRule.ONE_WRITE).holds(rule));
        }
    }

    @Test
    void withoutAPlantedBugEachPartIsTheOneThatIsShipped() {
        RuleSet<LeaseRule> all = RuleSet.all();
        LeaseValidator lease = LeaseMutants.validator(all);
        assertSame(LeaseValidator.class, lease.getClass());
        assertSame(LeaseAuthority.class, LeaseMutants.authority(all, 1_000, 10).getClass());
        assertSame(RenewalCollector.class, collector(all, new ArrayList<>()).getClass());
        assertSame(PendingRemovals.class, LeaseMutants.removals(all).getClass());
        assertSame(RangeRecovery.class, LeaseMutants.recovery(all, List.of()).getClass());
        assertSame(RpcTracker.class, LeaseMutants.tracker(all, CLIENT, 4).getClass());
        assertSame(UnackedRpcResults.class, results(all).getClass());
    }

    @Test
    void aServerWithoutTimeServesOnlyWhereThatRuleIsTakenOut() {
        LeaseValidator atStart = LeaseMutants.validator(without(LeaseRule.TIME_IS_LEARNED));
        atStart.mustLearn();
        assertTrue(atStart.isReady());
        atStart.mustLearn();
        assertFalse(atStart.isReady(), "a range that was taken over is another rule");
        LeaseValidator atTakeover = LeaseMutants.validator(without(LeaseRule.TIME_IS_LEARNED_ANEW));
        atTakeover.mustLearn();
        assertFalse(atTakeover.isReady());
        atTakeover.mustLearn();
        assertTrue(atTakeover.isReady());
    }

    @Test
    void timeFallsOnlyWhereThatRuleIsTakenOut() {
        RuleSet<LeaseRule> falls = without(LeaseRule.TIME_NEVER_FALLS);
        LeaseAuthority authority = LeaseMutants.authority(falls, 1_000, 10);
        authority.time(LATE);
        assertEquals(EARLY, authority.time(EARLY));
        WireWriter writer = new WireWriter(16);
        authority.write(writer);
        LeaseAuthority read = LeaseMutants.authority(falls, new WireReader("authority", writer.toBytes()));
        assertEquals(ClusterTime.ZERO, read.time(ClusterTime.ZERO));
    }

    @Test
    void aRenewalIsConfirmedBeforeItIsOrderedOnlyWhereThatRuleIsTakenOut() {
        List<LeaseAnswer> told = new ArrayList<>();
        RenewalCollector<String> collector = collector(without(LeaseRule.RENEWAL_IS_ORDERED), told);
        collector.onRenewal("first", CLIENT, 0);
        collector.onOrdered(1, new Renewed(LATE, EARLY, new long[0]));
        told.clear();
        collector.onRenewal("second", new LeaseId(5), 0);
        assertEquals(List.of(new LeaseAnswer(Status.LIVE, new LeaseId(5), LATE, EARLY)), told);
    }

    @Test
    void anEndedLeaseIsConfirmedOnlyWhereThatRuleIsTakenOut() {
        List<LeaseAnswer> told = new ArrayList<>();
        RenewalCollector<String> collector = collector(without(LeaseRule.EACH_RENEWAL_IS_JUDGED), told);
        collector.onRenewal("ended", CLIENT, 0);
        collector.onTick(0);
        collector.onOrdered(1, new Renewed(LATE, EARLY, new long[] {CLIENT.value()}));
        assertEquals(List.of(new LeaseAnswer(Status.LIVE, CLIENT, LATE, EARLY)), told);
    }

    @Test
    void anUnansweredCallIsAcknowledgedOnlyWhereThatRuleIsTakenOut() {
        RpcTracker tracker = LeaseMutants.tracker(without(LeaseRule.ACK_BELOW_UNANSWERED), CLIENT, 4);
        tracker.take();
        tracker.take();
        tracker.finish(2);
        assertEquals(2, tracker.ackId());
        tracker.take();
        assertEquals(2, tracker.header(3, LATE, EARLY).ackId());
    }

    @Test
    void copiesRunAndResultsGoOnlyWhereThoseRulesAreTakenOut() {
        UnackedRpcResults inclusive = results(without(LeaseRule.ACK_IS_INCLUSIVE));
        inclusive.start(call(1, 0));
        assertEquals(1, inclusive.ackId(CLIENT));
        inclusive.start(call(2, 1));
        assertEquals(2, inclusive.ackId(CLIENT));
        UnackedRpcResults beside = results(without(LeaseRule.RUNNING_IS_RETRIED_LATER));
        assertEquals(RpcVerdict.EXECUTE, beside.start(call(1, 0)));
        assertEquals(RpcVerdict.EXECUTE, beside.start(call(1, 0)));
    }

    private static RpcHeader call(long number, long ackId) {
        return new RpcHeader(new RpcId(CLIENT, number), ackId, LATE, EARLY);
    }

    private static UnackedRpcResults results(RuleSet<LeaseRule> rules) {
        LeaseValidator lease = new LeaseValidator();
        lease.onLearned(lease.mustLearn(), EARLY);
        return LeaseMutants.results(
                rules,
                lease,
                RpcLogOptions.builder(7).window(512).maxClients(100).build(),
                new PendingRemovals());
    }

    private static RenewalCollector<String> collector(RuleSet<LeaseRule> rules, List<LeaseAnswer> told) {
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
        return LeaseMutants.collector(rules, 0, 10, 10, effects);
    }
}
