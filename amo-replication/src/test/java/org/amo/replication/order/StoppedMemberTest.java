package org.amo.replication.order;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A follower that stands still and reads nothing, so that every buffer to it is soon full. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
final class StoppedMemberTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    /** The members' patience is 8 s: who had to wait for it paused longer than this. */
    private static final long LONGEST_PAUSE_MILLIS = 4_000;

    @TempDir
    private Path data = Path.of("unset");

    private final Map<String, MemberProcess> processes = new LinkedHashMap<>();

    @AfterEach
    void end() {
        processes.values().forEach(MemberProcess::close);
    }

    @Test
    void theOthersGoOnAndItGetsWhatItMissed() {
        List<Member> members = FreePorts.members(3);
        members.forEach(member ->
                processes.put(member.id(), new MemberProcess(member.id(), members, "raft", "file", data, "-")));
        await().atMost(BOUND)
                .until(() -> processes.values().stream()
                                        .map(MemberProcess::leader)
                                        .distinct()
                                        .count()
                                == 1
                        && processes.containsKey(processes.get("a").leader()));
        String leader = processes.get("a").leader();
        String follower = processes.keySet().stream()
                .filter(id -> !id.equals(leader))
                .findFirst()
                .orElseThrow();

        processes.get(follower).signal("STOP");
        // More than the credits of flow control (8 MB) and what two sockets hold.
        processes.get(leader).say("push 3000 10000 50");
        await().atMost(BOUND).until(() -> !processes.get(leader).last("pushed").isEmpty());
        processes.get(follower).signal("CONT");

        String told = processes.get(leader).last("pushed");
        long pause = Long.parseLong(told.substring(told.lastIndexOf(' ') + 1));
        assertTrue(pause < LONGEST_PAUSE_MILLIS, "nothing was delivered for " + pause + " ms");
        await().atMost(BOUND).pollInterval(Duration.ofMillis(300)).until(() -> {
            processes.values().forEach(process -> process.say("where"));
            return processes.values().stream()
                                    .map(process -> process.last("at "))
                                    .distinct()
                                    .count()
                            == 1
                    && processes.get(leader).last("at ").startsWith("3000 ");
        });
    }
}
