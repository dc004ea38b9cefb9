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
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A servant whose operations start threads, tasks and timers, unmodified on three replicas that order them. It is of style leader, so the
 * seeds of all that is drawn are in the log. One group serves all tests; the one whose timer stays comes last.
 */
@Timeout(180)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class OrderedTasksTest {
    @TempDir
    private static Path folder = Path.of("unset");

    /** Whether the kill of a member and its replay are followed by those of all: the next test ends each of them by a timer. */
    private static final boolean ALL_DIE = Boolean.getBoolean("amo.allSeeds");

    private static BankCluster cluster;

    /** Operations of {@link #start} on this group. */
    private static long started;

    @BeforeAll
    static void startThree() throws IOException {
        started = 0;
        Path file = Files.createFile(folder.resolve("overflow"));
        cluster = BankCluster.start(BankCluster.Settings.bank("tasking")
                .main(TaskingServer.class)
                .property("amo.threads", "ordered")
                .property("amo.style", "leader")
                .property("b", TaskingServer.OVERFLOWS, file.toString()));
    }

    @AfterAll
    static void stopAll() {
        cluster.close();
    }

    @Test
    @Order(1)
    void tasksAndTimersRunOnceAtOnePlaceThroughAKillAndReplays() {
        try (Orb orb = Orb.client()) {
            org.omg.CORBA.Object tasking = orb.object(cluster.reference());
            start(tasking, 20, 500);
            // No call comes, so the leader must order entries for the timers.
            awaitTimers();
            assertCounted(tasking);

            // The member dies with timers of its own pending, and the others fire them.
            start(tasking, 5, 2_000);
            cluster.follower().kill();
            start(tasking, 20, 500);
            start(tasking, 5, 200);
            awaitTimers();
            assertCounted(tasking);
            assertAgreement();

            // It replays its log, and has to fetch the end of it.
            start(tasking, 3, 1_500);
            if (ALL_DIE) {
                cluster.processes().forEach(MemberProcess::kill);
                cluster.startAll();
            } else {
                cluster.launchKilled();
            }
            awaitTimers();
            assertCounted(tasking);
            Orb.text(tasking, "count");
            assertAgreement();
            assertEquals(Set.of(), cluster.executedMoreThanOnce());
        }
    }

    /** A periodic one, which would end them at each of its times. */
    @Test
    @Order(2)
    void aTimerThatEndsTheMembersIsCancelledAndTheGroupGoesOn() {
        try (Orb orb = Orb.client()) {
            org.omg.CORBA.Object tasking = orb.object(cluster.reference());
            start(tasking, 5, 200);
            awaitTimers();
            long before = Collections.max(cluster.numbers("position"));
            Orb.text(tasking, "overflowLater");
            AtomicInteger ended = new AtomicInteger();
            cluster.awaitThat("all members have gone on without the timer", () -> {
                // As a supervisor does.
                for (MemberProcess member : cluster.processes()) {
                    if (!member.isUp()) {
                        ended.incrementAndGet();
                        cluster.launch(member);
                    }
                }
                return cluster.processes().stream().allMatch(member -> isWithoutTimers(member, before));
            });
            assertTrue(ended.get() > 0, "the timer has ended no member");
            start(tasking, 5, 200);
            awaitTimers();
            assertCounted(tasking);
            cluster.assertAgreement(10);
        }
    }

    /** A periodic timer is always pending, so no other member can give its state. */
    @Test
    @Order(3)
    @Tag("slow")
    void aMemberThatAPeriodicTimerEndedOnceGoesOnWithTheOthers() {
        try (Orb orb = Orb.client()) {
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

    private static void awaitTimers() {
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
        started += times;
    }

    /** Each operation has run, and each thread, task and timer of one, too. */
    private static void assertCounted(org.omg.CORBA.Object tasking) {
        String counted = Orb.text(tasking, "count");
        assertTrue(counted.startsWith((started + " ").repeat(4)), started + " started: " + counted);
    }

    private static void assertAgreement() {
        cluster.assertAgreement(51);
        List<Long> pending = cluster.numbers("pendingTimers");
        assertEquals(Set.of(0L), new HashSet<>(pending));
    }
}
