package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.base.SecretRing;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaSettings.RandomSource;
import org.amo.core.replica.ServantPort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ExecutedSettingsTest {
    private static final Map<String, String> AGENT =
            Map.of("--deterministic (amo.deterministic)", "all", "--threads (amo.threads)", "warn");

    private static final Optional<String> BEFORE = Optional.of("the secret of before");
    private static final Optional<String> AFTER = Optional.of("the secret of after");

    private static final ServantPort ECHO = (position, time, request) -> request.body();

    @TempDir
    Path folder;

    private static ReplicaSettings settings(int executors, Map<String, String> ofProcess) {
        return ReplicaSettings.builder("bank", "a", Member.parseList("a=127.0.0.1:1/2"))
                .executors(executors)
                .ofProcess(ofProcess)
                .build();
    }

    private ExecutedSettings open(int executors, Map<String, String> ofProcess) {
        return ExecutedSettings.open(Optional.of(folder), settings(executors, ofProcess));
    }

    private String refused(int executors, Map<String, String> ofProcess) {
        OrderedLogException refusal = assertThrows(OrderedLogException.class, () -> open(executors, ofProcess));
        assertEquals(Fault.USER, refusal.fault());
        return String.valueOf(refusal.getMessage());
    }

    /** The clocks of the operations would begin elsewhere. */
    @Test
    void aLogThatWasExecutedSeriallyIsNotReplayedInParallel() throws IOException {
        open(1, AGENT).keep();
        open(1, AGENT).keep();
        String line = refused(4, AGENT);
        assertTrue(line.contains("--execute (amo.execute) 'parallel'") && line.contains("'serial'"), line);
        refused(4, AGENT);
        Files.delete(folder.resolve("settings"));
        open(4, AGENT).keep();
        assertTrue(refused(1, AGENT).contains("--execute (amo.execute) 'serial'"));
        open(2, AGENT);
    }

    @Test
    void theSettingsOfTheAgentStayToo() {
        open(1, AGENT).keep();
        assertTrue(
                refused(1, Map.of("--deterministic (amo.deterministic)", "random", "--threads (amo.threads)", "warn"))
                        .contains("--deterministic"));
        assertTrue(refused(1, Map.of("--deterministic (amo.deterministic)", "all", "--threads (amo.threads)", "refuse"))
                .contains("--threads"));
    }

    /** As on a full disk: the member goes on by itself once the disk takes them. */
    @Test
    void settingsThatTheDiskDoesNotTakeAreWrittenLater() throws IOException {
        Path missing = folder.resolve("missing");
        ExecutedSettings settings = ExecutedSettings.open(Optional.of(missing), settings(1, AGENT));
        assertFalse(settings.keep());
        Files.createDirectory(missing);
        for (int tick = 0; !settings.keep(); tick++) {
            assertTrue(tick < 40, "not tried again");
        }
        assertThrows(OrderedLogException.class, () -> ExecutedSettings.open(Optional.of(missing), settings(4, AGENT)));
    }

    /** Another value would end this process, and the operator could not correct it. */
    @Test
    void aProcessThatNoMajorityAgreedWithLeavesNoTrace() {
        open(4, AGENT);
        assertFalse(Files.exists(folder.resolve("settings")));
        open(1, AGENT).keep();
    }

    @Test
    void withoutClocksOfTheAgentExecutionMayChange() {
        Map<String, String> random = Map.of("--deterministic (amo.deterministic)", "random");
        open(1, random).keep();
        open(4, random).keep();
    }

    @Test
    void aLogThatWasExecutedWithoutTheAgentIsNotReplayedWithItAndViceVersa() throws IOException {
        open(1, Map.of()).keep();
        open(1, Map.of("--deterministic (amo.deterministic)", "none")).keep();
        assertTrue(refused(1, AGENT).contains("'all', and the requests of its log were executed with 'none'"));
        Files.delete(folder.resolve("settings"));
        open(1, AGENT).keep();
        assertTrue(refused(1, Map.of()).contains("'none', and the requests of its log were executed with 'all'"));
    }

    @Test
    void aSecretThatRandomNumbersFollowFromDoesNotChangeWhileTheMemberRuns() {
        assertTrue(takesChange(RandomSource.LEADER, AGENT));
        assertTrue(takesChange(RandomSource.SEEDED, Map.of()));
        assertFalse(takesChange(RandomSource.SEEDED, AGENT));
    }

    private static boolean takesChange(RandomSource random, Map<String, String> ofProcess) {
        SecretRing ring = SecretRing.of("the secret of before");
        ReplicaSettings settings = ReplicaSettings.builder("bank", "a", Member.parseList("a=127.0.0.1:1/2"))
                .secrets(Optional.of(ring))
                .random(Optional.of(random))
                .ofProcess(ofProcess)
                .build();
        ExecutedSettings unused = ExecutedSettings.open(Optional.empty(), settings);
        try {
            return ring.change("amo secrets\nthe secret of after\nthe secret of before");
        } catch (IllegalArgumentException e) {
            assertTrue(String.valueOf(e.getMessage()).contains("--random leader"), e.getMessage());
            return false;
        }
    }

    private ExecutedSettings openWith(Optional<String> secret, RandomSource random, Map<String, String> ofProcess) {
        return ExecutedSettings.open(
                Optional.of(folder),
                ReplicaSettings.builder("bank", "a", Member.parseList("a=127.0.0.1:1/2"))
                        .secret(secret)
                        .random(Optional.of(random))
                        .ofProcess(ofProcess)
                        .build());
    }

    private String note() throws IOException {
        return Files.readString(folder.resolve("settings"), StandardCharsets.ISO_8859_1);
    }

    /** Clients have the random numbers that followed from the former one. */
    @Test
    void aLogThatWasExecutedUnderAnotherSecretIsNotReplayed() throws IOException {
        openWith(BEFORE, RandomSource.SEEDED, AGENT).keep();
        openWith(BEFORE, RandomSource.SEEDED, AGENT).keep();
        for (Optional<String> other : List.of(AFTER, Optional.<String>empty())) {
            OrderedLogException refusal =
                    assertThrows(OrderedLogException.class, () -> openWith(other, RandomSource.SEEDED, AGENT));
            assertEquals(Fault.USER, refusal.fault());
            assertTrue(String.valueOf(refusal.getMessage()).contains("the group's secret"), refusal::toString);
        }
        assertFalse(note().contains(BEFORE.orElseThrow()));
        Files.delete(folder.resolve("settings"));
        openWith(Optional.empty(), RandomSource.SEEDED, AGENT).keep();
        assertThrows(OrderedLogException.class, () -> openWith(AFTER, RandomSource.SEEDED, AGENT));
    }

    /** docs/wire/small-files.md: a member of the next version has to find the same. */
    @Test
    void theMarkOfASecretIsThatOfTheWirePage() throws IOException {
        openWith(BEFORE, RandomSource.SEEDED, AGENT).keep();
        assertTrue(note().contains("\nthe group's secret (a mark of it)=3013"), note());
    }

    @Test
    void theSecretMayChangeIfNoRandomNumberFollowsFromIt() throws IOException {
        Map<String, String> clocks = Map.of("--deterministic (amo.deterministic)", "time,identity");
        openWith(BEFORE, RandomSource.SEEDED, clocks).keep();
        openWith(AFTER, RandomSource.SEEDED, clocks).keep();
        Files.delete(folder.resolve("settings"));
        openWith(BEFORE, RandomSource.LEADER, AGENT).keep();
        openWith(AFTER, RandomSource.LEADER, AGENT).keep();
        openWith(AFTER, RandomSource.SEEDED, AGENT).keep();
        assertThrows(OrderedLogException.class, () -> openWith(BEFORE, RandomSource.SEEDED, AGENT));
    }

    @Test
    void aMemberWithoutAFolderRemembersNothing() {
        ExecutedSettings.open(Optional.empty(), settings(1, AGENT)).keep();
        ExecutedSettings.open(Optional.empty(), settings(4, AGENT)).keep();
    }

    @Test
    @Timeout(60)
    void aMemberKeepsThemBeforeItServes() {
        ReplicationProvider provider = new ReplicationProvider();
        List<Member> alone = FreePorts.members(1);
        provider.open(ofMember(alone, 1), ECHO, why -> {}).close();
        OrderedLogException refusal =
                assertThrows(OrderedLogException.class, () -> provider.open(ofMember(alone, 4), ECHO, why -> {}));
        assertEquals(Fault.USER, refusal.fault());
    }

    private ReplicaSettings ofMember(List<Member> members, int executors) {
        return ReplicaSettings.builder("bank", "a", members)
                .data(folder)
                .executors(executors)
                .ofProcess(AGENT)
                .build();
    }
}
