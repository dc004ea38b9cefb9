package org.amo.lab.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.lab.chaos.FullDisk.Look;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The judgement of a member whose disk is full, on statuses written by hand. */
class FullDiskTest {
    private static final String FULL = FullDisk.TROUBLE + ", and it takes no requests until there is room; make some";
    private static final long MANY = FullDisk.MOST_LATE_ENTRIES + 1;

    @TempDir
    private Path folder = Path.of("unset");

    private final FullDisk disk = new FullDisk(1);

    private Optional<String> see(String trouble, long executedPosition, long spells) {
        return disk.see(new Look(1, trouble, executedPosition, spells));
    }

    /** Two looks of a spell that begins there. */
    private void begin(long executedPosition, long spells) {
        assertEquals(Optional.empty(), see(FULL, 0, spells));
        assertEquals(Optional.empty(), see(FULL, executedPosition, spells), "entries that it held already");
    }

    @Test
    void aMemberThatGoesOnWithAFullDiskIsToldOnce() {
        begin(1_000, 1);
        assertEquals(
                Optional.of("executed " + MANY + " entries while it said that its disk was full"),
                see(FULL, 1_000 + MANY, 1));
        assertEquals(Optional.empty(), see(FULL, 1_000 + 2 * MANY, 1));
    }

    @Test
    void slowGrowthAddsUp() {
        begin(1_000, 1);
        assertEquals(Optional.empty(), see(FULL, 1_000 + MANY / 2, 1));
        assertTrue(see(FULL, 1_000 + MANY, 1).isPresent());
    }

    @Test
    void theLastEntriesOfItsLogMayStillRun() {
        begin(1_000, 1);
        assertEquals(Optional.empty(), see(FULL, 1_000 + FullDisk.MOST_LATE_ENTRIES, 1));
    }

    @Test
    void aMemberThatHadRoomMeanwhileMayGoOn() {
        begin(1_000, 1);
        assertEquals(Optional.empty(), see(FULL, 1_000 + MANY, 2), "room between two looks");
        assertEquals(Optional.empty(), see(FULL, 1_000 + 2 * MANY, 2));
        assertEquals(Optional.empty(), see("", 1_000 + 3 * MANY, 2), "room at a look");
        assertEquals(Optional.empty(), see(FULL, 1_000 + 4 * MANY, 2));
        assertEquals(Optional.empty(), see(FULL, 1_000 + 5 * MANY, 2));
    }

    @Test
    void aLaterProcessRunsItsLogAgain() {
        for (long executed = 0; executed < 5 * MANY; executed += MANY) {
            assertEquals(Optional.empty(), disk.see(new Look(2, FULL, executed, 1)));
        }
    }

    @Test
    void spellsAreCountedInTheOutputOfTheProcess() throws Exception {
        Path log = folder.resolve("replica.log");
        Files.write(log, new byte[] {(byte) 0xff, '\n'});
        assertEquals(0, FullDisk.spells(log));
        Files.writeString(log, "x: the disk is full (No space left on device); this member takes no requests\nother\n");
        assertEquals(1, FullDisk.spells(log));
    }

    /** Else the check would look for words that no member says any more. */
    @Test
    void theWordsAreThoseOfTheMembers() throws Exception {
        Path raft = Path.of("")
                .toAbsolutePath()
                .resolveSibling("amo-replication/src/main/java/org/amo/replication/order/raft");
        assertTrue(Files.readString(raft.resolve("Fitness.java")).contains('"' + FullDisk.TROUBLE));
        assertTrue(Files.readString(raft.resolve("CheckedFileLog.java")).contains(FullDisk.BEGINS + "{})"));
    }

    @Test
    void eachLookLooksAtTheMembersUnderWatchUntilTheFaultEnds() {
        ClusterView view = new ClusterView(null, null, null, true);
        List<String> looks = new ArrayList<>();
        Runnable watch = () -> looks.add("look");
        view.watch(watch);
        view.look();
        view.look();
        view.unwatch(watch);
        view.look();
        assertEquals(List.of("look", "look"), looks);
    }
}
