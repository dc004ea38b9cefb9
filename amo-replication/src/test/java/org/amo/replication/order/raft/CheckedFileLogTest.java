package org.amo.replication.order.raft;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32C;
import org.amo.core.order.LogRepair.Damage;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.LogTail;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.jgroups.util.ExtendedUUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CheckedFileLogTest {
    @TempDir
    private Path folder = Path.of("unset");

    private final FaultyDisk disk = new FaultyDisk();

    @Test
    void whatWasAppendedIsThereAfterAnotherStart() throws Exception {
        CheckedFileLog log = open();
        append(log, 1, entries(1, "one", "two"));
        append(log, 3, new LogEntries().add(noOperation(1)));

        CheckedFileLog again = reopen(log);
        assertEquals(3, again.lastAppended());
        assertArrayEquals(EntryFrame.wrap("two".getBytes(UTF_8)), get(again, 2).command());
        assertTrue(get(again, 3).internal());
        assertEquals(Optional.empty(), again.damage());
        again.close();
    }

    /** A forced entry is lost with its file if the folder does not know the file yet. */
    @Test
    void aLossOfPowerLeavesTheFilesOfAFirstEntry() throws Exception {
        CheckedFileLog log = open();
        append(log, 1, entries(1, "acknowledged"));
        Set<Path> kept = Set.copyOf(disk.kept);
        log.close();
        for (Path needed : List.of(folder.resolve("a.log"), file(), stateFile())) {
            assertTrue(kept.contains(needed.toAbsolutePath().normalize()), needed + " is not among " + kept);
        }
    }

    /** The batch was on its way to the disk; nothing says that it had arrived. */
    @Test
    void anEntryThatACrashToreIsCutOffWithAllAfterIt() throws Exception {
        CheckedFileLog log = open();
        append(log, 1, entries(1, "acknowledged"));
        byte[] before = Files.readAllBytes(stateFile());
        append(log, 2, entries(1, "torn", "whole, but behind the torn one"));
        log.close();
        Files.write(stateFile(), before);
        damage("torn");

        CheckedFileLog again = open();
        assertEquals(1, again.lastAppended());
        assertEquals(Optional.empty(), again.damage());
        append(again, 2, entries(2, "new"));

        CheckedFileLog third = reopen(again);
        assertEquals(2, third.lastAppended(), "nothing of the old tail comes back");
        assertArrayEquals(EntryFrame.wrap("new".getBytes(UTF_8)), get(third, 2).command());
        third.close();
    }

    @Test
    void anEntryWithALaterAppendBehindItWasAcknowledged() throws Exception {
        CheckedFileLog log = open();
        append(log, 1, entries(1, "one"));
        byte[] before = Files.readAllBytes(stateFile());
        append(log, 2, entries(1, "two"));
        append(log, 3, entries(1, "three"));
        log.close();
        Files.write(stateFile(), before); // the witness lags, as after a loss of power
        damage("two");

        CheckedFileLog again = open();
        assertEquals(new Damage(3, 1, true), again.damage().orElseThrow());
        assertEquals(1, again.lastAppended());
        again.close();
    }

    @Test
    void theLastAcknowledgedEntryIsNotTakenForATornOne() throws Exception {
        CheckedFileLog log = open();
        log.currentTerm(4);
        append(log, 1, entries(4, "one", "two"));
        log.close();
        damage("two");

        CheckedFileLog again = open();
        assertEquals(new Damage(2, 4, true), again.damage().orElseThrow());
        CheckedFileLog third = reopen(again);
        assertEquals(new Damage(2, 4, true), third.damage().orElseThrow(), "it is remembered until it is repaired");
        append(third, 2, entries(4, "two"));
        third.repaired();
        CheckedFileLog fourth = reopen(third);
        assertEquals(Optional.empty(), fourth.damage());
        assertEquals(2, fourth.lastAppended());
        fourth.close();
    }

    @Test
    void aTornTailCountsAsLostWhereOneCopyOfTheWitnessIsDamaged() throws Exception {
        CheckedFileLog log = open();
        append(log, 1, entries(1, "one"));
        append(log, 2, entries(1, "two"));
        log.close();
        damage("two");
        flip(stateFile(), newerSlot() + 20);

        CheckedFileLog again = open();
        assertTrue(again.damage().isPresent());
        again.close();
    }

    @Test
    void anAcknowledgedEndThatIsMissingIsNoticed() throws Exception {
        CheckedFileLog log = open();
        append(log, 1, entries(1, "one"));
        byte[] lied = Files.readAllBytes(file());
        append(log, 2, entries(1, "two"));
        log.close();
        Files.write(file(), lied); // a sync that lied: the write is gone

        CheckedFileLog again = open();
        assertEquals(new Damage(2, 1, true), again.damage().orElseThrow());
        again.close();
    }

    @Test
    void aWholeRecordOfAnOlderTailIsNotTakenForTheAcknowledgedOne() throws Exception {
        CheckedFileLog log = open();
        append(log, 1, entries(1, "one", "old"));
        byte[] old = Files.readAllBytes(file());
        log.deleteAllEntriesStartingFrom(2);
        append(log, 2, entries(2, "new"));
        log.close();
        Files.write(file(), old);

        CheckedFileLog again = open();
        assertEquals(new Damage(2, 2, true), again.damage().orElseThrow());
        assertEquals(1, again.lastAppended());
        again.close();
    }

    @Test
    void termAndVoteOutliveDamageToOneOfTheirCopies() throws Exception {
        CheckedFileLog log = open();
        log.currentTerm(7);
        ExtendedUUID candidate = ExtendedUUID.randomUUID("b");
        log.votedFor(candidate);
        log.close();
        byte[] good = Files.readAllBytes(stateFile());
        for (int slot : new int[] {0, 4096}) {
            Files.write(stateFile(), good);
            flip(stateFile(), slot + 17);
            CheckedFileLog again = open();
            assertEquals(7, again.currentTerm());
            assertEquals(candidate, again.votedFor());
            assertEquals(Optional.empty(), again.damage());
            again.close();
        }
    }

    @Test
    void withoutTermAndVoteTheMemberMayNotVote() throws Exception {
        CheckedFileLog log = open();
        log.currentTerm(7);
        append(log, 1, entries(5, "one"));
        log.close();
        flip(stateFile(), 17);
        flip(stateFile(), 4096 + 17);

        CheckedFileLog again = open();
        assertFalse(again.damage().orElseThrow().termKnown());
        assertEquals(1, again.lastAppended());
        again.close();
    }

    /** The disk lost both writes of a term and a vote, or an older copy of the file was put back. */
    @Test
    void anEntryOfALaterTermTellsThatTermAndVoteAreLost() throws Exception {
        CheckedFileLog log = open();
        append(log, 1, entries(5, "one"));
        byte[] older = Files.readAllBytes(stateFile());
        log.currentTerm(7);
        log.votedFor(ExtendedUUID.randomUUID("b"));
        append(log, 2, entries(7, "two"));
        log.close();
        Files.write(stateFile(), older);

        CheckedFileLog again = open();
        assertEquals(new Damage(2, 5, false), again.damage().orElseThrow(), "it may have voted in term 7");
        assertEquals(2, again.lastAppended());
        again.close();
    }

    /** The disk failed a sync, and the operating system keeps what it then takes for written. */
    @Test
    void whatAnEarlierProcessCouldNotForceIsOnDiskBeforeItIsAcknowledged() throws Exception {
        CachedDisk cached = new CachedDisk();
        CheckedFileLog log = open(cached);
        append(log, 1, entries(3, "one"));
        append(log, 2, entries(3, "two", "three"));
        cached.forceFails = true;
        assertThrows(IllegalStateException.class, () -> append(log, 4, entries(3, "four", "five")));
        log.close();
        cached.forceFails = false;

        CheckedFileLog again = open(cached);
        assertEquals(5, again.lastAppended());
        again.close();
        cached.losePower();

        CheckedFileLog third = open(cached);
        assertEquals(Optional.empty(), third.damage());
        assertEquals(5, third.lastAppended(), "a leader may have counted them");
        assertArrayEquals(EntryFrame.wrap("five".getBytes(UTF_8)), get(third, 5).command());
        third.close();
    }

    /** The member's other files tell that it had a log. It must not vote like a member that has all its entries. */
    @Test
    void aLogThatIsMissingOrBlankIsLostUnlessItMayBegin() throws Exception {
        CheckedFileLog log = open(true);
        assertEquals(Optional.empty(), log.damage());
        log.currentTerm(7);
        log.close();
        Files.delete(file());
        Files.delete(stateFile());
        isLost();

        Files.delete(file());
        Files.write(stateFile(), new byte[4096 + MemberState.LENGTH]);
        isLost();
        open(true).close();
    }

    private void isLost() throws IOException {
        CheckedFileLog again = open(false);
        assertEquals(new Damage(0, 0, false), again.damage().orElseThrow());
        again.close();
        CheckedFileLog third = open(false);
        assertTrue(third.damage().isPresent(), "it is remembered until it is repaired");
        third.close();
    }

    /** As for a damaged inode. A new file in its place would destroy the term and the vote. */
    @Test
    void aFileThatTheDiskDoesNotTellOfIsNotReplaced() throws Exception {
        for (Path each : List.of(stateFile(), file())) {
            open().close();
            Path aside = Files.move(each, each.resolveSibling("aside"));
            Files.createSymbolicLink(each, each);
            String why =
                    "" + assertThrows(OrderedLogException.class, this::open).getMessage();
            assertTrue(why.contains("the disk does not tell whether there is " + each), why);
            assertTrue(Files.isSymbolicLink(each));
            Files.move(aside, each, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    @Test
    void aStartDeletesDraftsOfSnapshots() throws Exception {
        open().close();
        Path incoming = new SnapshotFile(folder.resolve("a.log")).incoming();
        Path next = incoming.resolveSibling("snapshot.next");
        Files.write(incoming, new byte[3]);
        Files.write(next, new byte[3]);
        open().close();
        assertFalse(Files.exists(incoming) || Files.exists(next));
    }

    @Test
    void aSnapshotThatCannotBeWrittenLeavesNoDraft() throws Exception {
        open().close();
        Path place = new SnapshotFile(folder.resolve("a.log")).path();
        Files.createDirectory(place);
        assertThrows(IOException.class, () -> snapshot(2, 3));
        assertFalse(Files.exists(place.resolveSibling("snapshot.next")));
    }

    /** As for a damaged inode: nothing tells whether the file is there. */
    @Test
    void aSnapshotThatCannotBeReadIsNotTakenForNone() throws Exception {
        SnapshotFile snapshot = new SnapshotFile(folder);
        assertEquals(Optional.empty(), snapshot.read());
        Files.createSymbolicLink(snapshot.path(), snapshot.path());
        assertThrows(IOException.class, snapshot::read);
        assertThrows(IOException.class, snapshot::index);
        assertThrows(IOException.class, snapshot::claimedPosition);
    }

    @Test
    void itTellsHowManyOfTheNewestEntriesFitIntoSoManyBytes() throws Exception {
        CheckedFileLog log = open();
        assertEquals(0, log.newest(1, 1_000));
        append(log, 1, entries(3, "one", "two", "six", "ten"));
        log.commitIndex(4);
        long each = LogRecord.size(new LogEntry(3, EntryFrame.wrap("one".getBytes(UTF_8))));
        assertEquals(2, log.newest(4, 3 * each - 1));
        assertEquals(3, log.newest(4, 3 * each));
        assertEquals(1, log.newest(2, 2 * each - 1));
        assertEquals(2, log.newest(2, 100 * each));
        assertEquals(0, log.newest(3, each - 1));
        snapshot(3, 3);
        log.truncate(3);
        assertEquals(1, log.newest(3, 100 * each));
        assertEquals(0, log.newest(2, 100 * each), "cut off");
        assertEquals(0, log.newest(5, 100 * each), "not there yet");
        log.close();
    }

    @Test
    void aLogThatIsCutKeepsTheEntryOfTheSnapshotAndWhatFollows() throws Exception {
        CheckedFileLog log = open();
        append(log, 1, entries(3, "one", "two", "three", "four"));
        log.commitIndex(3);
        snapshot(2, 3);
        log.currentTerm(9);

        log.truncate(2);

        assertCut(log);
        CheckedFileLog again = reopen(log);
        assertCut(again);
        append(again, 5, entries(9, "five"));
        CheckedFileLog third = reopen(again);
        assertEquals(5, third.lastAppended());
        assertEquals(Optional.empty(), third.damage());
        third.close();
    }

    private static void assertCut(CheckedFileLog log) {
        assertEquals(2, log.firstAppended());
        assertEquals(4, log.lastAppended());
        assertEquals(3, log.commitIndex());
        assertEquals(9, log.currentTerm());
        assertArrayEquals(EntryFrame.wrap("two".getBytes(UTF_8)), get(log, 2).command());
        assertArrayEquals(EntryFrame.wrap("four".getBytes(UTF_8)), get(log, 4).command());
        assertNull(log.get(1));
    }

    /** The crash came after the snapshot of another member was renamed, and before the log began anew behind it. */
    @Test
    void aLogThatIsOlderThanItsSnapshotIsBroughtToIt() throws Exception {
        CheckedFileLog log = open();
        append(log, 1, entries(3, "one", "two"));
        log.commitIndex(2);
        log.close();
        snapshot(50, 7);

        CheckedFileLog again = open();

        assertEquals(50, again.firstAppended());
        assertEquals(50, again.lastAppended());
        assertEquals(50, again.commitIndex());
        assertEquals(7, get(again, 50).term());
        append(again, 51, entries(8, "behind"));
        CheckedFileLog third = reopen(again);
        assertEquals(51, third.lastAppended());
        assertEquals(Optional.empty(), third.damage());
        third.close();
    }

    @Test
    void aLogThatHoldsTheEntryOfItsSnapshotKeepsWhatFollows() throws Exception {
        CheckedFileLog log = open();
        append(log, 1, entries(3, "one", "two", "three"));
        log.commitIndex(1);
        log.close();
        snapshot(2, 3);

        CheckedFileLog again = open();

        assertEquals(2, again.commitIndex());
        assertEquals(3, again.lastAppended(), "it has acknowledged that one");
        again.close();
    }

    /** It acknowledged the entry of the snapshot; with less in its log it would vote as if it had not. */
    @Test
    void aLogThatIsDamagedAtItsSnapshotBeginsAnewThere() throws Exception {
        CheckedFileLog log = open();
        append(log, 1, entries(3, "one", "two", "three"));
        log.commitIndex(3);
        snapshot(3, 3);
        byte[] uncut = Files.readAllBytes(file());
        byte[] state = Files.readAllBytes(stateFile());
        log.truncate(3);
        log.close();
        byte[] cut = Files.readAllBytes(file());
        for (byte[] found : List.of(uncut, cut, new byte[0])) {
            Files.write(file(), found);
            Files.write(stateFile(), state);
            if (found.length > 0) {
                damage("three");
            }
            CheckedFileLog again = open();
            assertEquals(Optional.empty(), again.damage());
            assertEquals(3, again.lastAppended());
            assertEquals(3, again.commitIndex());
            assertEquals(3, again.currentTerm());
            append(again, 4, entries(3, "four"));
            CheckedFileLog third = reopen(again);
            assertEquals(Optional.empty(), third.damage());
            assertEquals(4, third.lastAppended());
            third.close();
        }
    }

    @Test
    void aDamagedOrMissingSnapshotIsToBeRepaired() throws Exception {
        CheckedFileLog log = open();
        append(log, 1, entries(3, "one", "two", "three"));
        log.commitIndex(3);
        snapshot(2, 3);
        log.truncate(2);
        log.close();
        Path file = folder.resolve("a.log").resolve(SnapshotFile.NAME);
        byte[] good = Files.readAllBytes(file);
        byte[] state = Files.readAllBytes(stateFile());
        byte[] all = Files.readAllBytes(file());
        flip(file, good.length - 6);
        CheckedFileLog again = open();
        assertEquals(new Damage(3, 3, true), again.damage().orElseThrow());
        assertEquals(0, again.lastAppended(), "without its state the rest is of no use");
        again.close();

        Files.write(stateFile(), state);
        Files.write(file(), all);
        Files.deleteIfExists(file);
        CheckedFileLog third = open();
        assertEquals(new Damage(3, 3, true), third.damage().orElseThrow());
        third.close();
    }

    @Test
    void aDamagedSnapshotIsNotNeededWhereTheLogIsThereFromItsBeginning() throws Exception {
        CheckedFileLog log = open();
        append(log, 1, entries(3, "one", "two", "three"));
        snapshot(2, 3);
        log.close();
        flip(folder.resolve("a.log").resolve(SnapshotFile.NAME), 30);

        CheckedFileLog again = open();
        assertEquals(Optional.empty(), again.damage());
        assertEquals(3, again.lastAppended());
        again.close();
    }

    @Test
    void theTermNeverFallsNotEvenInTheFile() throws Exception {
        CheckedFileLog log = open();
        log.currentTerm(7);
        append(log, 1, entries(3, "an old entry from the leader", "another"));
        log.deleteAllEntriesStartingFrom(2);
        assertEquals(7, log.currentTerm());

        CheckedFileLog again = reopen(log);
        assertEquals(7, again.currentTerm());
        again.close();
    }

    /** Whatever a later sync says, the page may have been dropped. */
    @Test
    void aSyncThatFailsEndsTheLogAndIsNotTriedAgain() throws Exception {
        CheckedFileLog log = open();
        List<String> told = new ArrayList<>();
        log.onBroken(told::add);
        append(log, 1, entries(1, "one"));
        disk.forceFails = true;
        assertThrows(IllegalStateException.class, () -> append(log, 2, entries(1, "two")));
        disk.forceFails = false;
        int forced = disk.forced;
        assertThrows(IllegalStateException.class, () -> append(log, 2, entries(1, "two")));
        assertThrows(IllegalStateException.class, () -> log.currentTerm(9));
        assertEquals(forced, disk.forced);
        assertEquals(1, told.size(), told.toString());
        assertEquals(1, log.lastAppended());
        log.close();
    }

    /** As for want of memory: the fields of this process may be behind the file, and the followers ahead of both. */
    @Test
    void anErrorDuringAWriteEndsTheLogToo() throws Exception {
        CheckedFileLog log = open();
        List<String> told = new ArrayList<>();
        log.onBroken(told::add);
        append(log, 1, entries(1, "one"));
        disk.error = Optional.of(new OutOfMemoryError("Cannot reserve 67108864 bytes of direct buffer memory"));
        assertThrows(OutOfMemoryError.class, () -> append(log, 2, entries(1, "two")));
        disk.error = Optional.empty();
        assertFalse(log.hasRoomFor(1, 10), "a leader must know before it sends");
        assertFalse(log.isFull());
        assertThrows(IllegalStateException.class, () -> append(log, 2, entries(1, "other")));
        assertEquals(1, told.size(), told.toString());
        assertTrue(told.get(0).contains("restart this member"), told.toString());
        log.close();
    }

    @Test
    void aBatchOfAnyLengthIsWrittenInPiecesOfOneBuffer() throws Exception {
        CheckedFileLog log = open();
        String[] texts = new String[300];
        for (int i = 0; i < texts.length; i++) {
            // Records that end anywhere in a piece, and some that are longer than one.
            texts[i] = ("" + (char) ('a' + i % 26)).repeat(i % 100 == 7 ? 700_000 + i : 1 + 37 * i);
        }
        append(log, 1, entries(1, texts));
        assertTrue(disk.longestWrite <= 256 << 10, disk.longestWrite + " bytes at once");

        CheckedFileLog again = reopen(log);
        assertEquals(texts.length, again.lastAppended());
        assertEquals(Optional.empty(), again.damage());
        for (int i = 0; i < texts.length; i++) {
            assertArrayEquals(
                    EntryFrame.wrap(texts[i].getBytes(UTF_8)), get(again, i + 1).command());
        }
        again.close();
    }

    @Test
    void aVoteThatCannotBeStoredIsNotGiven() throws Exception {
        CheckedFileLog log = open();
        log.onBroken(why -> assertTrue(why.contains("restart this member"), why));
        disk.writeFails = true;
        assertThrows(IllegalStateException.class, () -> log.votedFor(ExtendedUUID.randomUUID("b")));
        log.close();
    }

    @Test
    void aFullDiskIsNoticedBeforeAnythingIsWrittenAndVotesAreStoredAllTheSame() throws Exception {
        CheckedFileLog log = open();
        append(log, 1, entries(1, "one"));
        disk.mostBytes = Files.size(file());
        assertTrue(log.hasRoomFor(1, 1_000), "room was taken ahead");
        assertFalse(log.hasRoomFor(1, 1 << 20));
        assertTrue(log.isFull());
        assertFalse(log.hasRoomFor(1, 10), "full until there is room for what did not fit");
        log.currentTerm(5);
        log.votedFor(ExtendedUUID.randomUUID("b"));
        disk.mostBytes = Long.MAX_VALUE;
        assertTrue(log.hasRoomFor(1, 1 << 20));
        assertFalse(log.isFull());
        append(log, 2, entries(5, "two"));

        CheckedFileLog again = reopen(log);
        assertEquals(2, again.lastAppended());
        assertEquals(5, again.currentTerm());
        again.close();
    }

    @Test
    void anEntryThatIsDamagedWhileTheMemberRunsIsNotRead() throws Exception {
        CheckedFileLog log = open();
        List<String> told = new ArrayList<>();
        log.onBroken(told::add);
        append(log, 1, entries(1, "one", "two"));
        damage("two");
        assertThrows(IllegalStateException.class, () -> log.get(2));
        assertTrue(told.get(0).contains("entry 2 is damaged"), told.toString());
        log.close();
    }

    @Test
    void theLogOfAnOlderVersionIsRefused() throws IOException {
        Path old = folder.resolve("a.log").resolve("entries.raft");
        Files.createDirectories(Objects.requireNonNull(old.getParent()));
        Files.write(old, new byte[] {1});
        assertThrows(OrderedLogException.class, this::open);
    }

    /** As after an upgrade that is taken back. A repair would lose the vote, and at all members it would lose the group. */
    @Test
    void filesOfAnotherVersionAreNoDamage() throws Exception {
        CheckedFileLog log = open();
        append(log, 1, entries(3, "one", "two", "three"));
        log.commitIndex(3);
        snapshot(2, 3);
        log.truncate(2);
        log.close();
        byte[] state = Files.readAllBytes(stateFile());
        for (int slot : new int[] {4096, 0}) {
            writeVersion(stateFile(), slot, MemberState.LENGTH);
            isOfAnotherVersion(stateFile());
        }
        Files.write(stateFile(), state);
        Path snapshot = folder.resolve("a.log").resolve(SnapshotFile.NAME);
        int length = (int) Files.size(snapshot);
        writeVersion(snapshot, 0, length);
        isOfAnotherVersion(snapshot);
        flip(snapshot, length - 6);
        CheckedFileLog again = open();
        assertEquals(new Damage(3, 3, true), again.damage().orElseThrow(), "the version may be damage, too");
        again.close();
    }

    /** Version 9, with a right checksum at the end of the part. */
    private static void writeVersion(Path file, int start, int length) throws IOException {
        byte[] all = Files.readAllBytes(file);
        int checked = length - Integer.BYTES;
        all[start + Integer.BYTES] = 9;
        CRC32C checksum = new CRC32C();
        checksum.update(all, start, checked);
        ByteBuffer.wrap(all).putInt(start + checked, (int) checksum.getValue());
        Files.write(file, all);
    }

    private void isOfAnotherVersion(Path file) throws IOException {
        byte[] before = Files.readAllBytes(file);
        OrderedLogException refusal = assertThrows(OrderedLogException.class, this::open);
        String why = "" + refusal.getMessage();
        assertTrue(why.startsWith(file + " has version 9, which another version of amo wrote; start the member"), why);
        assertEquals(OrderedLogException.Fault.USER, refusal.fault());
        assertArrayEquals(before, Files.readAllBytes(file));
    }

    private CheckedFileLog reopen(CheckedFileLog log) throws Exception {
        log.close();
        return open();
    }

    private CheckedFileLog open() {
        return open(true);
    }

    private CheckedFileLog open(boolean mayBegin) {
        return new CheckedFileLog(folder.resolve("a.log"), true, disk, new LogTail(), mayBegin);
    }

    private CheckedFileLog open(Disk under) {
        return new CheckedFileLog(folder.resolve("a.log"), true, under, new LogTail(), true);
    }

    /** As RAFT does: the term is stored before an entry of it is. */
    private static void append(CheckedFileLog log, long index, LogEntries entries) {
        log.currentTerm(entries.toArray()[0].term());
        log.append(index, entries);
    }

    private void snapshot(long index, long term) throws Exception {
        new SnapshotFile(folder.resolve("a.log"))
                .write(
                        new SnapshotFile.Head(
                                index, term, index, new Configuration(0, Member.parseList("a=localhost:1/2"))),
                        new LogSnapshot(index, new byte[] {1}, new byte[] {2, 3}));
    }

    private Path file() {
        return folder.resolve("a.log").resolve(EntryFile.NAME);
    }

    private Path stateFile() {
        return folder.resolve("a.log").resolve(StateFile.NAME);
    }

    private int newerSlot() throws IOException {
        byte[] all = Files.readAllBytes(stateFile());
        // The generation, big endian, behind magic, version and kind.
        return java.util.Arrays.compareUnsigned(all, 6, 14, all, 4102, 4110) > 0 ? 0 : 4096;
    }

    private void damage(String entry) throws IOException {
        byte[] all = Files.readAllBytes(file());
        flip(file(), new String(all, ISO_8859_1).indexOf(entry));
    }

    private static void flip(Path file, long at) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(at);
            int was = bytes.read();
            bytes.seek(at);
            bytes.write(was ^ 4);
        }
    }

    private static LogEntry get(CheckedFileLog log, long index) {
        return Objects.requireNonNull(log.get(index));
    }

    private static LogEntry noOperation(long term) {
        return new LogEntry(term, EntryFrame.internalNoOperation()).internal(true);
    }

    private static LogEntries entries(long term, String... texts) {
        LogEntries entries = new LogEntries();
        for (String text : texts) {
            entries.add(new LogEntry(term, EntryFrame.wrap(text.getBytes(UTF_8))));
        }
        return entries;
    }
}
