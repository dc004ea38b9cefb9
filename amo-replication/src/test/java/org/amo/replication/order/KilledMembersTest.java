package org.amo.replication.order;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Members in processes of their own, killed with kill -9 while entries flow. */
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
final class KilledMembersTest {
    private static final Duration BOUND = Duration.ofSeconds(60);

    /** To {@link MemberMain}. */
    private static final String NO_SECRET = "-";

    @TempDir
    private Path data = Path.of("unset");

    private final Map<String, MemberProcess> processes = new LinkedHashMap<>();

    @AfterEach
    void end() {
        processes.values().forEach(MemberProcess::close);
    }

    @Test
    void leaderAndFollowerDieWhileEntriesFlowAndComeBackToTheSameSequence() {
        startThree("raft", "fsync");
        String first = awaitLeader(processes.keySet().stream().toList());
        processes.values().forEach(process -> process.say("flow 4000"));
        awaitMoved(first, 200);

        process(first).kill();
        List<String> rest = others(first);
        String second = awaitLeader(rest);
        assertNotEquals(first, second);
        long atKill = position(second);
        // The first flow lasts four seconds, and finding the new leader may take longer on a busy machine.
        process(second).say("flow 2000");
        awaitMoved(second, atKill + 200);

        process(first).restart();
        await().atMost(BOUND)
                .until(() -> process(first).leader().equals(process(second).leader()));
        String follower =
                rest.stream().filter(id -> !id.equals(second)).findFirst().orElseThrow();
        process(first).say("flow 2000");
        awaitMoved(second, position(second) + 50);
        process(follower).kill();
        awaitMoved(second, position(second) + 100);
        process(follower).restart();

        awaitEqual();
        assertPrintsNothingElse(second);
    }

    /**
     * Not the death of the member that orders: after it the survivors may differ, and SequencerLog then halts rather
     * than let both go on.
     */
    @Test
    void aFollowerOfTheSequencerDiesWhileEntriesFlowAndComesBackToTheSameSequence() {
        startThree("sequencer", "file");
        String first = awaitLeader(processes.keySet().stream().toList());
        processes.values().forEach(process -> process.say("flow 2000"));
        awaitMoved(first, 200);
        String follower = others(first).get(0);
        process(follower).kill();
        long atKill = position(first);
        process(first).say("flow 1000");
        awaitMoved(first, atKill + 200);
        process(follower).restart();

        awaitEqual();
        assertPrintsNothingElse(first);
    }

    @Test
    @Tag("slow")
    void aMemberThatLostItsMemoryLogIsRefused() {
        startThree("raft", "memory");
        String leader = awaitLeader(processes.keySet().stream().toList());
        processes.values().forEach(process -> process.say("flow 2000"));
        awaitMoved(leader, 100);

        process(leader).kill();
        String second = awaitLeader(others(leader));
        long atKill = position(second);
        processes.get(second).say("flow 500");
        awaitMoved(second, atKill + 20);
        process(leader).restart();

        assertNotEquals(0, process(leader).exitValue());
        assertFalse(process(leader).lines().contains("started"), "it never took part");
        assertPrintsNothingElse(second);
    }

    /** The log itself prints nothing, whatever it notices: each line is one of {@link MemberMain}. */
    private void assertPrintsNothingElse(String id) {
        List<String> foreign = process(id).lines().stream()
                .filter(line -> !line.matches("(started|leader|at|flowed).*"))
                .toList();
        assertEquals(List.of(), foreign);
    }

    private void startThree(String order, String log) {
        List<Member> members = FreePorts.members(3);
        for (Member member : members) {
            processes.put(member.id(), new MemberProcess(member.id(), members, order, log, data, NO_SECRET));
        }
    }

    private MemberProcess process(String id) {
        MemberProcess process = processes.get(id);
        assertTrue(process != null, "member " + id);
        return process;
    }

    private List<String> others(String id) {
        return processes.keySet().stream().filter(other -> !other.equals(id)).toList();
    }

    private String awaitLeader(List<String> ids) {
        await().atMost(BOUND)
                .until(() -> ids.contains(process(ids.get(0)).leader())
                        && ids.stream()
                                        .map(id -> process(id).leader())
                                        .distinct()
                                        .count()
                                == 1);
        return process(ids.get(0)).leader();
    }

    private void awaitMoved(String id, long position) {
        await().atMost(BOUND).until(() -> position(id) >= position);
    }

    private long position(String id) {
        String at = where(id);
        return Long.parseLong(at.substring(0, at.indexOf(' ')));
    }

    private String where(String id) {
        MemberProcess process = process(id);
        long answers =
                process.lines().stream().filter(line -> line.startsWith("at ")).count();
        process.say("where");
        await().atMost(BOUND)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> process.lines().stream()
                                .filter(line -> line.startsWith("at "))
                                .count()
                        > answers);
        return process.last("at ");
    }

    /** All flows have ended, and all members are at one position with one hash over what they delivered. */
    private void awaitEqual() {
        await().atMost(BOUND).pollInterval(Duration.ofMillis(300)).until(() -> {
            String one = where("a");
            return one.equals(where("b")) && one.equals(where("c")) && one.equals(where("a"));
        });
        for (MemberProcess process : processes.values()) {
            assertEquals("", process.last("FALLING"));
        }
    }
}
