package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.PeerMessage.Settings;
import org.amo.core.replica.ReplicaSettings.Divergence;
import org.amo.core.replica.ReplicaSettings.Style;
import org.amo.core.reply.RecordMemory;
import org.junit.jupiter.api.Test;

/** The feature level of a group: its raise, and builds that do not speak it. */
final class GroupLevelTest {
    private static final FeatureLevels OLD = new FeatureLevels(1, 1);
    private static final FeatureLevels BOTH = new FeatureLevels(1, 2);
    private static final FeatureLevels NEW = new FeatureLevels(2, 3);

    private static ReplicaRig member(FeatureLevels levels, String leader) {
        ReplicaRig rig = new ReplicaRig("a", levels);
        rig.replica.onLeader(leader, rig.now);
        rig.deliverStart(ReplicaRig.PARAMETERS);
        rig.now += 1_000;
        rig.sent.clear();
        return rig;
    }

    private static ReplicaRig leader(FeatureLevels levels) {
        return member(levels, "a");
    }

    private static void tells(ReplicaRig rig, String member, int most) {
        Map<String, String> settings =
                Map.of("--style", "active", ReplicaOptions.FEATURE_LEVEL, Integer.toString(most));
        rig.replica.onMessage(member, new Settings(false, settings).encode(), rig.now);
    }

    private static OrderedEntry raise(ReplicaRig rig, int level) {
        return EntryBuilder.of("b", ReplicaRig.incarnation("b"), 7, rig.groupTime())
                .raise(level)
                .entry();
    }

    private static OrderedEntry ofLevel(ReplicaRig rig, int level, long submission) {
        return EntryBuilder.from(ReplicaRig.entryOf("b", submission, rig.groupTime(), rig.request(submission)))
                .level(level)
                .entry();
    }

    private static long level(ReplicaRig rig) {
        return rig.replica.status().featureLevel();
    }

    private static List<Integer> raises(ReplicaRig rig) {
        return rig.submitted.stream()
                .map(one -> one.entry().raise())
                .filter(to -> to > 0)
                .toList();
    }

    // ------------------------------------------------- the raise

    @Test
    void theLeaderRaisesTheGroupOnceAllMembersSpeakTheLevel() {
        ReplicaRig rig = leader(BOTH);
        tells(rig, "b", 2);
        rig.tick();
        assertEquals(List.of(), raises(rig), "c has told nothing");
        tells(rig, "c", 1);
        rig.tick();
        assertEquals(List.of(), raises(rig));
        tells(rig, "c", 2);
        rig.tick();
        assertEquals(List.of(2), raises(rig));
        assertEquals(1, level(rig), "not before the order");
        while (!rig.submitted.isEmpty()) {
            rig.deliverNext();
        }
        assertEquals(2, level(rig));
        rig.now += 4_000;
        tells(rig, "b", 2);
        tells(rig, "c", 2);
        rig.tick();
        assertEquals(List.of(), raises(rig));
    }

    @Test
    void theGroupIsRaisedAsFarAsAllMembersLetIt() {
        for (int[] levels : new int[][] {{3, 4, 3}, {4, 2, 2}, {7, 7, 5}}) {
            ReplicaRig rig = leader(new FeatureLevels(1, 5));
            tells(rig, "b", levels[0]);
            tells(rig, "c", levels[1]);
            rig.tick();
            assertEquals(List.of(levels[2]), raises(rig));
        }
        ReplicaRig held = leader(new FeatureLevels(1, 5, 1));
        tells(held, "b", 5);
        tells(held, "c", 5);
        held.tick();
        assertEquals(List.of(), raises(held), "its operator holds the group");
    }

    @Test
    void aRaiseThatIsNotDeliveredGoesAgainAfterTwoSeconds() {
        ReplicaRig rig = leader(BOTH);
        tells(rig, "b", 2);
        tells(rig, "c", 2);
        rig.tick();
        rig.submitted.clear();
        rig.now += 1_999;
        rig.tick();
        assertEquals(List.of(), raises(rig));
        rig.now += 1;
        rig.tick();
        assertEquals(List.of(2), raises(rig));
    }

    @Test
    void aFollowerRaisesNothing() {
        ReplicaRig rig = member(BOTH, "b");
        tells(rig, "b", 2);
        tells(rig, "c", 2);
        rig.tick();
        assertEquals(List.of(), raises(rig));
    }

    /** It may have come back with the build of before. */
    @Test
    void whatASilentMemberToldDoesNotCount() {
        ReplicaRig rig = leader(BOTH);
        tells(rig, "b", 2);
        rig.now += 5_001;
        tells(rig, "c", 2);
        rig.tick();
        assertEquals(List.of(), raises(rig));
        tells(rig, "b", 2);
        rig.tick();
        assertEquals(List.of(2), raises(rig));
    }

    @Test
    void aMemberThatJoinsIsHeardFirst() {
        ReplicaRig rig = leader(BOTH);
        tells(rig, "b", 2);
        tells(rig, "c", 2);
        rig.replica.onMembers(List.of("a", "b", "c", "d"));
        rig.tick();
        assertEquals(List.of(), raises(rig));
        tells(rig, "d", 2);
        rig.tick();
        assertEquals(List.of(2), raises(rig));
    }

    @Test
    void theLevelIsNeverLowered() {
        ReplicaRig rig = member(new FeatureLevels(1, 3), "b");
        rig.deliver(raise(rig, 3));
        rig.deliver(raise(rig, 2));
        assertEquals(3, level(rig));
        tells(rig, "b", 2);
        tells(rig, "c", 2);
        rig.replica.onLeader("a", rig.now);
        rig.tick();
        assertEquals(List.of(), raises(rig));
    }

    // ------------------------------------------------- entries that need a level

    @Test
    void anEntryOfAHigherLevelThanThatOfTheGroupIsDropped() {
        ReplicaRig rig = member(BOTH, "b");
        rig.deliver(ofLevel(rig, 2, 8));
        assertEquals(0, rig.executing.size());
        assertEquals(rig.position, rig.replica.position());
        assertEquals(1L, rig.replica.status().orderedEntries().get("malformed"));
        rig.deliver(raise(rig, 2));
        rig.deliver(ofLevel(rig, 2, 9));
        assertEquals(1, rig.executing.size());
        rig.deliver(ofLevel(rig, 3, 10));
        assertEquals(1, rig.executing.size());
        assertEquals(List.of(), rig.levelsNotSpoken, "the entry says nothing about the group");
    }

    @Test
    void anEntryOfAHigherLevelThanThatOfTheGroupIsNotSubmitted() {
        ReplicaRig shell = new ReplicaRig("a");
        Replica eager = alone(shell, OrderedLog.Guarantee.UNIFORM, new ReplicaParts() {
            @Override
            GroupLevel level(FeatureLevels spoken, ReplicaEffects effects) {
                return new GroupLevel(spoken, effects) {
                    @Override
                    int needed() {
                        return 2;
                    }
                };
            }
        });
        assertThrows(IllegalStateException.class, () -> eager.onTick(shell.now, ReplicaRig.EPOCH));
        assertTrue(shell.submitted.isEmpty());
    }

    private static Replica alone(ReplicaRig shell, OrderedLog.Guarantee guarantee, ReplicaParts parts) {
        Replica replica = new Replica(
                new ReplicaOptions(
                        "a",
                        List.of("a"),
                        1,
                        ReplicaRig.PLAIN,
                        ReplicaRig.PARAMETERS,
                        Divergence.OFF,
                        Map.of("--style", "active"),
                        Style.ACTIVE,
                        guarantee,
                        Long.MAX_VALUE,
                        BOTH),
                shell,
                RecordMemory.heap(1),
                SkipRule.UNANIMOUS,
                parts);
        replica.onLeader("a", shell.now);
        return replica;
    }

    @Test
    void overAnOrderThatMayBeViolatedNoGroupIsRaised() {
        for (OrderedLog.Guarantee guarantee : OrderedLog.Guarantee.values()) {
            ReplicaRig shell = new ReplicaRig("a");
            Replica replica = alone(shell, guarantee, new ReplicaParts());
            replica.onTick(shell.now, ReplicaRig.EPOCH);
            replica.onDelivered(1, shell.submitted.remove().entry().encode(), shell.now);
            replica.onTick(shell.now, ReplicaRig.EPOCH);
            assertEquals(
                    guarantee == OrderedLog.Guarantee.QUASI_TOTAL ? List.of() : List.of(2),
                    raises(shell),
                    guarantee.name());
        }
    }

    // ------------------------------------------------- builds that do not speak it

    @Test
    void aMemberThatDoesNotSpeakARaiseAppliesNeitherThatNorAnythingBehindIt() {
        ReplicaRig rig = member(OLD, "b");
        rig.deliver(ofLevel(rig, 1, 8));
        long before = rig.replica.position();
        rig.deliver(raise(rig, 2));
        assertEquals(List.of(2), rig.levelsNotSpoken);
        rig.deliver(ofLevel(rig, 1, 9));
        rig.deliver(raise(rig, 3));
        rig.replica.onDelivered(++rig.position, new byte[0], rig.now);
        assertEquals(before, rig.replica.position());
        assertEquals(1, level(rig));
        assertEquals(1, rig.executing.size());
        assertEquals(List.of(2), rig.levelsNotSpoken, "told once");
    }

    @Test
    void aMemberThatDoesNotSpeakTheLevelOfASnapshotTakesNothingOfIt() {
        ReplicaRig donor = member(BOTH, "b");
        donor.deliver(raise(donor, 2));
        byte[] snapshot = donor.replica.snapshots().take();
        assertEquals(Optional.empty(), donor.replica.snapshots().obstacle(snapshot));
        ReplicaRig rig = member(OLD, "b");
        rig.deliver(ofLevel(rig, 1, 8));
        long before = rig.replica.position();
        assertEquals(OLD.obstacle(2), rig.replica.snapshots().obstacle(snapshot));
        rig.replica.snapshots().install(snapshot, rig.now);
        assertEquals(List.of(2), rig.levelsNotSpoken);
        assertEquals(before, rig.replica.position());
        rig.deliver(ofLevel(rig, 1, 9));
        assertEquals(before, rig.replica.position());
        assertEquals(1, rig.executing.size());
    }

    @Test
    void aSnapshotCarriesTheLevelOfItsPosition() {
        ReplicaRig donor = member(BOTH, "b");
        SnapshotCut before = donor.replica.snapshots().cut();
        donor.deliver(raise(donor, 2));
        SnapshotCut behind = donor.replica.snapshots().cut();
        assertEquals(1, SnapshotCodec.level(before.encode()));
        assertEquals(2, SnapshotCodec.level(behind.encode()));
        ReplicaRig joiner = new ReplicaRig("c", BOTH);
        joiner.replica.snapshots().install(behind.encode(), joiner.now);
        assertEquals(2, level(joiner));
        assertEquals(List.of(), joiner.levelsNotSpoken);
    }

    /** Its build does not know all that was possible at the first level. */
    @Test
    void aBuildThatBeginsAboveTheLevelOfTheGroupEnds() {
        ReplicaRig fromTheLog = new ReplicaRig("a", NEW);
        fromTheLog.deliverStart(ReplicaRig.PARAMETERS);
        assertEquals(List.of(1), fromTheLog.levelsNotSpoken);
        assertEquals(0, fromTheLog.replica.position());
        ReplicaRig fromASnapshot = new ReplicaRig("a", NEW);
        byte[] snapshot = member(OLD, "b").replica.snapshots().take();
        fromASnapshot.replica.snapshots().install(snapshot, fromASnapshot.now);
        assertEquals(List.of(1), fromASnapshot.levelsNotSpoken);
        assertEquals(0, fromASnapshot.replica.position());
    }

    @Test
    void aGroupOfSuchBuildsStartsAtTheirLowestLevelOnceAllTellIt() {
        ReplicaRig rig = new ReplicaRig("a", NEW);
        rig.replica.onLeader("a", rig.now);
        rig.reportClock("b", ReplicaRig.EPOCH);
        tells(rig, "b", 2);
        tells(rig, "c", 1);
        rig.tick();
        assertTrue(rig.submitted.isEmpty(), "c would end");
        tells(rig, "c", 2);
        rig.now += 100;
        rig.tick();
        OrderedEntry start = rig.submitted.element().entry();
        assertEquals(Optional.of(ReplicaRig.PARAMETERS), start.start());
        assertEquals(2, start.raise());
        rig.deliverNext();
        assertEquals(2, level(rig));
        assertEquals(List.of(), rig.levelsNotSpoken);
    }

    @Test
    void entriesBeforeTheStartEndNoMember() {
        ReplicaRig rig = new ReplicaRig("a", NEW);
        rig.deliverOf("b", 1, rig.request(1));
        assertEquals(1, rig.replica.position());
        assertEquals(List.of(), rig.levelsNotSpoken);
    }
}
