package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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
            assertTrue(Orb.text(tasking, "count").startsWith("20 20 20 20 "), Orb.text(tasking, "count"));

            // The member dies with timers of its own pending, and the others fire them.
            start(tasking, 5, 2_000);
            MemberProcess killed = cluster.follower();
            killed.kill();
            start(tasking, 20, 500);
            cluster.restart(killed);
            start(tasking, 5, 200);
            awaitTimers(cluster);
            String counted = Orb.text(tasking, "count");
            assertTrue(counted.startsWith("50 50 50 50 "), counted);
            assertAgreement(cluster);

            start(tasking, 3, 1_500);
            cluster.processes().forEach(MemberProcess::kill);
            cluster.startAll();
            awaitTimers(cluster);
            counted = Orb.text(tasking, "count");
            assertTrue(counted.startsWith("53 53 53 53 "), counted);
            Orb.text(tasking, "count");
            assertAgreement(cluster);
            assertEquals(Set.of(), cluster.executedMoreThanOnce());
        }
    }

    /** A periodic one, which would end them at each of its times. */
    @Test
    void aTimerThatEndsTheMembersIsCancelledAndTheGroupGoesOn() {
        try (BankCluster cluster = BankCluster.start(SETTINGS);
                Orb orb = Orb.client()) {
            org.omg.CORBA.Object tasking = orb.object(cluster.reference());
            start(tasking, 5, 200);
            awaitTimers(cluster);
            long before = Collections.max(cluster.numbers("position"));
            Orb.text(tasking, "overflowLater");
            cluster.awaitThat("all members have gone on without the timer", () -> {
                // As a supervisor does.
                cluster.processes().stream().filter(member -> !member.isUp()).forEach(cluster::launch);
                return cluster.processes().stream().allMatch(member -> isWithoutTimers(member, before));
            });
            start(tasking, 5, 200);
            awaitTimers(cluster);
            String counted = Orb.text(tasking, "count");
            assertTrue(counted.startsWith("10 10 10 10 "), counted);
            cluster.assertAgreement(10);
        }
    }

    /** A periodic timer is always pending, so no other member can give its state. */
    @Test
    void aMemberThatAPeriodicTimerEndedOnceGoesOnWithTheOthers(@TempDir Path folder) throws IOException {
        Path file = Files.createFile(folder.resolve("overflow"));
        BankCluster.Settings settings = SETTINGS.property("b", TaskingServer.OVERFLOWS, file.toString());
        try (BankCluster cluster = BankCluster.start(settings);
                Orb orb = Orb.client()) {
            org.omg.CORBA.Object tasking = orb.object(cluster.reference());
            Orb.text(tasking, "overflowOnce");
            cluster.awaitThat(
                    "the timer has ended a member",
                    () -> cluster.up().size() < cluster.processes().size());
            Orb.text(tasking, "count");
            long behind = Collections.max(cluster.numbers("position"));
            cluster.awaitThat("all members have run the call behind that timer", () -> {
                // As a supervisor does.
                cluster.processes().stream().filter(member -> !member.isUp()).forEach(cluster::launch);
                return cluster.processes().stream().allMatch(member -> member.ask()
                        .filter(status -> status.number("executedPosition") >= behind)
                        .isPresent());
            });
            cluster.awaitThat("it recurs at all members", () -> cluster.numbers("pendingTimers")
                    .equals(List.of(1L, 1L, 1L)));
        }
    }

    private static void awaitTimers(BankCluster cluster) {
        cluster.awaitThat("no timer is pending at any member", () -> cluster.up().stream()
                .allMatch(member -> isWithoutTimers(member, 0)));
    }

    private static boolean isWithoutTimers(MemberProcess member, long behind) {
        return member.ask()
                .filter(status -> status.number("pendingTimers") == 0
                        && status.number("position") > behind
                        && status.number("executedPosition") == status.number("position"))
                .isPresent();
    }

    private static void start(org.omg.CORBA.Object tasking, int times, long delayMillis) {
        for (int i = 0; i < times; i++) {
            Orb.text(tasking, "start", delayMillis);
        }
    }

    private static void assertAgreement(BankCluster cluster) {
        cluster.assertAgreement(51);
        List<Long> pending = cluster.numbers("pendingTimers");
        assertEquals(Set.of(0L), new HashSet<>(pending));
    }
}
