package org.amo.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.rocksdb.BackupGroup.Term;
import org.junit.jupiter.api.Test;

/** Which backups have the complete log of a server, as the coordinators know it. */
final class BackupTableTest {
    private static final KvSettings SETTINGS = new KvSettings(6_000, 10, 4, 2, 1_000).withBackups(2);

    private final BackupTable table = new BackupTable();

    @Test
    void theHoldersAreThoseOfTheLastCompleteLogUntilANewerOneIsComplete() {
        assertEquals(1, table.newEpoch("s", 7, true).epoch());
        assertTrue(table.onComplete("s", 1, List.of("b0", "b1")));
        BackupTable.ServerLog begun = table.newEpoch("s", 7, false);
        assertEquals(new BackupTable.ServerLog(2, 7, 1, List.of("b0", "b1")), begun);
        assertTrue(table.onComplete("s", 2, List.of("b1", "b2")));
        assertTrue(table.onComplete("s", 2, List.of("b1", "b2")), "said again");
        assertEquals(List.of("b1", "b2"), table.log("s").orElseThrow().holders());
    }

    @Test
    void aLogOfAnOlderEpochIsNoLongerComplete() {
        table.newEpoch("s", 7, true);
        table.newEpoch("s", 8, true);
        assertFalse(table.onComplete("s", 1, List.of("b0")));
        assertEquals(0, table.log("s").orElseThrow().logEpoch());
    }

    @Test
    void anOlderProcessGetsNoEpochAndIsNotHeard() {
        table.newEpoch("s", 7, true);
        table.check("s", 7);
        table.newEpoch("s", 8, true);
        assertThrows(IllegalArgumentException.class, () -> table.newEpoch("s", 7, false));
        assertThrows(IllegalArgumentException.class, () -> table.check("s", 7));
        table.check("s", 8);
        table.check("another", 7);
    }

    @Test
    void aSnapshotHoldsAll() {
        table.onBeat("b0", "h", 9, new ClusterTime(300));
        table.newEpoch("s", -7, true);
        table.onComplete("s", 1, List.of("b0", "b1"));
        table.newEpoch("s", -7, false);
        WireWriter writer = new WireWriter(64);
        table.write(writer);
        BackupTable other = new BackupTable();
        WireReader reader = new WireReader("backups", writer.toBytes());
        other.read(reader);
        reader.end();
        WireWriter again = new WireWriter(64);
        other.write(again);
        assertEquals(List.of(new BackupTable.Backup("b0", "h", 9, 300)), copy(other.backups()));
        assertEquals(table.log("s"), other.log("s"));
    }

    private static List<BackupTable.Backup> copy(Iterable<BackupTable.Backup> backups) {
        return StreamSupport.stream(backups.spliterator(), false).toList();
    }

    /** Its new store counts only when the coordinators hear that it, and enough backups, have the whole log. */
    @Test
    void aServerWithAnEmptyStoreIsToldToFetchItsState() {
        CoordinatorState state = configured();
        begin(state, "s1", "aa");
        begin(state, "s2", "bb");
        assertEquals(new Term(1, true, 0, List.of()), newEpoch(state, "aa", 7, true));
        assertTrue(complete(state, "aa", 1));
        assertEquals(2, Orders.decode(begin(state, "s1", "cc")).owned().size(), "it is not refused");
        assertEquals(new Term(2, false, 1, List.of("b0", "b1")), newEpoch(state, "cc", 8, true));
        assertEquals(new Term(3, false, 1, List.of("b0", "b1")), newEpoch(state, "cc", 8, false));
        assertFalse(complete(state, "cc", 2));
        assertTrue(complete(state, "cc", 3));
        begin(state, "s1", "cc");
        assertEquals(new Term(4, true, 3, List.of("b0", "b1")), newEpoch(state, "cc", 9, true));
        CoordinatorState other = new CoordinatorState();
        other.restore(state.take());
        assertEquals(new Term(5, false, 3, List.of("b0", "b1")), newEpoch(other, "aa", 10, true));
    }

    @Test
    void aSilentBackupIsNotLive() {
        CoordinatorState state = configured();
        WireWriter beat = new WireWriter(32);
        beat.u8(CoordinatorState.BACKUP_BEAT);
        beat.text("b0");
        beat.text("h");
        beat.varint(9);
        byte[] answer = state.handle(beat.toBytes(), 1_000, () -> 0);
        assertEquals(SETTINGS, KvSettings.read(new WireReader("settings", answer)));
        byte[] backups = {CoordinatorState.BACKUPS};
        assertEquals(
                List.of(new BackupPlace("b0", "h", 9, true)),
                BackupPlace.decode(state.handle(backups, 1_900, () -> 0)));
        for (int millis = 2_000; millis < 4_000; millis += 100) {
            state.handle(backups, millis, () -> 0);
        }
        assertEquals(
                List.of(new BackupPlace("b0", "h", 9, false)),
                BackupPlace.decode(state.handle(backups, 4_000, () -> 0)));
    }

    private static CoordinatorState configured() {
        CoordinatorState state = new CoordinatorState();
        WireWriter settings = new WireWriter(32);
        settings.u8(CoordinatorState.CONFIGURE);
        SETTINGS.write(settings);
        state.handle(settings.toBytes(), 1, () -> 0);
        return state;
    }

    private static byte[] begin(CoordinatorState state, String id, String store) {
        return state.handle(
                CoordinatorClient.beginRequest(id, "h", 1, "/" + id, store, Optional.empty())
                        .toBytes(),
                100,
                () -> 0);
    }

    private static Term newEpoch(CoordinatorState state, String store, long process, boolean isFirst) {
        WireWriter writer = CoordinatorClient.newEpochRequest("s1", store, process, isFirst);
        return CoordinatorClient.term(state.handle(writer.toBytes(), 100, () -> 0));
    }

    private static boolean complete(CoordinatorState state, String store, long epoch) {
        WireWriter writer = CoordinatorClient.completeRequest("s1", store, epoch, List.of("b0", "b1"));
        return state.handle(writer.toBytes(), 100, () -> 0)[0] == 1;
    }
}
