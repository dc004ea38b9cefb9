package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.OutcomeOrder.Accepted;
import org.amo.core.replica.ReplicaSettings.Divergence;
import org.amo.core.replica.ReplicaSettings.Style;
import org.amo.core.reply.RecordMemory;
import org.junit.jupiter.api.Test;

/** The outcomes of member a of a, b and c. {@link PassiveReplicaTest} has the same class inside a replica. */
final class OutcomeOrderTest {
    private static final long NOW = 50_000;
    private static final long MARKER = 3;
    private static final Place FIRST = new Place(2, 0);

    private final ReplicaRig shell = new ReplicaRig("a");
    private final UpdateChain chain = new UpdateChain();
    private final GroupState group =
            new GroupState(options(Style.PASSIVE), shell, RecordMemory.heap(1), new ReplicaParts());
    private final OutcomeOrder order = new OutcomeOrder(options(Style.PASSIVE), shell, group, chain) {
        @Override
        List<RunOutcome> split(RunOutcome whole) {
            return inPieces(whole, "a");
        }
    };
    private final OutcomeOrder active = new OutcomeOrder(options(Style.ACTIVE), shell, group, chain);

    private static ReplicaOptions options(Style style) {
        return new ReplicaOptions(
                "a",
                List.of("a", "b", "c"),
                1,
                ReplicaRig.PLAIN,
                ReplicaRig.PARAMETERS,
                Divergence.OFF,
                Map.of(),
                style,
                OrderedLog.Guarantee.UNIFORM,
                Long.MAX_VALUE,
                FeatureLevels.OF_BUILD);
    }

    /** An entry carries eight bytes of an outcome, a piece has three. */
    private static List<RunOutcome> inPieces(RunOutcome whole, String member) {
        return OutcomePieces.split(whole, ReplicaRig.incarnation(member), 8, 3);
    }

    // ------------------------------------------------- inputs

    /** The requests of the entry at this position, as many as the group runs. */
    private static List<Execution> requests(long position, int count) {
        return IntStream.range(0, count)
                .mapToObj(index -> UpdateChainTest.execution(position, index))
                .toList();
    }

    private void decided(long position, int count) {
        order.decided(requests(position, count));
    }

    /** This member leads, and an entry of its own has been delivered. */
    private void lead() {
        order.onLeader(true);
        order.markerSent(MARKER, NOW);
        deliver("a", MARKER);
    }

    /** This member has executed the requests of an entry, as many as it has replies. */
    private void run(long position, String... replies) {
        order.onRun(
                requests(position, replies.length),
                Arrays.stream(replies).map(ReplicaRig::bytes).toList(),
                ReplicaRig.bytes("update"),
                place -> false);
    }

    private void deliver(String member, long submission) {
        OrderedEntry entry = ReplicaRig.entryOf(member, submission, ReplicaRig.EPOCH);
        assertEquals(Optional.empty(), order.onDelivered(entry, member.equals("a"), place -> false, NOW));
    }

    private Optional<Accepted> deliver(String member, long submission, RunOutcome outcome) {
        OrderedEntry entry = ReplicaRig.outcomeEntry(member, submission, ReplicaRig.EPOCH, outcome);
        return order.onDelivered(entry, member.equals("a"), place -> false, NOW);
    }

    /** The outcomes that are due, as first place and replies; they stay due. */
    private List<String> due(long now) {
        return order.due(now).stream()
                .map(each -> each.first() + " "
                        + each.replies().stream()
                                .map(reply -> reply.skipped() ? "skipped" : text(reply.bytes()))
                                .toList())
                .toList();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    // ------------------------------------------------- the style

    @Test
    void styleActiveHasNoOutcomes() {
        active.onLeader(true);
        active.decided(requests(2, 1));
        assertEquals(Optional.empty(), chain.openPlace(0));
        chain.decided(requests(2, 1));
        OrderedEntry entry = ReplicaRig.outcomeEntry("b", 1, ReplicaRig.EPOCH, UpdateChainTest.outcome(FIRST, 0, "x"));
        assertEquals(Optional.empty(), active.onDelivered(entry, false, place -> false, NOW));
        assertEquals(0, chain.hash());
        group.delivered(5);
        assertFalse(active.isOn());
        assertFalse(active.isBackup());
        assertFalse(active.isSettled(new Place(5, 0)));
        assertFalse(active.needsMarker(NOW));
        assertEquals("", active.primary("a", "b"));
        assertEquals(Optional.empty(), active.beginning());
    }

    @Test
    void theMemberThatExecutesIsTheLeaderOnceItKnowsAllEarlierOutcomes() {
        assertTrue(order.isOn());
        assertSame(chain, order.chain());
        assertTrue(order.isBackup());
        assertEquals("b", order.primary("a", "b"));
        assertEquals("", order.primary("a", "a"));
        lead();
        assertFalse(order.isBackup());
        assertEquals("a", order.primary("a", "a"));
    }

    @Test
    void theEntryThatStartsAGroupTellsItsStyle() {
        OrderedEntry ofPassive = ReplicaRig.passiveStart();
        OrderedEntry ofActive = ReplicaRig.entryOf("c", 1, ReplicaRig.EPOCH);
        order.onStarted(ofPassive);
        active.onStarted(ofActive);
        assertEquals(List.of(), shell.passiveSteps);
        order.onStarted(ofActive);
        assertEquals(List.of("style differs"), shell.passiveSteps);
        active.onStarted(ofPassive);
        assertEquals(List.of("style differs", "style differs"), shell.passiveSteps);
    }

    @Test
    void aSnapshotTellsItsStyleToo() {
        order.restored(Optional.of(new UpdateChain()));
        active.restored(Optional.empty());
        assertEquals(List.of(), shell.passiveSteps);
        order.restored(Optional.empty());
        assertEquals(List.of("style differs"), shell.passiveSteps);
        active.restored(Optional.of(new UpdateChain()));
        assertEquals(List.of("style differs", "style differs"), shell.passiveSteps);
    }

    @Test
    void theEntryThatStartsTheGroupIsNoLinkOfTheChain() {
        assertSame(RunOutcome.BEGINNING, order.beginning().orElseThrow());
        assertEquals(Optional.empty(), deliver("c", 1, RunOutcome.BEGINNING));
        decided(2, 1);
        assertTrue(deliver("b", 1, UpdateChainTest.outcome(FIRST, 0, "x")).isPresent());
    }

    /** Two leaders may have ordered one, the second of them behind a run of this member. */
    @Test
    void anotherEntryThatWasToStartTheGroupEndsNoRun() {
        lead();
        decided(2, 1);
        run(2, "x");
        assertEquals(Optional.empty(), deliver("c", 1, RunOutcome.BEGINNING));
        assertEquals(List.of("2/0 [x]"), due(NOW));
        assertEquals(List.of("primary true"), shell.passiveSteps);
    }

    // ------------------------------------------------- when this member executes

    @Test
    void aLeaderExecutesBehindAnEntryThatItSubmittedAsTheLeader() {
        order.onLeader(true);
        deliver("a", 2);
        order.markerSent(MARKER, NOW);
        deliver("a", 2);
        deliver("b", MARKER);
        deliver("c", 9);
        assertEquals(List.of(), shell.passiveSteps);
        deliver("a", MARKER);
        assertEquals(List.of("primary true"), shell.passiveSteps);
    }

    @Test
    void anyLaterEntryOfTheLeaderWillDo() {
        order.onLeader(true);
        order.markerSent(MARKER, NOW);
        order.markerSent(MARKER + 2, NOW + 2_001);
        deliver("a", MARKER + 1);
        assertEquals(List.of("primary true"), shell.passiveSteps);
    }

    @Test
    void aLeaderSubmitsAnEntryOfItsOwnAgainAfterTwoSeconds() {
        assertFalse(order.needsMarker(NOW), "it does not lead");
        order.onLeader(true);
        assertTrue(order.needsMarker(NOW));
        order.markerSent(MARKER, NOW);
        assertFalse(order.needsMarker(NOW + 2_000));
        assertTrue(order.needsMarker(NOW + 2_001));
        deliver("a", MARKER);
        assertFalse(order.needsMarker(NOW + 2_001));
    }

    @Test
    void aLeaderSubmitsARejectedEntryOfItsOwnAgainAtOnce() {
        order.onLeader(true);
        order.markerSent(MARKER, NOW);
        order.onRejected(MARKER + 1);
        assertFalse(order.needsMarker(NOW), "another one was rejected");
        order.onRejected(MARKER);
        assertTrue(order.needsMarker(NOW));
        order.markerSent(8, NOW);
        deliver("a", 7);
        assertEquals(List.of(), shell.passiveSteps);
        deliver("a", 8);
        assertEquals(List.of("primary true"), shell.passiveSteps);
    }

    @Test
    void aLeaderThatIsToldAgainThatItLeadsGoesOn() {
        lead();
        decided(2, 1);
        run(2, "x");
        order.sent(order.due(NOW).get(0), 7, NOW);
        order.onLeader(true);
        assertEquals(List.of("primary true"), shell.passiveSteps);
        assertEquals(List.of(), due(NOW));
        assertFalse(order.needsMarker(NOW));
    }

    @Test
    void aFormerLeaderStopsAtOnceAndNeedsAnotherEntryWhenItLeadsAgain() {
        lead();
        order.onLeader(false);
        assertEquals(List.of("primary true", "primary false"), shell.passiveSteps);
        order.onLeader(true);
        deliver("a", MARKER + 1);
        assertEquals(List.of("primary true", "primary false"), shell.passiveSteps);
        assertTrue(order.needsMarker(NOW));
    }

    @Test
    void aMemberThatLagsBehindOrHasDivergedDoesNotExecute() {
        group.lagsBehind();
        lead();
        assertEquals(List.of(), shell.passiveSteps);
        group.catchUp();
        order.onJudged();
        assertEquals(List.of("primary true"), shell.passiveSteps);
        group.suspend(true);
        order.onJudged();
        assertEquals(List.of("primary true", "primary false"), shell.passiveSteps);
        group.suspend(false);
        order.onJudged();
        assertEquals(List.of("primary true", "primary false", "primary true"), shell.passiveSteps);
    }

    // ------------------------------------------------- outcomes that are accepted

    @Test
    void theServantHasTheStateOfAnOutcomeOfThisMember() {
        lead();
        decided(2, 2);
        run(2, "x", "y");
        Accepted accepted = deliver("a", 7, order.due(NOW).get(0)).orElseThrow();
        assertEquals(
                List.of(FIRST, new Place(2, 1)),
                accepted.executions().stream().map(Execution::place).toList());
        assertEquals(
                List.of("x", "y"),
                accepted.replies().stream().map(OutcomeOrderTest::text).toList());
        assertEquals("update", text(accepted.update()));
        assertTrue(accepted.own());
        assertEquals(List.of(), due(NOW + 10_000), "it does not go again");
    }

    @Test
    void theServantLacksTheStateOfAnOutcomeOfAnotherMember() {
        decided(2, 1);
        assertFalse(deliver("b", 7, UpdateChainTest.outcome(FIRST, 0, "x"))
                .orElseThrow()
                .own());
        assertEquals(List.of(), shell.passiveSteps);
    }

    @Test
    void aPlaceIsSettledOnceItsOutcomeIsAccepted() {
        group.delivered(2);
        decided(2, 1);
        assertFalse(order.isSettled(FIRST));
        deliver("b", 7, UpdateChainTest.outcome(FIRST, 0, "x"));
        assertTrue(order.isSettled(FIRST));
        assertFalse(order.isSettled(new Place(3, 0)), "its entry has not been delivered");
    }

    @Test
    void theStateIsWorthNothingOnceAnotherOutcomeIsAccepted() {
        lead();
        decided(2, 1);
        decided(3, 1);
        run(2, "x");
        run(3, "z");
        assertEquals(Optional.empty(), deliver("b", 1, UpdateChainTest.outcome(FIRST, 0, "other")));
        List<String> end = List.of("primary true", "begin anew 2/0", "primary false");
        assertEquals(end, shell.passiveSteps);
        assertEquals(List.of(), due(NOW));

        // No later outcome is put on such a state, and no later run of it goes into the order.
        RunOutcome later = UpdateChainTest.outcome(new Place(3, 0), chain.hash(), "w");
        assertEquals(Optional.empty(), deliver("b", 2, later));
        assertEquals(later.hash(), chain.hash());
        decided(4, 1);
        run(4, "v");
        assertEquals(List.of(), due(NOW));
        assertEquals(end, shell.passiveSteps);
    }

    // ------------------------------------------------- runs of this member

    @Test
    void eachRunRestsOnTheOneBeforeIt() {
        lead();
        decided(2, 2);
        decided(3, 1);
        run(2, "x", "y");
        run(3, "z");
        assertEquals(List.of("2/0 [x, y]", "3/0 [z]"), due(NOW));
        List<RunOutcome> runs = order.due(NOW);
        assertEquals(0, runs.get(0).base());
        assertEquals(runs.get(0).hash(), runs.get(1).base());
        runs.forEach(each -> assertTrue(deliver("a", 7, each).orElseThrow().own()));
        decided(4, 1);
        run(4, "w");
        assertEquals(runs.get(1).hash(), order.due(NOW).get(0).base());
        assertEquals(List.of("primary true"), shell.passiveSteps);
    }

    @Test
    void aRunThatIsNotTheNextOneMakesTheStateWorthNothing() {
        lead();
        decided(2, 1);
        decided(3, 1);
        run(3, "z");
        assertEquals(List.of("primary true", "begin anew 3/0"), shell.passiveSteps);
        assertEquals(List.of(), due(NOW));
    }

    @Test
    void aRunTellsWhichRequestsTheGroupSkips() {
        lead();
        decided(2, 2);
        order.onRun(
                requests(2, 2),
                List.of(ReplicaRig.bytes("x"), new byte[0]),
                new byte[0],
                place -> place.equals(new Place(2, 1)));
        assertEquals(List.of("2/0 [x, skipped]"), due(NOW));
    }

    // ------------------------------------------------- outcomes that go again

    @Test
    void anOutcomeGoesAgainAfterTwoSeconds() {
        twoSentRuns();
        assertEquals(List.of(), due(NOW + 2_000));
        assertEquals(List.of("2/0 [x]", "3/0 [z]"), due(NOW + 2_001));
    }

    @Test
    void onlyTheOutcomeThatWasSentWaits() {
        lead();
        decided(2, 1);
        decided(3, 1);
        run(2, "x");
        run(3, "z");
        order.sent(order.due(NOW).get(0), 7, NOW);
        assertEquals(List.of("3/0 [z]"), due(NOW));
    }

    @Test
    void aRejectedOutcomeGoesAgainAtOnce() {
        twoSentRuns();
        order.onRejected(8);
        assertEquals(List.of("3/0 [z]"), due(NOW));
    }

    /** The outcome before it got lost, so this one was ignored when it was delivered, and would be again without that one. */
    @Test
    void anIgnoredOutcomeGoesAgainAtOnceBehindTheLostOne() {
        List<RunOutcome> runs = twoSentRuns();
        assertEquals(Optional.empty(), deliver("b", 8, runs.get(1)));
        assertEquals(List.of(), due(NOW), "the number is one of b");
        assertEquals(Optional.empty(), deliver("a", 8, runs.get(1)));
        assertEquals(List.of("2/0 [x]", "3/0 [z]"), due(NOW));
    }

    @Test
    void theOutcomesOfAFormerLeaderGoAgainWhenItLeadsAgain() {
        twoSentRuns();
        order.onLeader(false);
        assertEquals(List.of(), due(NOW));
        order.onLeader(true);
        assertEquals(List.of("2/0 [x]", "3/0 [z]"), due(NOW));
    }

    @Test
    void aFormerLeaderOffersItsOutcomesWhileARequestThatEndedMembersIsOpen() {
        twoSentRuns();
        order.onLeader(false);
        order.offers(true);
        assertEquals(List.of("2/0 [x]", "3/0 [z]"), due(NOW));
        order.offers(false);
        assertEquals(List.of(), due(NOW));
    }

    /** Of places 2/0 and 3/0, as submissions 7 and 8. */
    private List<RunOutcome> twoSentRuns() {
        lead();
        decided(2, 1);
        decided(3, 1);
        run(2, "x");
        run(3, "z");
        List<RunOutcome> runs = order.due(NOW);
        order.sent(runs.get(0), 7, NOW);
        order.sent(runs.get(1), 8, NOW);
        return runs;
    }

    // ------------------------------------------------- large outcomes

    /** The next entry of the large outcome is submitted and delivered. */
    private Optional<Accepted> go(long submission) {
        RunOutcome next = order.due(NOW).get(0);
        order.sent(next, submission, NOW);
        return deliver("a", submission, next);
    }

    @Test
    void theNextPieceOfALargeOutcomeGoesOnceTheOneBeforeIsDelivered() {
        lead();
        decided(2, 1);
        run(2, "longer");
        assertEquals(List.of("2/0 []"), due(NOW));
        RunOutcome first = order.due(NOW).get(0);
        order.sent(first, 7, NOW);
        assertEquals(List.of(), due(NOW));
        assertEquals(Optional.empty(), deliver("a", 7, first));
        assertEquals(List.of("2/0 []"), due(NOW));
        assertEquals(Optional.empty(), go(8));
        assertEquals(List.of("2/0 [longer]"), due(NOW));
        assertTrue(go(9).orElseThrow().own());
        assertEquals(List.of("primary true"), shell.passiveSteps, "it keeps no piece of its own");
        assertEquals(List.of(), due(NOW + 60_000));
    }

    @Test
    void aCopyOfAPieceChangesNothing() {
        lead();
        decided(2, 1);
        run(2, "longer");
        RunOutcome first = order.due(NOW).get(0);
        order.sent(first, 7, NOW);
        order.sent(first, 8, NOW + 60_000);
        deliver("a", 7, first);
        RunOutcome second = order.due(NOW).get(0);
        order.sent(second, 9, NOW);
        deliver("a", 8, first);
        assertEquals(List.of(), due(NOW));
        deliver("a", 9, second);
        assertEquals(List.of("2/0 [longer]"), due(NOW));
    }

    @Test
    void aRejectedPieceGoesAgainAlone() {
        lead();
        decided(2, 1);
        run(2, "longer");
        go(7);
        RunOutcome second = order.due(NOW).get(0);
        order.sent(second, 8, NOW);
        order.onRejected(8);
        assertEquals(List.of(second), order.due(NOW));
    }

    /** Pieces of another process have dropped those before it. */
    @Test
    void aLargeOutcomeBeginsAgainIfAPieceIsIgnored() {
        lead();
        decided(2, 1);
        run(2, "longer");
        RunOutcome first = order.due(NOW).get(0);
        go(7);
        RunOutcome second = order.due(NOW).get(0);
        order.sent(second, 8, NOW);
        deliver("b", 1, inPieces(UpdateChainTest.outcome(FIRST, 0, "of b"), "b").get(0));
        deliver("a", 8, second);
        assertEquals(List.of(first), order.due(NOW));
    }

    @Test
    void aLargeOutcomeBeginsAgainWhenItsMemberLeadsAgain() {
        lead();
        decided(2, 1);
        run(2, "longer");
        RunOutcome first = order.due(NOW).get(0);
        go(7);
        order.onLeader(false);
        order.onLeader(true);
        assertEquals(List.of(first), order.due(NOW));
    }

    @Test
    void aRunBehindALargeOutcomeWaitsForItsLastEntry() {
        lead();
        decided(2, 1);
        decided(3, 1);
        run(2, "longer");
        run(3, "z");
        assertEquals(List.of("2/0 []"), due(NOW));
        go(7);
        assertEquals(List.of("2/0 []"), due(NOW));
        go(8);
        assertEquals(List.of("2/0 [longer]", "3/0 [z]"), due(NOW));
    }

    @Test
    void aLargeOutcomeWaitsForTheRunsBeforeIt() {
        lead();
        decided(2, 1);
        decided(3, 1);
        run(2, "x");
        run(3, "longer");
        assertEquals(List.of("2/0 [x]"), due(NOW));
        assertTrue(go(7).isPresent());
        assertEquals(List.of("3/0 []"), due(NOW));
    }

    @Test
    void aBackupGathersThePiecesAndTellsHowManyBytes() {
        decided(2, 1);
        List<RunOutcome> entries = inPieces(UpdateChainTest.outcome(FIRST, 0, "longer"), "b");
        assertEquals(3, entries.size());
        assertEquals(Optional.empty(), deliver("b", 1, entries.get(0)));
        assertEquals(Optional.empty(), deliver("b", 2, entries.get(1)));
        Accepted accepted = deliver("b", 3, entries.get(2)).orElseThrow();
        assertEquals("update", text(accepted.update()));
        assertFalse(accepted.own());
        assertEquals(List.of("gathers 3", "gathers 6", "gathers 0"), shell.passiveSteps);
    }

    @Test
    void aRestoredMemberHasGatheredNothing() {
        decided(2, 1);
        deliver(
                "b",
                1,
                inPieces(UpdateChainTest.outcome(FIRST, 0, "longer"), "b").get(0));
        order.restored(Optional.of(new UpdateChain()));
        assertEquals(List.of("gathers 3", "gathers 0"), shell.passiveSteps);
    }

    // ------------------------------------------------- runs that are undone

    @Test
    void theStateOfAMemberIsWorthNothingOnceItsRunIsUndone() {
        lead();
        decided(2, 1);
        decided(3, 1);
        order.onUndone(requests(2, 1), List.of(ReplicaRig.bytes("sorry")), place -> false);
        assertEquals(List.of("2/0 [sorry]"), due(NOW));
        Accepted accepted = go(7).orElseThrow();
        assertTrue(accepted.own());
        assertTrue(accepted.undone());
        assertEquals(List.of("primary true", "primary false"), shell.passiveSteps);
        run(3, "z");
        assertEquals(List.of(), due(NOW));
    }

    @Test
    void aBackupKeepsItsStateIfARunIsUndone() {
        decided(2, 1);
        decided(3, 1);
        RunOutcome undone =
                RunOutcome.undone(FIRST, 0, List.of(new RunOutcome.Reply(ReplicaRig.bytes("sorry"), false)));
        Accepted accepted = deliver("b", 1, undone).orElseThrow();
        assertTrue(accepted.undone());
        assertFalse(accepted.own());
        RunOutcome next = UpdateChainTest.outcome(new Place(3, 0), undone.hash(), "w");
        assertFalse(deliver("b", 2, next).orElseThrow().undone());
    }

    // ------------------------------------------------- snapshots

    @Test
    void aMemberWithARestoredStateHasExecutedNothingByItself() {
        UpdateChain snapshot = new UpdateChain();
        snapshot.decided(requests(2, 1));
        snapshot.accept(UpdateChainTest.outcome(FIRST, 0, "other"), place -> false);
        twoSentRuns();
        order.restored(Optional.of(snapshot));
        assertEquals(List.of("primary true", "primary false"), shell.passiveSteps);
        assertEquals(snapshot.hash(), chain.hash());
        assertEquals(List.of(), due(NOW + 10_000));
        assertTrue(order.needsMarker(NOW));
    }

    @Test
    void aRestoredLeaderExecutesOnceTheOutcomesOfItsStateAreDelivered() {
        UpdateChain before = new UpdateChain();
        before.decided(requests(2, 1));
        order.restored(Optional.of(before.copy()));
        lead();
        assertEquals(List.of(), shell.passiveSteps);
        assertEquals(
                Optional.empty(),
                deliver("b", 1, UpdateChainTest.outcome(FIRST, 0, "x")),
                "the state in place is behind it");
        assertEquals(List.of("primary true"), shell.passiveSteps);
    }
}
