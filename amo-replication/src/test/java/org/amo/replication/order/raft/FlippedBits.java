package org.amo.replication.order.raft;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import org.amo.core.order.LogRepair;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.LogTail;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.jgroups.util.ExtendedUUID;

/**
 * Flips single bits in the files of one member of three and starts it on them. The two others, which have every
 * acknowledged entry, stand by as the majority it is repaired from. A flip must be repaired, refused with a remedy, or
 * harmless: the member counts in votes only with all that it had acknowledged, its term and its vote.
 */
final class FlippedBits {
    /** What became of a flip. */
    enum Outcome {
        REPAIRED,
        REFUSED,
        HARMLESS
    }

    /** The file that was hit. */
    enum Part {
        LOG,
        UNUSED_ROOM,
        STATE,
        SNAPSHOT
    }

    private static final List<String> OTHERS = List.of("b", "c");
    private static final ExtendedUUID CANDIDATE = ExtendedUUID.randomUUID("b");
    private static final long TERM = 7;

    /**
     * What the member went through before the flip.
     *
     * @param commitStored whether the commit index reached the disk
     * @param snapshot whether there is one, and the log is cut behind it
     * @param tornTail whether a crash came while an entry was written
     * @param idle whether the snapshot covers the last entry, as that of a member that had nothing to do
     */
    record History(boolean commitStored, boolean snapshot, boolean tornTail, boolean idle) {}

    /** As this process sees its files; nothing is forced, since no power fails here. */
    private static final Disk UNFORCED = new Disk() {
        @Override
        public FileChannel open(Path file) throws IOException {
            return new FaultyDisk.Unforced(Disk.LOCAL.open(file));
        }

        @Override
        public void forceFolder(Path folder) {
            // Survives as long as this process.
        }
    };

    private final Path work;
    private final SplittableRandom random;
    private final LogTail tail;
    private final Map<Part, Map<Outcome, Integer>> counts = new EnumMap<>(Part.class);

    private final List<LogEntry> truth = new ArrayList<>();
    private long snapshotIndex;
    private byte[] entryBytes = {};
    private byte[] stateBytes = {};
    private byte[] snapshotBytes = {};
    private int used;

    FlippedBits(Path work, long seed, LogTail tail) {
        this.work = work;
        this.random = new SplittableRandom(seed);
        this.tail = tail;
    }

    /** Writes the member's files as they are before a flip. */
    void prepare(History history) throws IOException {
        truth.clear();
        clear();
        snapshotIndex = 0;
        CheckedFileLog log = open();
        log.currentTerm(2);
        while (truth.size() < 40) {
            LogEntries batch = new LogEntries();
            int size = 1 + random.nextInt(4);
            long term = truth.size() < 15 ? 2 : 5;
            for (int i = 0; i < size; i++) {
                LogEntry entry = truth.size() == 15
                        ? new LogEntry(term, EntryFrame.internalNoOperation()).internal(true)
                        : new LogEntry(term, EntryFrame.wrap(bytes(random.nextInt(120))));
                truth.add(entry);
                batch.add(entry);
            }
            log.append(truth.size() - size + 1, batch);
        }
        log.currentTerm(TERM);
        log.votedFor(CANDIDATE);
        if (history.commitStored || history.snapshot) {
            log.commitIndex(truth.size() - (history.idle ? 0 : 3));
        }
        if (history.snapshot) {
            snapshotIndex = history.idle ? truth.size() : 20;
            // One entry is RAFT's own.
            long position = snapshotIndex - 1;
            new SnapshotFile(work)
                    .write(
                            new SnapshotFile.Head(
                                    snapshotIndex,
                                    5,
                                    position,
                                    new Configuration(0, Member.parseList("a=h:1/2,b=h:3/4,c=h:5/6"))),
                            new LogSnapshot(position, bytes(200), bytes(300)));
            log.truncate(history.idle ? snapshotIndex : 18);
        }
        byte[] state = Files.readAllBytes(work.resolve(StateFile.NAME));
        used = (int) log.sizeInBytes();
        if (history.tornTail) {
            LogEntries torn = new LogEntries().add(new LogEntry(5, EntryFrame.wrap(bytes(100))));
            log.append(truth.size() + 1, torn);
        }
        log.close();
        entryBytes = Arrays.copyOf(Files.readAllBytes(work.resolve(EntryFile.NAME)), used + 4096);
        if (history.tornTail) {
            Arrays.fill(entryBytes, used + 60, used + 130, (byte) 0);
        } else {
            state = Files.readAllBytes(work.resolve(StateFile.NAME));
        }
        stateBytes = state;
        snapshotBytes = history.snapshot ? Files.readAllBytes(work.resolve(SnapshotFile.NAME)) : new byte[0];
    }

    /** Flips one bit drawn at random, starts the member, and judges what becomes of it. */
    void flipOne() throws IOException {
        byte[] entries = entryBytes.clone();
        byte[] state = stateBytes.clone();
        byte[] snapshot = snapshotBytes.clone();
        Part part = draw();
        int bit =
                switch (part) {
                    case LOG -> flip(entries, 0, used);
                    case UNUSED_ROOM -> flip(entries, used, entries.length);
                    case STATE -> flip(state, 0, state.length);
                    case SNAPSHOT -> flip(snapshot, 0, snapshot.length);
                };
        clear();
        Files.write(work.resolve(EntryFile.NAME), entries);
        Files.write(work.resolve(StateFile.NAME), state);
        if (snapshot.length > 0) {
            Files.write(work.resolve(SnapshotFile.NAME), snapshot);
        }
        Outcome outcome;
        try {
            outcome = start();
            // The other copy held, and the damaged one was written again.
            outcome = part == Part.STATE ? Outcome.REPAIRED : outcome;
        } catch (OrderedLogException e) {
            outcome = Outcome.REFUSED;
            check(String.valueOf(e.getMessage()).contains(";"), "no remedy: " + e.getMessage());
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("bit " + bit + " of " + part, e);
        }
        counts.computeIfAbsent(part, key -> new EnumMap<>(Outcome.class)).merge(outcome, 1, Integer::sum);
    }

    private Part draw() {
        int of = random.nextInt(100);
        if (of < 70) {
            return Part.LOG;
        }
        if (of < 73) {
            return Part.UNUSED_ROOM;
        }
        return of < 87 || snapshotBytes.length == 0 ? Part.STATE : Part.SNAPSHOT;
    }

    private int flip(byte[] bytes, int from, int to) {
        // The slots of the state, not the bytes between them that have no meaning.
        int at = bytes.length == stateBytes.length
                ? random.nextInt(2) * 4096 + random.nextInt(MemberState.LENGTH)
                : from + random.nextInt(to - from);
        int bit = random.nextInt(8);
        bytes[at] ^= (byte) (1 << bit);
        return 8 * at + bit;
    }

    private Outcome start() throws IOException {
        CheckedFileLog log = open();
        Optional<LogRepair.Damage> damage = log.damage();
        boolean healed = false;
        if (damage.isPresent()) {
            repair(log, damage.get());
            log.close();
            log = open();
            check(log.damage().isEmpty(), "still damaged after the repair: " + log.damage());
            healed = true;
        } else {
            check(log.currentTerm() == TERM, "term " + log.currentTerm());
            check(CANDIDATE.equals(log.votedFor()), "vote " + log.votedFor());
        }
        checkAll(log);
        log.close();
        return healed ? Outcome.REPAIRED : Outcome.HARMLESS;
    }

    /** A leader of term 8 brings the member on, as RAFT does, from its log and its snapshot. */
    private void repair(CheckedFileLog log, LogRepair.Damage damage) throws IOException {
        LogRepair repair = new LogRepair(damage);
        check(!repair.mayVote(), "it votes on a damaged log");
        if (!repair.mayFollow()) {
            repair.onTerm("b", TERM, truth.size(), OTHERS);
            log.damage(repair.onTerm("c", 5, truth.size(), OTHERS).orElseThrow());
        }
        check(log.currentTerm() <= TERM, "a term of nowhere: " + log.currentTerm());
        log.currentTerm(TERM + 1);
        long equal = Math.min(log.lastAppended(), truth.size());
        while (equal > snapshotIndex && !isTrue(log, equal)) {
            equal--;
        }
        if (equal < snapshotIndex) {
            Files.write(work.resolve(SnapshotFile.NAME), snapshotBytes);
            log.reinitializeTo(snapshotIndex, new LogEntry(5, new byte[0]));
            equal = snapshotIndex;
        } else if (log.lastAppended() > equal) {
            log.deleteAllEntriesStartingFrom(equal + 1);
        }
        LogEntries missing = new LogEntries();
        truth.subList((int) equal, truth.size()).forEach(missing::add);
        missing.add(new LogEntry(TERM + 1, EntryFrame.internalNoOperation()).internal(true));
        log.append(equal + 1, missing);
        check(repair.onVerified(log.lastAppended(), TERM + 1), "not repaired by all that there is");
        log.repaired();
    }

    private void checkAll(CheckedFileLog log) throws IOException {
        check(log.commitIndex() <= truth.size(), "commit index " + log.commitIndex());
        long from = Math.max(1, log.firstAppended());
        check(from == 1 || from <= snapshotIndex, "the log begins at " + from);
        check(log.lastAppended() >= truth.size(), "acknowledged entries behind " + log.lastAppended() + " are lost");
        for (long index = from; index <= truth.size(); index++) {
            boolean placeHolder = index == snapshotIndex
                    && Objects.requireNonNull(log.get(index)).length() == 0
                    && Objects.requireNonNull(log.get(index)).term()
                            == truth.get((int) index - 1).term();
            check(placeHolder || isTrue(log, index), "entry " + index + " is another one");
        }
        if (from > 1) {
            check(
                    Arrays.equals(snapshotBytes, Files.readAllBytes(work.resolve(SnapshotFile.NAME))),
                    "the snapshot is another one");
        }
    }

    private boolean isTrue(CheckedFileLog log, long index) {
        LogEntry is = log.get(index);
        LogEntry was = truth.get((int) index - 1);
        return is != null
                && is.term() == was.term()
                && is.internal() == was.internal()
                && Arrays.equals(
                        is.command(), Arrays.copyOfRange(was.command(), was.offset(), was.offset() + was.length()));
    }

    /** How many flips of a part ended so. */
    int count(Part part, Outcome outcome) {
        return counts.getOrDefault(part, Map.of()).getOrDefault(outcome, 0);
    }

    String table() {
        StringBuilder text = new StringBuilder("single-bit flips  repaired  refused with a remedy  harmless\n");
        for (Part part : Part.values()) {
            text.append(String.format(
                    Locale.ROOT,
                    "%-16s  %8d  %21d  %8d%n",
                    part.toString().toLowerCase(Locale.ROOT).replace('_', ' '),
                    count(part, Outcome.REPAIRED),
                    count(part, Outcome.REFUSED),
                    count(part, Outcome.HARMLESS)));
        }
        return text.toString();
    }

    private CheckedFileLog open() {
        return new CheckedFileLog(work, false, UNFORCED, tail, true);
    }

    private void clear() throws IOException {
        Files.createDirectories(work);
        for (String name : List.of(
                EntryFile.NAME,
                StateFile.NAME,
                SnapshotFile.NAME,
                "entries.damaged",
                "entries.next",
                "snapshot.damaged")) {
            Files.deleteIfExists(work.resolve(name));
        }
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
