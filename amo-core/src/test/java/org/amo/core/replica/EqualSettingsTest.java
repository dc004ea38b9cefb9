package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.PeerMessage.Settings;
import org.amo.core.replica.ReplicaSettings.Divergence;
import org.amo.core.replica.ReplicaSettings.Style;
import org.junit.jupiter.api.Test;

/** Settings that must be equal at all members (docs/decisions/0090-equal-settings.md). */
final class EqualSettingsTest {
    private static final Map<String, String> OURS = Map.of("--random", "seeded", "--style", "active");
    private static final Map<String, String> OTHER = Map.of("--random", "leader", "--style", "active");

    private final ReplicaRig rig = new ReplicaRig("c", OURS);

    private void says(String member, Map<String, String> settings) {
        rig.replica.onMessage(member, new Settings(false, settings).encode(), rig.now);
    }

    private List<String> told() {
        List<String> words = rig.sent.stream()
                .filter(sent -> sent.message() instanceof Settings)
                .map(sent -> sent.to() + (((Settings) sent.message()).asks() ? " asked" : " told"))
                .toList();
        rig.sent.clear();
        return words;
    }

    @Test
    void eachMemberIsAskedUntilItIsHeard() {
        rig.tick();
        assertEquals(List.of("a asked", "b asked"), told());
        rig.tick();
        assertEquals(List.of(), told());
        says("b", OURS);
        rig.now += 1_000;
        rig.tick();
        assertEquals(List.of("a asked"), told());
        says("a", OURS);
        rig.now += 1_000;
        rig.tick();
        assertEquals(List.of(), told());
    }

    private EqualSettings settings(Map<String, String> ours) {
        return new EqualSettings(
                new ReplicaOptions(
                        "c",
                        List.of("a", "b", "c"),
                        1,
                        ReplicaRig.PLAIN,
                        ReplicaRig.PARAMETERS,
                        Divergence.OFF,
                        ours,
                        Style.ACTIVE,
                        OrderedLog.Guarantee.UNIFORM,
                        Long.MAX_VALUE,
                        FeatureLevels.OF_BUILD),
                rig);
    }

    /** Each member tells how far it lets the group come; nothing that a silent one told counts. */
    @Test
    void theLevelsThatMembersToldLatelyAreThere() {
        EqualSettings settings = settings(OURS);
        settings.onSettings("a", new Settings(false, Map.of(ReplicaOptions.FEATURE_LEVEL, "2")), rig.now);
        assertEquals(levels(0, 0, 1), settings.levelsTold(rig.now), "a was not heard");
        settings.onHeard("a", rig.now);
        assertEquals(levels(2, 0, 1), settings.levelsTold(rig.now));
        settings.onHeard("b", rig.now + 1);
        settings.onSettings("b", new Settings(false, OURS), rig.now);
        assertEquals(levels(2, 0, 1), settings.levelsTold(rig.now + 5_000), "b has told none");
        for (String wrong : List.of("0", "-1", "two", "1234567890", "")) {
            settings.onSettings("b", new Settings(false, Map.of(ReplicaOptions.FEATURE_LEVEL, wrong)), rig.now);
            assertEquals(levels(2, 0, 1), settings.levelsTold(rig.now + 5_000), wrong);
        }
        settings.onSettings("b", new Settings(false, Map.of(ReplicaOptions.FEATURE_LEVEL, "3")), rig.now);
        assertEquals(levels(2, 3, 1), settings.levelsTold(rig.now + 5_000));
        assertEquals(levels(0, 3, 1), settings.levelsTold(rig.now + 5_001), "a is silent for more than 5 s");
        settings.onMembers(List.of("b", "c"));
        assertEquals(levels(3, 1), settings.levelsTold(rig.now));
        settings.onMembers(List.of("b", "c", "d"));
        assertEquals(levels(3, 1, 0), settings.levelsTold(rig.now), "d has told nothing");
        settings.onSettings("b", new Settings(false, Map.of(ReplicaOptions.FEATURE_LEVEL, "1")), rig.now);
        assertEquals(levels(1, 1, 0), settings.levelsTold(rig.now), "b came back with another build");
    }

    private static List<OptionalInt> levels(int... told) {
        return Arrays.stream(told)
                .mapToObj(level -> level == 0 ? OptionalInt.empty() : OptionalInt.of(level))
                .toList();
    }

    @Test
    void levelsMayDiffer() {
        Map<String, String> newer = new HashMap<>(OURS);
        newer.put(ReplicaOptions.FEATURE_LEVEL, "2");
        says("a", newer);
        says("b", newer);
        rig.now += 10_000;
        rig.tick();
        assertEquals(List.of(), rig.settings);
        assertTrue(rig.replica.hasEqualSettings());
    }

    /** Each has the heap that its machine has room for. */
    @Test
    void theLongestUpdateThatAMemberCanHoldIsToldAndNotCompared() {
        Map<String, String> ours = Map.of(ReplicaOptions.MOST_UPDATE_BYTES, "300");
        EqualSettings settings = settings(ours);
        settings.onTick(rig.now);
        assertEquals(withLevel(ours), firstSent(rig).values());
        settings.onHeard("a", rig.now);
        settings.onHeard("b", rig.now);
        settings.onSettings("a", new Settings(false, Map.of(ReplicaOptions.MOST_UPDATE_BYTES, "200")), rig.now);
        settings.onSettings("b", new Settings(false, Map.of(ReplicaOptions.MOST_UPDATE_BYTES, "200")), rig.now);
        settings.onTick(rig.now + 10_000);
        assertEquals(List.of(), rig.settings);
        assertTrue(settings.isAgreed());
    }

    @Test
    void theLeastOfTheNumbersThatMembersToldCounts() {
        assertEquals(OptionalLong.empty(), settings(OURS).least("bytes"));
        EqualSettings settings = settings(Map.of("bytes", "300"));
        assertEquals(OptionalLong.of(300), settings.least("bytes"));
        settings.onSettings("a", new Settings(false, Map.of("bytes", "400")), rig.now);
        assertEquals(OptionalLong.of(300), settings.least("bytes"));
        settings.onSettings("b", new Settings(false, Map.of("bytes", "200")), rig.now);
        assertEquals(OptionalLong.of(200), settings.least("bytes"));
        settings.onSettings("b", new Settings(false, Map.of("bytes", "no number")), rig.now);
        assertEquals(OptionalLong.of(300), settings.least("bytes"));
        settings.onSettings("a", new Settings(false, Map.of("bytes", "100")), rig.now);
        settings.onMembers(List.of("b", "c"));
        assertEquals(OptionalLong.of(300), settings.least("bytes"), "a is no member any more");
    }

    /** A run with a longer update is undone: a member with less heap could not apply it, in each of its lives. */
    @Test
    void theMemberWithTheSmallestHeapLimitsTheUpdates() {
        assertEquals(ServantPort.MAX_UPDATE_BYTES, rig.replica.mostUpdateBytes());
        says("a", Map.of(ReplicaOptions.MOST_UPDATE_BYTES, "5000"));
        says("b", Map.of(ReplicaOptions.MOST_UPDATE_BYTES, "7000"));
        assertEquals(5_000, rig.replica.mostUpdateBytes());
    }

    @Test
    void aMemberThatAsksIsTold() {
        rig.replica.onMessage("a", new Settings(true, OURS).encode(), rig.now);
        assertEquals(List.of("a told"), told());
        says("a", OURS);
        assertEquals(List.of(), told());
        rig.replica.onMessage("stranger", new Settings(true, OURS).encode(), rig.now);
        assertEquals(List.of(), told());
    }

    @Test
    void aMemberThatDiffersFromAMajorityIsToldAtOnceAndOnce() {
        assertFalse(rig.replica.hasEqualSettings());
        says("a", OTHER);
        assertEquals(List.of(), rig.settings);
        says("b", OTHER);
        assertEquals(List.of("--random: seeded here, leader at [a, b]"), rig.settings);
        says("b", OTHER);
        rig.now += 10_000;
        rig.tick();
        assertEquals(1, rig.settings.size());
        assertFalse(rig.replica.hasEqualSettings());
    }

    @Test
    void aMemberOfAMajorityStaysAlsoIfTheLeaderDiffers() {
        rig.replica.onLeader("a", rig.now);
        says("a", OTHER);
        says("b", OURS);
        assertTrue(rig.replica.hasEqualSettings());
        for (int i = 0; i < 10; i++) {
            rig.now += 1_000;
            says("a", OTHER);
            says("b", OURS);
            rig.tick();
        }
        assertEquals(List.of(), rig.settings);
    }

    @Test
    void withoutAMajorityTheLeadersValueCountsAfterAMoment() {
        rig.replica.onLeader("a", rig.now);
        says("a", OTHER);
        rig.now += EqualSettings.PATIENCE_MILLIS - 1;
        rig.tick();
        assertEquals(List.of(), rig.settings);
        rig.now += 1;
        rig.tick();
        assertEquals(List.of("--random: seeded here, leader at [a]"), rig.settings);
    }

    @Test
    void theLeaderItselfAndAMemberWithoutALeaderStay() {
        says("a", OTHER);
        rig.now += 4_000;
        rig.tick();
        rig.replica.onLeader("c", rig.now);
        for (int i = 0; i < 3; i++) {
            rig.now += 4_000;
            says("a", OTHER);
            rig.tick();
        }
        assertEquals(List.of(), rig.settings);
    }

    @Test
    void theMembersOfTheMomentAreCompared() {
        says("d", OTHER);
        says("e", OTHER);
        assertEquals(List.of(), rig.settings, "they are no members");
        rig.replica.onMembers(List.of("c", "d", "e"));
        says("d", OTHER);
        says("e", OTHER);
        assertEquals(List.of("--random: seeded here, leader at [d, e]"), rig.settings);
    }

    /** It may have started again with other settings. */
    @Test
    void aSilentMemberCountsNoMore() {
        says("a", OTHER);
        rig.now += 5_001;
        says("b", OTHER);
        assertEquals(List.of(), rig.settings);
        rig.replica.onMessage("a", new PeerMessage.WallClock(5).encode(), rig.now);
        rig.tick();
        assertEquals(List.of("--random: seeded here, leader at [a, b]"), rig.settings);
    }

    @Test
    void aMemberThatWasHeardFiveSecondsAgoCounts() {
        says("a", OTHER);
        rig.now += 5_000;
        says("b", OTHER);
        assertEquals(List.of("--random: seeded here, leader at [a, b]"), rig.settings);
    }

    /** Another version of amo may have one setting more, or one fewer. */
    @Test
    void aSettingThatOneSideDoesNotKnowIsNotCompared() {
        says("a", Map.of("--random", "seeded", "--new", "1"));
        says("b", Map.of());
        assertTrue(rig.replica.hasEqualSettings());
        rig.now += 3_000;
        rig.tick();
        assertEquals(List.of(), rig.settings);
    }

    private static Settings firstSent(ReplicaRig rig) {
        return rig.sent.stream()
                .map(ReplicaRig.Sent::message)
                .filter(Settings.class::isInstance)
                .map(Settings.class::cast)
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, String> withLevel(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put(ReplicaOptions.FEATURE_LEVEL, "1");
        return all;
    }

    @Test
    void aValueOfTwoHundredCharactersIsSentWhole() {
        Map<String, String> whole = Map.of("exclude", "x".repeat(200));
        ReplicaRig one = new ReplicaRig("c", whole);
        one.tick();
        assertEquals(withLevel(whole), firstSent(one).values());
    }

    @Test
    void longValuesAreComparedByTheirBeginningAndAHash() {
        String packages = "com.example.a,".repeat(100);
        ReplicaRig one = new ReplicaRig("c", Map.of("exclude", packages));
        one.tick();
        Settings sent = firstSent(one);
        assertTrue(sent.values().get("exclude").length() < 200, sent.toString());
        ReplicaRig other = new ReplicaRig("c", Map.of("exclude", packages + "x"));
        other.replica.onMessage("a", sent.encode(), other.now);
        other.replica.onMessage("b", sent.encode(), other.now);
        assertEquals(1, other.settings.size());
    }

    /** Each of its characters is two chars. */
    @Test
    void aLongValueIsEqualToItselfWhereverItIsCut() {
        for (int letters = 148; letters <= 150; letters++) {
            Map<String, String> settings = Map.of("exclude", "x".repeat(letters) + "\uD83D\uDE00".repeat(60));
            ReplicaRig one = new ReplicaRig("c", settings);
            one.tick();
            byte[] sent = firstSent(one).encode();
            ReplicaRig other = new ReplicaRig("b", settings);
            other.replica.onMessage("a", sent, other.now);
            other.replica.onMessage("c", sent, other.now);
            assertEquals(List.of(), other.settings, letters + " letters before");
            assertTrue(other.replica.hasEqualSettings());
        }
    }

    @Test
    void withoutSettingsNothingIsComparedOrSaid() {
        ReplicaRig silent = new ReplicaRig("c");
        silent.tick();
        silent.replica.onMessage("a", new Settings(true, OTHER).encode(), silent.now);
        assertTrue(silent.sent.stream().noneMatch(sent -> sent.message() instanceof Settings));
        assertTrue(silent.replica.hasEqualSettings());
    }
}
