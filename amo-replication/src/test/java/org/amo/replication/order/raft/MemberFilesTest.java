package org.amo.replication.order.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.LogTail;
import org.amo.core.order.Member;
import org.amo.core.replica.ExecutionNotes;
import org.amo.core.replica.Place;
import org.amo.net.CheckedFile;
import org.amo.replication.order.raft.MemberFiles.Condition;
import org.amo.replication.order.raft.MemberFiles.Part;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The check of a member's folder notices one flipped bit in each byte that has a meaning. The bytes that have none
 * ({@code docs/wire}) change nothing.
 */
final class MemberFilesTest {
    private static final String MEMBERS = "a=h:1/2,b=h:3/4,c=h:5/6";
    private static final String LOG = "a.log";
    private static final String ENTRIES = LOG + "/" + EntryFile.NAME;
    private static final String SNAPSHOT = LOG + "/" + SnapshotFile.NAME;
    private static final String EXECUTIONS = "executions";
    private static final long TERM = 3;
    private static final long COMMITTED = 4;
    private static final int UNUSED_ROOM = 100;

    @TempDir
    private Path data = Path.of("unset");

    private Path folder = Path.of("unset");
    private int used;

    /** Six entries, of which four are known to be committed, and a note of a request that runs. */
    @BeforeEach
    void aMemberOfThree() throws IOException {
        folder = Files.createDirectories(data.resolve("group").resolve("a"));
        Files.createFile(folder.resolve(MemberFolder.LOCK));
        MemberFolder.firstMembersFile(folder).write(MEMBERS.getBytes(UTF_8));
        for (String name : List.of("divergence", "settings")) {
            new CheckedFile(folder.resolve(name), 7, "").write(name.getBytes(UTF_8));
        }
        ByteBuffer bytes = ByteBuffer.allocate(ExecutionNotes.BYTES);
        ExecutionNotes notes = new ExecutionNotes(bytes, () -> {}, 1);
        notes.takesPart(0);
        assertEquals(ExecutionNotes.Turn.RUN, notes.begin(new Place(7, 0)));
        Files.write(folder.resolve(EXECUTIONS), bytes.array());
        try (CheckedFileLog log = open(true)) {
            log.currentTerm(TERM);
            for (int i = 1; i <= 6; i++) {
                byte[] command = EntryFrame.wrap(Integer.toString(i).getBytes(UTF_8));
                log.append(i, new LogEntries().add(new LogEntry(TERM, command)));
            }
            log.commitIndex(COMMITTED);
            used = (int) log.sizeInBytes();
        }
        Path entries = folder.resolve(ENTRIES);
        Files.write(entries, Arrays.copyOf(Files.readAllBytes(entries), used + UNUSED_ROOM));
    }

    @AfterEach
    void nothingWasChanged() throws IOException {
        try (CheckedFileLog log = open(false)) {
            assertEquals(6, log.lastAppended());
        }
    }

    @Test
    void everyByteOfARecordIsCoveredAndOneBehindThemIsATornRecord() throws IOException {
        try (Flips flips = new Flips()) {
            for (int at = 0; at < used; at++) {
                flips.change(ENTRIES, at, Map.of(ENTRIES, Condition.DAMAGED));
            }
            for (int at = used; at < used + UNUSED_ROOM; at++) {
                flips.change(ENTRIES, at, Map.of(ENTRIES, Condition.REPAIRABLE));
            }
        }
    }

    @Test
    void everyByteOfTheTwoSlotsIsCovered() throws IOException {
        int second = 4_096;
        try (Flips flips = new Flips()) {
            for (int at = 0; at < second + MemberState.LENGTH; at += at < MemberState.LENGTH || at >= second ? 1 : 16) {
                boolean inSlot = at % second < MemberState.LENGTH;
                flips.change(LOG + "/" + StateFile.NAME, at, inSlot ? Map.of(LOG, Condition.REPAIRABLE) : Map.of());
            }
        }
    }

    @Test
    void everyByteOfASnapshotThatIsNeededIsCovered() throws IOException {
        int length = snapshot();
        try (CheckedFileLog log = open(false)) {
            log.truncate(COMMITTED);
            used = (int) log.sizeInBytes();
        }
        try (Flips flips = new Flips()) {
            for (int at = 0; at < length; at++) {
                flips.change(SNAPSHOT, at, Map.of(SNAPSHOT, Condition.NONE, ENTRIES, Condition.DAMAGED));
            }
            for (int at = 0; at < used; at++) {
                flips.change(ENTRIES, at, Map.of(ENTRIES, Condition.DAMAGED));
            }
        }
    }

    @Test
    void everyByteOfASnapshotBesideAWholeLogIsCovered() throws IOException {
        int length = snapshot();
        try (Flips flips = new Flips()) {
            for (int at = 0; at < length; at++) {
                flips.change(SNAPSHOT, at, Map.of(SNAPSHOT, Condition.NONE, LOG, Condition.REPAIRABLE));
            }
        }
    }

    @Test
    void everyByteOfASmallFileIsCovered() throws IOException {
        try (Flips flips = new Flips()) {
            for (String name : List.of(MemberFolder.FIRST_MEMBERS, "divergence", "settings")) {
                for (int at = 0; at < Files.size(folder.resolve(name)); at++) {
                    flips.change(name, at, Map.of(name, Condition.DAMAGED));
                }
            }
        }
    }

    @Test
    void everyByteOfThePromisesAndOfANoteIsCovered() throws IOException {
        try (Flips flips = new Flips()) {
            // Each third: it comes to each byte of the notes, which are 64 bytes apart.
            for (int at = 0; at < ExecutionNotes.BYTES; at += 3) {
                flips.change(EXECUTIONS, at, isCovered(at) ? Map.of(EXECUTIONS, Condition.REPAIRABLE) : Map.of());
            }
        }
    }

    /** {@code docs/wire/execution-notes.md}: a note is 20 bytes, the last four its checksum, which is 0 if there is none. */
    private static boolean isCovered(int at) {
        boolean ofRunning = at < 20;
        int inNote = at < 1_536 ? at % 512 : at % 64;
        boolean inChecksum = at < 3_584 && inNote >= 16 && inNote < 20;
        boolean inPromises = at >= 4_096;
        return ofRunning || inChecksum || inPromises;
    }

    private int snapshot() throws IOException {
        SnapshotFile file = new SnapshotFile(folder.resolve(LOG));
        Configuration configuration = new Configuration(0, Member.parseList(MEMBERS));
        file.write(
                new SnapshotFile.Head(COMMITTED, TERM, COMMITTED, configuration),
                new LogSnapshot(COMMITTED, new byte[] {1, 2, 3}, "state".getBytes(UTF_8)));
        return (int) Files.size(file.path());
    }

    private CheckedFileLog open(boolean begin) {
        return new CheckedFileLog(folder.resolve(LOG), false, Disk.LOCAL, new LogTail(), begin);
    }

    /** Flips one bit after the other, and takes each back. */
    private final class Flips implements AutoCloseable {
        private final MemberFiles files = MemberFiles.open(folder);
        private final Map<String, Condition> whole = conditions();

        /** @param differences of the conditions to those without a flip */
        void change(String file, int at, Map<String, Condition> differences) throws IOException {
            Map<String, Condition> expected = new TreeMap<>(whole);
            expected.putAll(differences);
            flip(file, at);
            assertEquals(expected, conditions(), "byte " + at + " of " + file);
            flip(file, at);
        }

        private void flip(String file, int at) throws IOException {
            try (RandomAccessFile bytes =
                    new RandomAccessFile(folder.resolve(file).toFile(), "rw")) {
                bytes.seek(at);
                int was = bytes.read();
                bytes.seek(at);
                bytes.write(was ^ (1 << (at % Byte.SIZE)));
            }
        }

        private Map<String, Condition> conditions() {
            Map<String, Condition> conditions = new TreeMap<>();
            for (Part part : files.check()) {
                conditions.put(part.file(), part.condition());
            }
            return conditions;
        }

        @Override
        public void close() {
            files.close();
            assertEquals(Condition.WHOLE, whole.get(ENTRIES));
            assertEquals(Condition.WHOLE, whole.get(EXECUTIONS));
        }
    }
}
