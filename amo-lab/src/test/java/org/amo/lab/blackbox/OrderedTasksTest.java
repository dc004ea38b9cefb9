package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.omg.CORBA.Request;
import org.omg.CORBA.TCKind;

/** A servant whose operations start threads, tasks and timers, unmodified on three replicas that order them. */
@Timeout(180)
final class OrderedTasksTest {
    private static final BankCluster.Settings SETTINGS =
            BankCluster.Settings.bank("tasking").main(TaskingServer.class).property("amo.threads", "ordered");

    @Test
    void tasksAndTimersRunOnceAtOnePlaceThroughAKillAndReplays() {
        try (BankCluster cluster = BankCluster.start(SETTINGS);
                Orb orb = Orb.client()) {
            org.omg.CORBA.Object tasking = orb.object(cluster.reference());
            start(tasking, 20, 500);
            // No call comes, so the leader must order entries for the timers.
            awaitTimers(cluster);
            assertTrue(call(tasking, "count").startsWith("20 20 20 20 "), call(tasking, "count"));

            // The member dies with timers of its own pending, and the others fire them.
            start(tasking, 5, 2_000);
            MemberProcess killed = cluster.follower();
            killed.kill();
            start(tasking, 20, 500);
            cluster.restart(killed);
            start(tasking, 5, 200);
            awaitTimers(cluster);
            String counted = call(tasking, "count");
            assertTrue(counted.startsWith("50 50 50 50 "), counted);
            assertAgreement(cluster);

            start(tasking, 3, 3_000);
            cluster.processes().forEach(MemberProcess::kill);
            cluster.startAll();
            awaitTimers(cluster);
            counted = call(tasking, "count");
            assertTrue(counted.startsWith("53 53 53 53 "), counted);
            call(tasking, "count");
            assertAgreement(cluster);
            assertEquals(Set.of(), cluster.executedMoreThanOnce());
        }
    }

    private static void awaitTimers(BankCluster cluster) {
        cluster.awaitThat(
                "no timer is pending at any member", () -> cluster.up().stream().allMatch(member -> member.ask()
                        .filter(status -> status.number("pendingTimers") == 0
                                && status.number("executedPosition") == status.number("position"))
                        .isPresent()));
    }

    private static void start(org.omg.CORBA.Object tasking, int times, long delayMillis) {
        for (int i = 0; i < times; i++) {
            call(tasking, "start", delayMillis);
        }
    }

    private static String call(org.omg.CORBA.Object tasking, String operation, long... arguments) {
        Request request = tasking._request(operation);
        for (long argument : arguments) {
            request.add_in_arg().insert_longlong(argument);
        }
        request.set_return_type(org.omg.CORBA.ORB.init().get_primitive_tc(TCKind.tk_string));
        request.invoke();
        Exception failure = request.env().exception();
        if (failure != null) {
            throw new AssertionError(operation + " failed", failure);
        }
        return request.return_value().extract_string();
    }

    /** Digests are equal, and so is each reply that two members have given, in any of their lives. */
    private static void assertAgreement(BankCluster cluster) {
        cluster.awaitEqual();
        Map<String, Set<String>> replies = cluster.processes().stream()
                .flatMap(member -> member.executed().stream())
                .collect(Collectors.groupingBy(
                        MemberProcess.Executed::id,
                        Collectors.mapping(MemberProcess.Executed::value, Collectors.toSet())));
        assertTrue(replies.size() > 50);
        replies.forEach((id, values) -> assertEquals(1, values.size(), "replies to " + id + " differ: " + values));
        List<Long> pending = cluster.numbers("pendingTimers");
        assertEquals(Set.of(0L), new HashSet<>(pending));
    }
}
