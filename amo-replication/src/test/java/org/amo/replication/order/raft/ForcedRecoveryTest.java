package org.amo.replication.order.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.LogTail;
import org.amo.core.order.Member;
import org.amo.core.replica.ExecutionNotes;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A member that is left removes the others, and a crash at any write leaves a folder on which it can be done again. */
final class ForcedRecoveryTest {
    private static final List<Member> THREE = Member.parseList("a=h:1/2,b=h:3/4,c=h:5/6");
    private static final long TERM = 3;

    @TempDir
    private Path data = Path.of("unset");

    private Path folder = Path.of("unset");

    /** Five entries of callers, of which three are known to be committed, and one change of the members between them. */
    @BeforeEach
    void aMemberOfThree() throws IOException {
        folder = Files.createDirectories(data.resolve("group").resolve("a"));
        Files.createFile(folder.resolve("lock"));
        MemberFolder.firstMembersFile(folder).write("a=h:1/2,b=h:3/4".getBytes(UTF_8));
        ByteBuffer notes = ByteBuffer.allocate(ExecutionNotes.BYTES);
        new ExecutionNotes(notes, () -> {}, 1).takesPart(0);
        Files.write(folder.resolve("executions"), notes.array());
        try (CheckedFileLog log = open(true)) {
            log.currentTerm(TERM);
            append(log, EntryFrame.wrap("1".getBytes(UTF_8)), false);
            append(log, EntryFrame.memberChange(true, THREE.get(2)), true);
            for (int i = 2; i <= 5; i++) {
                append(log, EntryFrame.wrap(Integer.toString(i).getBytes(UTF_8)), false);
            }
            log.commitIndex(4);
        }
    }

    @Test
    void theOthersAreRemovedBehindTheLogAndAllOfItCounts() throws IOException {
        try (ForcedRecovery recovery = ForcedRecovery.open(folder)) {
            assertEquals(
                    new ForcedRecovery.Content("group", THREE.get(0), 5, 2, THREE.subList(1, 3)), recovery.content());
            recovery.force(Optional.empty());
        }
        assertDone(8);
    }

    @Test
    void anotherAddressIsPartOfIt() throws IOException {
        Member moved = Member.parseList("a=other:7/8").get(0);
        try (ForcedRecovery recovery = ForcedRecovery.open(folder)) {
            recovery.force(Optional.of(moved));
        }
        assertDone(9);
        try (ForcedRecovery again = ForcedRecovery.open(folder)) {
            assertEquals(moved, again.content().member());
            again.force(Optional.of(moved));
        }
        assertDone(9);
    }

    @Test
    void aCrashBehindTheTermChangesNothing() throws IOException {
        try (CheckedFileLog log = open(false)) {
            log.currentTerm(TERM + 1);
        }
        theOthersAreRemovedBehindTheLogAndAllOfItCounts();
    }

    /** The removals are there, and do not count. */
    @Test
    void aCrashBehindTheRemovalsIsMendedByTheNextRecovery() throws IOException {
        try (CheckedFileLog log = open(false)) {
            log.currentTerm(TERM + 1);
            LogEntries removals = new LogEntries();
            for (Member member : THREE.subList(1, 3)) {
                byte[] command = EntryFrame.memberChange(false, member);
                removals.add(new LogEntry(TERM + 1, command, 0, command.length, true));
            }
            log.append(log.lastAppended() + 1, removals);
        }
        try (ForcedRecovery again = ForcedRecovery.open(folder)) {
            assertEquals(new ForcedRecovery.Content("group", THREE.get(0), 5, 4, List.of()), again.content());
            assertFalse(again.content().isDone());
            again.force(Optional.empty());
        }
        assertDone(8);
    }

    private void assertDone(long last) throws IOException {
        try (CheckedFileLog log = open(false)) {
            assertEquals(last, log.lastAppended());
            assertEquals(last, log.commitIndex());
            assertEquals(Optional.empty(), log.damage());
        }
        try (ForcedRecovery again = ForcedRecovery.open(folder)) {
            assertTrue(again.content().isDone());
            assertEquals(List.of(), again.content().lost());
            assertEquals(5, again.content().position());
        }
    }

    private CheckedFileLog open(boolean begin) {
        return new CheckedFileLog(MemberFolder.logFolder(folder), true, Disk.LOCAL, new LogTail(), begin);
    }

    private static void append(CheckedFileLog log, byte[] command, boolean internal) {
        LogEntries one = new LogEntries().add(new LogEntry(TERM, command, 0, command.length, internal));
        log.append(log.lastAppended() + 1, one);
    }
}
