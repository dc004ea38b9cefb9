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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A member that was dead while the others ordered very many entries, and comes back while they go on. */
@Timeout(900)
final class AwayMemberTest {
    private static final Duration BOUND = Duration.ofSeconds(800);

    @TempDir
    private Path data = Path.of("unset");

    private final Map<String, MemberProcess> processes = new LinkedHashMap<>();

    @AfterEach
    void end() {
        processes.values().forEach(MemberProcess::close);
    }

    @Test
    void itComesBackAfterThousandsOfEntriesWhileOthersAreOrdered() {
        comeBackAfter(15_000);
    }

    @Test
    @Tag("slow")
    void itComesBackAfterAMillionEntriesWhileOthersAreOrdered() {
        comeBackAfter(1_000_000);
    }

    private void comeBackAfter(int entries) {
        List<Member> members = FreePorts.members(3);
        members.forEach(member ->
                processes.put(member.id(), new MemberProcess(member.id(), members, "raft", "file", data, "-")));
        await().atMost(BOUND)
                .until(() -> processes.containsKey(leader())
                        && processes.values().stream()
                                .allMatch(each -> each.leader().equals(leader())));
        MemberProcess leads = process(leader());
        MemberProcess away = process(processes.keySet().stream()
                .filter(id -> !id.equals(leader()))
                .reduce((one, other) -> other)
                .orElseThrow());
        away.kill();
        leads.say("push " + entries + " 100 500");
        await().atMost(BOUND).until(() -> !leads.last("pushed").isEmpty());

        leads.say("flow 4000");
        long start = System.nanoTime();
        away.restart();
        await().atMost(BOUND).pollInterval(Duration.ofMillis(100)).until(() -> {
            away.say("where");
            return position(away) >= entries;
        });
        System.out.printf("back after %,d entries in %,d ms%n", entries, (System.nanoTime() - start) / 1_000_000);
        await().atMost(BOUND).until(() -> !leads.last("flowed").isEmpty());
        await().atMost(BOUND).pollInterval(Duration.ofMillis(200)).until(() -> {
            processes.values().forEach(process -> process.say("where"));
            return processes.values().stream()
                            .map(process -> process.last("at "))
                            .distinct()
                            .count()
                    == 1;
        });
        assertTrue(position(away) > entries, "others were ordered while it came back");
    }

    private String leader() {
        return process("a").leader();
    }

    private MemberProcess process(String id) {
        MemberProcess process = processes.get(id);
        assertTrue(process != null, id);
        return process;
    }

    private static long position(MemberProcess process) {
        String at = process.last("at ");
        return at.isEmpty() ? -1 : Long.parseLong(at.substring(0, at.indexOf(' ')));
    }
}
