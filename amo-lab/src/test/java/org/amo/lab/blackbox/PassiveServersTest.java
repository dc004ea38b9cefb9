package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.examples.bank.BankServant;
import org.amo.examples.bank.idl.BadAmount;
import org.amo.examples.bank.idl.Bank;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.omg.CORBA.Request;
import org.omg.CORBA.TCKind;

/** Unmodified servers on three replicas of style passive, whose primary is killed. */
@Timeout(240)
final class PassiveServersTest {
    /** Whether there are a second kill of the primary, and a kill of all. */
    private static final boolean ALL = Boolean.getBoolean("amo.allSeeds");

    private static final int KILLS = ALL ? 2 : 1;
    private static final int SOME = 25;
    private static final int FEW = 5;

    /** More than the loads around the kills write, and less than some hundred draws: each update has all of the state. */
    private static final String SNAPSHOT_BYTES = "3000000";

    private static BankCluster.Settings passive(String group) {
        return BankCluster.Settings.bank(group).property("amo.style", "passive").property("amo.deterministic", "none");
    }

    /** A killed member replays updates. When all are killed, their logs have been cut, and each begins with a snapshot. */
    @Test
    void eachCallCountsOnceAndHasOneReplyWhileThePrimaryIsKilledUnderLoadAndAfterTheKillOfAll() {
        BankCluster.Settings settings = passive("passive")
                .main(UnequalServer.class)
                .libraries(List.of(BankCluster.location(BankServant.class)))
                .log(Log.FSYNC)
                .property("amo.keptEntries", "0")
                .property("amo.snapshotBytes", SNAPSHOT_BYTES);
        try (BankCluster cluster = BankCluster.start(settings);
                Orb orb = Orb.client()) {
            String[] references = cluster.reference().split(" ", -1);
            org.omg.CORBA.Object drawing = orb.object(references[0]);
            Bank bank = orb.bank(references[1]);
            List<String> replies = new ArrayList<>();
            draw(drawing, replies, FEW);
            AtomicLong done = new AtomicLong();
            AtomicLong wanted = new AtomicLong(Long.MAX_VALUE);
            AtomicBoolean starting = new AtomicBoolean();
            CompletableFuture<Void> load = CompletableFuture.runAsync(() -> {
                for (long i = 1; i <= wanted.get(); i++) {
                    assertEquals(i, deposit(bank));
                    done.set(i);
                    if (starting.get()) {
                        Pace.pause(20);
                    }
                }
            });
            for (int kill = 1; kill <= KILLS; kill++) {
                long before = done.get();
                cluster.awaitThat("the load is under way", () -> done.get() >= before + SOME || load.isDone());
                MemberProcess primary = cluster.leader();
                primary.kill();
                draw(drawing, replies, FEW);
                long at = done.get();
                cluster.awaitThat("another member executes", () -> done.get() >= at + SOME || load.isDone());
                starting.set(true);
                cluster.launch(primary);
                cluster.awaitServing();
                starting.set(false);
                draw(drawing, replies, FEW);
            }
            wanted.set(done.get() + 1);
            load.orTimeout(60, TimeUnit.SECONDS).join();
            cluster.processes().stream().filter(process -> !process.isUp()).forEach(cluster::launch);
            cluster.awaitServing();
            if (ALL) {
                awaitSnapshots(cluster, drawing, replies);
            }
            assertAgreement(cluster);
            assertEquals(Set.of(), cluster.executedMoreThanOnce());
            assertEquals(done.get() + 1, deposit(bank));

            if (ALL) {
                cluster.processes().forEach(MemberProcess::kill);
                cluster.startAll();
            }
            draw(drawing, replies, 4 * FEW);
            assertEquals(done.get() + 2, deposit(bank));
            assertAgreement(cluster);
            Map<Integer, String> expected = new TreeMap<>();
            replies.forEach(reply -> expected.put(expected.size(), reply));
            assertEquals(expected.toString(), call(drawing, "all"));
            Status one = cluster.awaitEqual().get(0);
            assertEquals("passive", one.text("style"));
            assertEquals(one.text("leader"), one.text("primary"));
            System.out.println(
                    done.get() + " deposits, " + replies.size() + " draws, " + KILLS + " kills of the primary");
        }
    }

    private static void awaitSnapshots(BankCluster cluster, org.omg.CORBA.Object drawing, List<String> replies) {
        cluster.awaitThat("every member has cut its log", () -> {
            draw(drawing, replies, 4 * FEW);
            return cluster.processes().stream().allMatch(member -> Files.exists(snapshot(cluster, member)));
        });
    }

    private static Path snapshot(BankCluster cluster, MemberProcess member) {
        return cluster.folder()
                .resolve("passive")
                .resolve(member.id())
                .resolve(member.id() + ".log")
                .resolve("snapshot.amo");
    }

    private static long deposit(Bank bank) {
        try {
            return bank.deposit("passive", 1);
        } catch (BadAmount e) {
            throw new AssertionError(e);
        }
    }

    private static void draw(org.omg.CORBA.Object drawing, List<String> replies, int times) {
        for (int i = 0; i < times; i++) {
            replies.add(call(drawing, "draw"));
        }
    }

    /** The state of a SecureRandom is no value. */
    @Test
    void aServerWithoutAStateEndsWithTheRemedy() {
        try (BankCluster cluster = new BankCluster(
                        passive("stateless").main(DrawingServer.class).one());
                Orb orb = Orb.client()) {
            cluster.processes().forEach(cluster::launch);
            cluster.awaitServing();
            org.omg.CORBA.Object drawing = orb.object(cluster.reference());
            CompletableFuture<Void> calling = CompletableFuture.runAsync(() -> call(drawing, "uuid"));
            cluster.awaitThat(
                    "the primary ends",
                    () -> cluster.up().size() < cluster.processes().size());
            MemberProcess ended = cluster.processes().stream()
                    .filter(process -> !process.isUp())
                    .findFirst()
                    .orElseThrow();
            cluster.awaitThat("it says why", () -> ended.said().contains("cannot run in style passive"));
            assertTrue(ended.said().contains("or use --style active"), ended::said);
            calling.cancel(true);
        }
    }

    private static String call(org.omg.CORBA.Object drawing, String operation) {
        Request request = drawing._request(operation);
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
