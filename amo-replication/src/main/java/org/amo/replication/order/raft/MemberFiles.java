package org.amo.replication.order.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.LogTail;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.core.replica.ExecutionNotes;
import org.amo.net.CheckedFile;
import org.jgroups.protocols.raft.LogEntry;

/**
 * Checks the files in the folder of a member that does not run ({@code docs/reference/data-folder.md}): every checksum, the gaps of the
 * log, and whether the log reaches back to the snapshot. It judges as a start of the member does, and changes nothing. Reads the whole log
 * and the snapshot, and holds the snapshot in memory. Any thread; one at a time for a folder.
 */
public final class MemberFiles implements AutoCloseable {
    private static final String EXECUTIONS = "executions";
    private static final List<String> OTHERS = List.of("divergence", "settings");

    private static final Disk READ_ONLY = file -> FileChannel.open(file, StandardOpenOption.READ);

    private final Path folder;
    private final Path log;
    private final FileChannel lock;
    private final List<Part> parts = new ArrayList<>();

    /** The result for one file. */
    public enum Condition {
        /** As it was written. */
        WHOLE,
        /** Not there, and needless. */
        NONE,
        /** The next start of the member repairs it by itself. */
        REPAIRABLE,
        /** The member needs the other ones, or a copy. */
        DAMAGED,
        /** Another version of amo wrote it. */
        OTHER_VERSION
    }

    /**
     * One file of the folder.
     *
     * @param file its name in the folder
     * @param text its content in a few words, or the damage
     */
    public record Part(String file, Condition condition, String text) {
        /** Whether the member needs neither the others nor another version of amo for it. */
        public boolean isUsable() {
            return condition != Condition.DAMAGED && condition != Condition.OTHER_VERSION;
        }
    }

    private MemberFiles(Path folder, FileChannel lock) {
        this.folder = folder;
        this.log = MemberFolder.logFolder(folder);
        this.lock = lock;
    }

    /**
     * Keeps the member from starting until {@link #close}.
     *
     * @param folder DATA/GROUP/ID
     * @throws OrderedLogException with cause and remedy in one line: it is no folder of a member, keeps nothing, or its member runs
     */
    public static MemberFiles open(Path folder) {
        Path absolute = folder.toAbsolutePath().normalize();
        if (!Files.isDirectory(absolute)
                || absolute.getFileName() == null
                || !Files.exists(absolute.resolve(MemberFolder.LOCK))) {
            throw new OrderedLogException(
                    Fault.USER,
                    folder + " is no folder of a member; give DATA/GROUP/ID, with the DATA, GROUP and ID of its start");
        }
        if (MemberFolder.wasInMemory(absolute)) {
            throw new OrderedLogException(
                    Fault.USER,
                    "the member in " + folder + " had its log in memory (--log memory), so it keeps nothing");
        }
        try {
            FileChannel lock = CheckedFile.openLocked(absolute.resolve(MemberFolder.LOCK), StandardOpenOption.WRITE)
                    .orElseThrow(() -> new OrderedLogException(
                            Fault.ENVIRONMENT, "the member in " + folder + " runs; stop it first"));
            return new MemberFiles(absolute, lock);
        } catch (IOException e) {
            throw new OrderedLogException(
                    Fault.ENVIRONMENT, "cannot lock " + folder + " (" + e + "); run this as the member's user", e);
        }
    }

    /** Gives the folder back. */
    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException e) {
            throw new OrderedLogException(Fault.ENVIRONMENT, "cannot give " + folder + " back (" + e + ")", e);
        }
    }

    /**
     * Checks all files.
     *
     * @throws OrderedLogException if one of them cannot be read for another reason than damage
     */
    public List<Part> check() {
        parts.clear();
        try {
            checkMembers();
            checkLog();
            checkExecutions();
            for (String name : OTHERS) {
                checkSmallFile(name);
            }
        } catch (IOException e) {
            throw new OrderedLogException(
                    Fault.ENVIRONMENT, "cannot read " + folder + " (" + e + "); run this as the member's user", e);
        }
        return List.copyOf(parts);
    }

    /** @throws OrderedLogException unless each file is whole, or repaired by a start of the member itself */
    void refuseDamage() {
        check().stream().filter(part -> !part.isUsable()).findFirst().ifPresent(part -> {
            throw new OrderedLogException(
                    Fault.ENVIRONMENT,
                    part.file() + " in " + folder + " cannot be used (" + part.text()
                            + "); recover the folder of another member, or a copy of one");
        });
    }

    private void add(String file, Condition condition, String text) {
        parts.add(new Part(file, condition, text));
    }

    private void checkMembers() throws IOException {
        Optional<Boolean> whole = wholeSmallFile(MemberFolder.FIRST_MEMBERS);
        if (whole.isEmpty()) {
            add(MemberFolder.FIRST_MEMBERS, Condition.DAMAGED, "it is missing");
        } else if (whole.get()) {
            ByteBuffer content = MemberFolder.firstMembersFile(folder).read().orElseThrow();
            add(
                    MemberFolder.FIRST_MEMBERS,
                    Condition.WHOLE,
                    "the log begins with " + StandardCharsets.UTF_8.decode(content));
        }
    }

    /** Tells of a damaged one. @throws IOException also for a file of another version */
    private Optional<Boolean> wholeSmallFile(String name) throws IOException {
        Path file = folder.resolve(name);
        try {
            Optional<Boolean> whole = CheckedFile.isWhole(file);
            if (whole.isPresent() && !whole.get()) {
                add(name, Condition.DAMAGED, "its checksum or its form is wrong");
            }
            return whole;
        } catch (IOException e) {
            throw new IOException(name + ": " + e.getMessage(), e);
        }
    }

    private void checkSmallFile(String name) throws IOException {
        Optional<Boolean> whole = wholeSmallFile(name);
        if (whole.isEmpty()) {
            add(name, Condition.NONE, "there is none");
        } else if (whole.get()) {
            add(name, Condition.WHOLE, "its checksum is right");
        }
    }

    private void checkLog() throws IOException {
        String name = log.getFileName().toString();
        if (!Files.exists(log.resolve(StateFile.NAME)) || !Files.exists(log.resolve(EntryFile.NAME))) {
            add(name, Condition.DAMAGED, "its log or its term and vote are missing");
            return;
        }
        try (StateFile state = new StateFile(READ_ONLY, log);
                EntryFile entries = new EntryFile(READ_ONLY, log)) {
            LogInspection found = new LogInspection(log, READ_ONLY, new SnapshotFile(log), entries, state, false);
            found.judge(new LogTail(), false);
            tell(name, found, state.now(), entries);
        } catch (OrderedLogException e) {
            // The only one that reading gives.
            add(name, Condition.OTHER_VERSION, String.valueOf(e.getMessage()));
        }
    }

    private void tell(String name, LogInspection found, MemberState state, EntryFile entries) throws IOException {
        String snapshot = name + "/" + SnapshotFile.NAME;
        found.snapshot()
                .map(SnapshotFile.Stored::head)
                .ifPresentOrElse(
                        head -> add(
                                snapshot,
                                Condition.WHOLE,
                                "position " + head.position() + ", entry " + head.index() + " of term " + head.term()),
                        () -> add(snapshot, Condition.NONE, "there is no whole one"));
        String file = name + "/" + EntryFile.NAME;
        String range = "entries " + entries.first() + " to " + entries.last() + ", " + state.commit()
                + " known to be committed; term " + state.term();
        long damaged = found.lost().isEmpty() ? damagedContent(found, entries) : 0;
        if (!found.lost().isEmpty()) {
            add(file, Condition.DAMAGED, "damaged or lost: " + String.join(" and ", found.lost()) + "; " + range);
        } else if (damaged > 0) {
            add(file, Condition.DAMAGED, "the content of entry " + damaged + " does not match its checksum; " + range);
        } else if (state.damage().isPresent()) {
            long upTo = state.damage().get().upTo();
            add(file, Condition.DAMAGED, "to be repaired from the other members up to entry " + upTo + "; " + range);
        } else if (found.isTorn()) {
            add(file, Condition.REPAIRABLE, "an incomplete entry at the end, which was not acknowledged; " + range);
        } else {
            add(file, Condition.WHOLE, range);
        }
        found.repairable().forEach(what -> add(name, Condition.REPAIRABLE, what));
    }

    /** The first entry of a replica behind the snapshot that is not as the replica submitted it; 0 for none. */
    private static long damagedContent(LogInspection found, EntryFile entries) throws IOException {
        long covered = found.snapshot().map(stored -> stored.head().index()).orElse(0L);
        for (long index = Math.max(covered + 1, entries.first()); index <= entries.last(); index++) {
            LogEntry entry = entries.get(index).orElseThrow().entry();
            if (!entry.internal() && !EntryFrame.isWhole(entry.command(), entry.offset(), entry.length())) {
                return index;
            }
        }
        return 0;
    }

    private void checkExecutions() throws IOException {
        Path file = folder.resolve(EXECUTIONS);
        byte[] bytes = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
        if (bytes.length != ExecutionNotes.BYTES) {
            add(EXECUTIONS, Condition.DAMAGED, "it has " + bytes.length + " bytes in place of " + ExecutionNotes.BYTES);
            return;
        }
        try {
            // It writes to the copy alone.
            ExecutionNotes notes = new ExecutionNotes(ByteBuffer.wrap(bytes), () -> {}, 0);
            if (notes.isFresh()) {
                add(EXECUTIONS, Condition.DAMAGED, "its content is lost");
            } else if (notes.wasDamaged()) {
                add(EXECUTIONS, Condition.REPAIRABLE, "a part is damaged or old; its promises are there a second time");
            } else {
                add(EXECUTIONS, Condition.WHOLE, "its promises are there twice");
            }
        } catch (ExecutionNotes.OtherVersionException e) {
            add(EXECUTIONS, Condition.OTHER_VERSION, "it has version " + e.version());
        } catch (IllegalStateException e) {
            add(EXECUTIONS, Condition.DAMAGED, String.valueOf(e.getMessage()));
        }
    }
}
