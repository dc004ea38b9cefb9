package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.request.Refusal;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;
import org.amo.lab.blackbox.RawClient.Op;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Members whose log is cut behind snapshots. The bank offers its state by its fields; nothing in it knows of that.
 */
@Timeout(180)
@Tag("slow")
final class SnapshotRecoveryTest {
    private static final long LONG_LIFE = 180_000;
    private static final int LOG_BYTES = 15_000;

    private static BankCluster bank;

    @BeforeAll
    static void start() {
        bank = BankCluster.start(BankCluster.Settings.bank("snapshots")
                .log(Log.FSYNC)
                .property("amo.keptEntries", "0")
                .property("amo.snapshotBytes", Integer.toString(LOG_BYTES)));
    }

    @AfterAll
    static void stop() {
        bank.close();
    }

    @AfterEach
    void everybodyIsBack() {
        bank.launchKilled();
        bank.awaitEqual();
    }

    /**
     * A3, X3: call, duplicate, snapshot, restart, duplicate. The count stays 1, whatever the log has lost. One member stays away until the
     * others have cut what it lacks, and comes back while calls run.
     */
    @Test
    void whatWasExecutedBeforeASnapshotIsNotExecutedAgainAndAMemberThatWasAwayForLongIsBroughtOnByOne() {
        RawClient client = new RawClient(bank.reference()).learn(bank.member(0));
        RequestContext.Call kept = longCall(client, 1);
        RequestContext.Call acknowledged = longCall(client, 2);
        Giop.Reply reply = client.send(bank.member(0), kept, Op.deposit("x3", 1));
        client.send(bank.member(1), acknowledged, Op.deposit("x3", 1));
        client.acknowledge(bank.member(0), FinishedNumbers.of(0, 2, 2));
        assertArrayEquals(
                reply.body(),
                client.send(bank.member(1), kept, Op.deposit("x3", 1)).body());
        fillUntilCut(client, 3);

        MemberProcess away = bank.follower();
        bank.processes().forEach(MemberProcess::kill);
        bank.startAllBut(away);
        bank.awaitEqual();
        bank.up().forEach(member -> assertNothingIsExecutedAgain(member, client, kept, reply, acknowledged));

        fillUntilCut(client, lastNumber);
        launchWhileCallsRun(away, client);
        bank.awaitServing();
        bank.awaitEqual();
        assertNothingIsExecutedAgain(away, client, kept, reply, acknowledged);
        List<Long> joined = joinedAt(away);
        assertTrue(joined.get(joined.size() - 1) > joined.get(1), "brought on by another's snapshot: " + joined);
        assertTrue(away.said().contains("continues from a snapshot"), away::said);
        assertEquals(
                3,
                client.send(bank.member(2), longCall(client, 100_000), Op.deposit("x3", 1))
                        .value());
        assertEquals(Set.of(), bank.executedMoreThanOnce());
    }

    /** By a member that has begun from its own snapshot. */
    private static void assertNothingIsExecutedAgain(
            MemberProcess member,
            RawClient client,
            RequestContext.Call kept,
            Giop.Reply reply,
            RequestContext.Call acknowledged) {
        assertTrue(joinedAt(member).get(0) == 0 && joinedAt(member).get(1) > 0, "from the snapshot: " + member.id());
        assertArrayEquals(
                reply.body(), client.send(member, kept, Op.deposit("x3", 1)).body());
        assertEquals(
                Optional.of(Refusal.STALE),
                client.send(member, acknowledged, Op.deposit("x3", 1)).amo().refusal());
    }

    private void launchWhileCallsRun(MemberProcess away, RawClient client) {
        MemberProcess other = bank.leader();
        bank.launch(away);
        bank.awaitThat("calls run and the member is back", () -> {
            for (int i = 0; i < 5; i++) {
                client.send(other, longCall(client, lastNumber + 1), Op.deposit("busy", 1));
                lastNumber++;
            }
            return away.ask()
                    .filter(status -> status.number("executedPosition") + 50
                            > other.status().number("executedPosition"))
                    .isPresent();
        });
    }

    private long lastNumber;

    /** Calls until every running member has cut its log after now. */
    private void fillUntilCut(RawClient client, long firstNumber) {
        lastNumber = firstNumber;
        List<Long> before = new ArrayList<>();
        bank.up().forEach(member -> before.add(modified(member)));
        bank.awaitThat("every member has a new snapshot", () -> {
            for (int i = 0; i < 20; i++) {
                client.send(bank.leader(), longCall(client, lastNumber), Op.deposit("fill", 1));
                lastNumber++;
            }
            client.acknowledge(bank.leader(), FinishedNumbers.of(0, 3, lastNumber - 1));
            List<Long> now = new ArrayList<>();
            bank.up().forEach(member -> now.add(modified(member)));
            for (int i = 0; i < now.size(); i++) {
                if (now.get(i).equals(before.get(i))) {
                    return false;
                }
            }
            return true;
        });
        bank.up().forEach(member -> assertTrue(size(log(member)) < 4 * LOG_BYTES, "the log was cut at " + member.id()));
    }

    private static Path log(MemberProcess member) {
        return bank.folder()
                .resolve("snapshots")
                .resolve(member.id())
                .resolve(member.id() + ".log")
                .resolve("entries.amo");
    }

    private static long modified(MemberProcess member) {
        try {
            Path snapshot = log(member).resolveSibling("snapshot.amo");
            return Files.exists(snapshot) ? Files.getLastModifiedTime(snapshot).toMillis() : 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without the room that is written ahead with zeros. */
    private static long size(Path file) {
        try {
            byte[] all = Files.readAllBytes(file);
            int used = all.length;
            while (used > 0 && all[used - 1] == 0) {
                used--;
            }
            return used;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The positions of the states from which the member's present life went on. */
    private static List<Long> joinedAt(MemberProcess member) {
        try {
            return Files.readAllLines(member.history()).stream()
                    .filter(line -> line.contains("\"type\":\"join\""))
                    .map(line -> Long.valueOf(line.replaceAll(".*\"pos\":([0-9]+).*", "$1")))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static RequestContext.Call longCall(RawClient client, long number) {
        long timestamp = client.timestamp();
        return new RequestContext.Call(number, timestamp, timestamp + LONG_LIFE);
    }
}
