package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.amo.core.replica.ReplicaSettings.Log;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A servant that draws ids, times, random numbers and identity hashes, unmodified on three replicas. */
@Timeout(180)
final class DeterminismTest {
    private static final List<String> OPERATIONS = List.of("uuid", "time", "random", "keep", "order");

    /**
     * The log is cut for the first time when a member is away that has replayed all of it before. That member is killed with the others,
     * which have replayed theirs by then.
     */
    @Test
    void membersThatDrawAgreeThroughAKillAReplayAndASnapshot() throws IOException {
        BankCluster.Settings settings = BankCluster.Settings.bank("drawing")
                .main(DrawingServer.class)
                .log(Log.FSYNC)
                .property("amo.keptEntries", "0")
                .property("amo.snapshotBytes", "90000");
        try (BankCluster cluster = BankCluster.start(settings);
                Orb orb = Orb.client()) {
            org.omg.CORBA.Object drawing = orb.object(cluster.reference());
            Set<String> replies = new HashSet<>(callAll(drawing, 8));
            assertTrue(replies.size() > 24, "the servant draws: " + replies);
            cluster.assertAgreement(1);

            MemberProcess killed = cluster.follower();
            killed.kill();
            callAll(drawing, 8);
            cluster.restart(killed);
            callAll(drawing, 3);
            cluster.assertAgreement(1);
            assertEquals(List.of(0L, 0L, 0L), cluster.numbers("uninstrumentedClasses"));

            cluster.processes().forEach(MemberProcess::kill);
            cluster.startAllBut(killed);
            callAll(drawing, 3);
            cluster.assertAgreement(1);
            assertEquals(List.of(0L, 0L), cluster.numbers("uninstrumentedClasses"));
            assertFalse(Files.exists(snapshot(cluster, killed)), "the log was whole so far");
            // The operation's clock is ahead of the group's time when it ends.
            Orb.text(drawing, "wait", 20_000);
            Path snapshot = snapshot(cluster, cluster.leader());
            cluster.awaitThat("the leader cuts what it lacks", () -> {
                callAll(drawing, 5);
                return Files.exists(snapshot);
            });
            cluster.restart(killed);
            callAll(drawing, 5);
            cluster.awaitEqual();
            assertTrue(killed.said().contains("continues from a snapshot"), killed::said);
            cluster.assertAgreement(1);
        }
    }

    /** With {@code --random leader} the draws of an operation are in the log, and nowhere else. */
    @Test
    @Tag("slow")
    void seedsOfTheOrderAreDrawnAlikeThroughAKillAndAReplayAndNeverAgain() {
        Set<String> first = new HashSet<>();
        BankCluster.Settings settings =
                BankCluster.Settings.bank("secrets").main(DrawingServer.class).property("amo.random", "leader");
        try (BankCluster cluster = BankCluster.start(settings);
                Orb orb = Orb.client()) {
            org.omg.CORBA.Object drawing = orb.object(cluster.reference());
            first.addAll(callAll(drawing, 20));
            assertTrue(first.size() > 60, "the servant draws: " + first);
            cluster.assertAgreement(1);

            MemberProcess killed = cluster.leader();
            killed.kill();
            first.addAll(callAll(drawing, 20));
            cluster.assertAgreement(1);

            // Also the leader of the last calls replays now, and the replies of all three are compared.
            cluster.processes().forEach(MemberProcess::kill);
            cluster.startAllBut(killed);
            first.addAll(callAll(drawing, 5));
            cluster.assertAgreement(1);
        }
        try (BankCluster cluster = BankCluster.start(settings.one());
                Orb orb = Orb.client()) {
            org.omg.CORBA.Object drawing = orb.object(cluster.reference());
            for (int i = 0; i < 20; i++) {
                String drawn = Orb.text(drawing, i % 2 == 0 ? "uuid" : "random");
                assertTrue(first.add(drawn), "drawn in an earlier run: " + drawn);
            }
        }
    }

    private static Path snapshot(BankCluster cluster, MemberProcess member) {
        return cluster.folder()
                .resolve("drawing")
                .resolve(member.id())
                .resolve(member.id() + ".log")
                .resolve("snapshot.amo");
    }

    private static List<String> callAll(org.omg.CORBA.Object drawing, int times) {
        List<String> replies = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            OPERATIONS.forEach(operation -> replies.add(Orb.text(drawing, operation)));
        }
        return replies;
    }
}
