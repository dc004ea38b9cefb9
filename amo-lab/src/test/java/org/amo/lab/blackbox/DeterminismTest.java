package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.amo.core.replica.ReplicaSettings.Log;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.omg.CORBA.Request;
import org.omg.CORBA.TCKind;

/** A servant that draws ids, times, random numbers and identity hashes, unmodified on three replicas. */
@Timeout(180)
final class DeterminismTest {
    private static final List<String> OPERATIONS = List.of("uuid", "time", "random", "keep", "order");

    @Test
    void membersThatDrawAgreeThroughAKillAndAReplay() {
        BankCluster.Settings settings = BankCluster.Settings.bank("drawing").main(DrawingServer.class);
        try (BankCluster cluster = BankCluster.start(settings);
                Orb orb = Orb.client()) {
            org.omg.CORBA.Object drawing = orb.object(cluster.reference());
            Set<String> replies = new HashSet<>(callAll(drawing, 20));
            assertTrue(replies.size() > 60, "the servant draws: " + replies);
            assertAgreement(cluster);

            MemberProcess killed = cluster.follower();
            killed.kill();
            callAll(drawing, 20);
            cluster.restart(killed);
            callAll(drawing, 5);
            assertAgreement(cluster);

            cluster.processes().forEach(MemberProcess::kill);
            cluster.startAll();
            callAll(drawing, 5);
            assertAgreement(cluster);
            assertEquals(List.of(0L, 0L, 0L), cluster.numbers("uninstrumentedClasses"));
        }
    }

    /** With {@code --random leader} the draws of an operation are in the log, and nowhere else. */
    @Test
    void seedsOfTheOrderAreDrawnAlikeThroughAKillAndAReplayAndNeverAgain() {
        Set<String> first = new HashSet<>();
        BankCluster.Settings settings =
                BankCluster.Settings.bank("secrets").main(DrawingServer.class).property("amo.random", "leader");
        try (BankCluster cluster = BankCluster.start(settings);
                Orb orb = Orb.client()) {
            org.omg.CORBA.Object drawing = orb.object(cluster.reference());
            first.addAll(callAll(drawing, 20));
            assertTrue(first.size() > 60, "the servant draws: " + first);
            assertAgreement(cluster);

            MemberProcess killed = cluster.leader();
            killed.kill();
            first.addAll(callAll(drawing, 20));
            cluster.restart(killed);
            first.addAll(callAll(drawing, 5));
            assertAgreement(cluster);

            cluster.processes().forEach(MemberProcess::kill);
            cluster.startAll();
            first.addAll(callAll(drawing, 5));
            assertAgreement(cluster);
        }
        try (BankCluster cluster = BankCluster.start(settings);
                Orb orb = Orb.client()) {
            org.omg.CORBA.Object drawing = orb.object(cluster.reference());
            for (int i = 0; i < 20; i++) {
                String drawn = call(drawing, i % 2 == 0 ? "uuid" : "random");
                assertTrue(first.add(drawn), "drawn in an earlier run: " + drawn);
            }
            assertAgreement(cluster);
        }
    }

    @Test
    void aMemberThatStartsFromASnapshotDrawsLikeTheOthers() throws IOException {
        BankCluster.Settings settings = BankCluster.Settings.bank("snapshots")
                .main(DrawingServer.class)
                .log(Log.FSYNC)
                .property("amo.snapshotBytes", "20000");
        try (BankCluster cluster = BankCluster.start(settings);
                Orb orb = Orb.client()) {
            org.omg.CORBA.Object drawing = orb.object(cluster.reference());
            callAll(drawing, 10);
            MemberProcess away = cluster.follower();
            away.kill();
            // The operation's clock is ahead of the group's time when it ends.
            call(drawing, "wait", 60_000);
            Path snapshot = snapshot(cluster, cluster.leader());
            FileTime before = modified(snapshot);
            cluster.awaitThat("the leader cuts what it lacks", () -> {
                callAll(drawing, 5);
                return !modified(snapshot).equals(before);
            });
            cluster.restart(away);
            callAll(drawing, 5);
            cluster.awaitEqual();
            assertTrue(away.said().contains("continues from a snapshot"), away::said);
            assertAgreement(cluster);
        }
    }

    private static Path snapshot(BankCluster cluster, MemberProcess member) {
        return cluster.folder()
                .resolve("snapshots")
                .resolve(member.id())
                .resolve(member.id() + ".log")
                .resolve("snapshot.amo");
    }

    private static FileTime modified(Path file) throws IOException {
        return Files.exists(file) ? Files.getLastModifiedTime(file) : FileTime.fromMillis(0);
    }

    private static List<String> callAll(org.omg.CORBA.Object drawing, int times) {
        List<String> replies = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            OPERATIONS.forEach(operation -> replies.add(call(drawing, operation)));
        }
        return replies;
    }

    private static String call(org.omg.CORBA.Object drawing, String operation, long... arguments) {
        Request request = drawing._request(operation);
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
        assertTrue(replies.size() > 0);
        replies.forEach((id, values) -> assertEquals(1, values.size(), "replies to " + id + " differ: " + values));
    }
}
