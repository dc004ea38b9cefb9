package org.amo.replication.order.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CheckedFileLogTest {
    @TempDir
    private Path folder = Path.of("unset");

    @Test
    void whatWasAppendedIsThereAfterAnotherStart() throws Exception {
        CheckedFileLog log = open();
        log.append(1, entries(1, "one", "two"));
        log.append(3, new LogEntries().add(noOperation(1)));
        log.close();

        CheckedFileLog again = open();
        assertEquals(3, again.lastAppended());
        assertArrayEquals(EntryFrame.wrap("two".getBytes(UTF_8)), again.get(2).command());
        again.close();
    }

    @Test
    void anEntryThatWasWrittenHalfIsCutOffWithAllAfterIt() throws Exception {
        CheckedFileLog log = open();
        log.append(1, entries(1, "committed", "torn", "whole, but behind the torn one"));
        log.commitIndex(1);
        log.close();
        zeroLastByteOf("torn");

        CheckedFileLog again = open();
        assertEquals(1, again.lastAppended());
        again.append(2, entries(2, "new"));
        again.close();

        CheckedFileLog third = open();
        assertEquals(2, third.lastAppended(), "nothing of the old tail comes back");
        assertArrayEquals(EntryFrame.wrap("new".getBytes(UTF_8)), third.get(2).command());
        third.close();
    }

    @Test
    void aLogThatIsCutKeepsTheEntryOfTheSnapshotAndWhatFollows() throws Exception {
        CheckedFileLog log = open();
        log.append(1, entries(3, "one", "two", "three", "four"));
        log.commitIndex(3);
        snapshot(2, 3);
        log.currentTerm(9);

        log.truncate(2);

        assertCut(log);
        assertCut(reopen(log));
    }

    private static void assertCut(CheckedFileLog log) {
        assertEquals(2, log.firstAppended());
        assertEquals(4, log.lastAppended());
        assertEquals(3, log.commitIndex());
        assertEquals(9, log.currentTerm());
        assertArrayEquals(EntryFrame.wrap("two".getBytes(UTF_8)), log.get(2).command());
        assertArrayEquals(EntryFrame.wrap("four".getBytes(UTF_8)), log.get(4).command());
        assertEquals(null, log.get(1));
    }

    /** The crash came after the snapshot of another member was renamed, and before the log began anew behind it. */
    @Test
    void aLogThatIsOlderThanItsSnapshotIsBroughtToIt() throws Exception {
        CheckedFileLog log = open();
        log.append(1, entries(3, "one", "two"));
        log.commitIndex(2);
        log.close();
        snapshot(50, 7);

        CheckedFileLog again = open();

        assertEquals(50, again.firstAppended());
        assertEquals(50, again.lastAppended());
        assertEquals(50, again.commitIndex());
        assertEquals(7, again.get(50).term());
        again.append(51, entries(8, "behind"));
        assertEquals(51, reopen(again).lastAppended());
    }

    @Test
    void aLogThatHoldsTheEntryOfItsSnapshotKeepsWhatFollows() throws Exception {
        CheckedFileLog log = open();
        log.append(1, entries(3, "one", "two", "three"));
        log.commitIndex(1);
        log.close();
        snapshot(2, 3);

        CheckedFileLog again = open();

        assertEquals(2, again.commitIndex());
        assertEquals(3, again.lastAppended(), "it has acknowledged that one");
        again.close();
    }

    @Test
    void aDamagedOrMissingSnapshotIsRefused() throws Exception {
        CheckedFileLog log = open();
        log.append(1, entries(3, "one", "two", "three"));
        log.commitIndex(3);
        snapshot(2, 3);
        log.truncate(2);
        log.close();
        Path file = folder.resolve("a.log").resolve(SnapshotFile.NAME);
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(bytes.length() - 6);
            bytes.write(99);
        }
        assertTrue(refusal().contains("checksum"));
        Files.delete(file);
        assertTrue(refusal().contains("behind its snapshot"));
    }

    private String refusal() {
        return String.valueOf(
                assertThrows(OrderedLogException.class, this::open).getMessage());
    }

    private CheckedFileLog reopen(CheckedFileLog log) throws Exception {
        log.close();
        return open();
    }

    private void snapshot(long index, long term) throws Exception {
        new SnapshotFile(folder.resolve("a.log"))
                .write(
                        new SnapshotFile.Head(
                                index, term, index, new Configuration(0, Member.parseList("a=localhost:1/2"))),
                        new LogSnapshot(index, new byte[] {1}, new byte[] {2, 3}));
    }

    @Test
    void theTermNeverFallsNotEvenInTheFile() throws Exception {
        CheckedFileLog log = open();
        log.currentTerm(7);
        log.append(1, entries(3, "an old entry from the leader", "another"));
        log.deleteAllEntriesStartingFrom(2);
        assertEquals(7, log.currentTerm());
        log.close();

        CheckedFileLog again = open();
        assertEquals(7, again.currentTerm());
        again.close();
    }

    @Test
    void aLogThatLostCommittedEntriesIsRefused() throws Exception {
        CheckedFileLog log = open();
        log.append(1, entries(1, "one", "two"));
        log.commitIndex(2);
        log.close();
        try (RandomAccessFile file = new RandomAccessFile(file().toFile(), "rw")) {
            file.setLength(10);
        }
        OrderedLogException failure = assertThrows(OrderedLogException.class, this::open);
        assertEquals(OrderedLogException.Fault.ENVIRONMENT, failure.fault());
    }

    /** As on a full disk that then has room for a smaller entry. */
    @Test
    void afterAnAppendThatFailedNothingIsAppendedAndItIsTold() throws Exception {
        CheckedFileLog log = open();
        List<String> told = new ArrayList<>();
        log.onBroken(told::add);
        log.append(1, entries(1, "one"));
        byte[] text = EntryFrame.wrap("failed".getBytes(UTF_8));
        LogEntries cannotBeWritten =
                new LogEntries().add(new LogEntry(1, text)).add(new LogEntry(1, text, 0, text.length + 1, false));
        assertThrows(RuntimeException.class, () -> log.append(2, cannotBeWritten));
        assertThrows(IllegalStateException.class, () -> log.append(2, entries(1, "another")));
        assertEquals(1, told.size(), told.toString());
        log.close();

        CheckedFileLog again = open();
        assertEquals(1, again.lastAppended());
        again.close();
    }

    /** As on a disk that takes only the beginning of an entry, and says nothing. */
    @Test
    void anEntryThatIsNotWholeOnTheDiskIsNotAcknowledged() throws Exception {
        CheckedFileLog log = open();
        List<String> told = new ArrayList<>();
        log.onBroken(told::add);
        byte[] damaged = EntryFrame.wrap("damaged".getBytes(UTF_8));
        damaged[damaged.length - 1]++;
        LogEntries entries = new LogEntries().add(new LogEntry(1, damaged));
        assertThrows(IllegalStateException.class, () -> log.append(1, entries));
        assertEquals(1, told.size(), told.toString());
        log.close();
    }

    private CheckedFileLog open() throws Exception {
        CheckedFileLog log = new CheckedFileLog();
        log.init(folder.resolve("a.log").toString(), Map.of());
        return log;
    }

    private Path file() {
        return folder.resolve("a.log").resolve("entries.raft");
    }

    private void zeroLastByteOf(String entry) throws Exception {
        try (RandomAccessFile file = new RandomAccessFile(file().toFile(), "rw")) {
            byte[] all = new byte[(int) file.length()];
            file.readFully(all);
            int at = new String(all, java.nio.charset.StandardCharsets.ISO_8859_1).indexOf(entry);
            file.seek(at + entry.length() - 1L);
            file.write(0);
        }
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
