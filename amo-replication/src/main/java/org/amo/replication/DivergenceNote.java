package org.amo.replication;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.net.CheckedFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers across restarts that this member diverged (docs/wire/small-files.md): at which mark, whether its state has become that
 * of the majority since, whether it has run its log anew for that, and a line for the operator. A member without a folder forgets it
 * with its process. The owner of the replica owns it.
 *
 * <p>The mark, and whether the member is repaired, are a promise to clients. They stand in the notes of executions, too
 * ({@link #alsoIn}): the member has diverged if either of the two says so.
 */
final class DivergenceNote {
    private static final Logger LOG = LoggerFactory.getLogger(DivergenceNote.class);
    private static final int MAGIC = 0x616d6f44; // "amoD"
    private static final int HEAD = 1 + Long.BYTES;
    private static final int OPEN = 1;
    private static final int REPLAYED = 2;
    private static final String REMEDY =
            "replace this member by one with another id (docs/how-to/replace-a-failed-member.md)";

    private final RetriedFile file;
    private Optional<ExecutionGate> notes = Optional.empty();
    private boolean open;
    private boolean replayed;
    private long mark;
    private String line = "";

    private DivergenceNote(RetriedFile file) {
        this.file = file;
    }

    /**
     * @param folder empty for a member that keeps nothing
     * @throws OrderedLogException in one line when the note cannot be read
     */
    static DivergenceNote open(Optional<Path> folder) {
        Optional<CheckedFile> file = folder.map(kept -> new CheckedFile(kept.resolve("divergence"), MAGIC, REMEDY));
        DivergenceNote note = new DivergenceNote(new RetriedFile(file));
        file.ifPresent(note::read);
        return note;
    }

    private void read(CheckedFile from) {
        try {
            Optional<ByteBuffer> found = from.read();
            if (found.isEmpty()) {
                return;
            }
            ByteBuffer content = found.get();
            if (content.remaining() < HEAD) {
                throw new IOException("a note of a divergence has " + content.remaining() + " bytes; " + REMEDY);
            }
            int flags = content.get();
            open = (flags & OPEN) != 0;
            replayed = (flags & REPLAYED) != 0;
            mark = content.getLong();
            line = StandardCharsets.UTF_8.decode(content).toString();
        } catch (IOException e) {
            throw new OrderedLogException(Fault.ENVIRONMENT, "" + e.getMessage(), e);
        }
    }

    /** Before the first delivery: compares with the notes of executions, and keeps the promise there from now on. */
    void alsoIn(ExecutionGate gate) {
        notes = Optional.of(gate);
        mark = Math.max(mark, gate.divergedAt());
        if (open && !gate.isDiverged()) {
            gate.diverged(mark);
        } else if (!open && gate.isDiverged()) {
            // The disk was full when the file was to be written, or it lost the write.
            open = true;
            line = "differs from the majority at position " + mark + " of the log";
            LOG.warn(
                    "the file 'divergence' of this member lacks its divergence at position {}, and 'executions' has it",
                    mark);
            write();
        }
    }

    /** The mark at which this member's state was found to differ, if it has not been repaired since. */
    Optional<Long> diverged() {
        return open ? Optional.of(mark) : Optional.empty();
    }

    /** The same whether it has been repaired or not; 0 if this member never diverged. */
    long mark() {
        return mark;
    }

    /** Empty if this member never diverged. */
    String line() {
        return line;
    }

    void diverged(long at, String why) {
        notes.ifPresent(gate -> gate.diverged(at));
        open = true;
        mark = at;
        line = why;
        write();
    }

    /** The next process runs the log anew, since no member gave a state. */
    void replays() {
        replayed = true;
        write();
    }

    /** Whether it has been so since this member was last equal to the majority. */
    boolean hasReplayed() {
        return replayed;
    }

    void repaired(String how) {
        notes.ifPresent(ExecutionGate::equalAgain);
        open = false;
        replayed = false;
        line = how;
        write();
    }

    private void write() {
        byte[] text = line.getBytes(StandardCharsets.UTF_8);
        byte[] content = ByteBuffer.allocate(HEAD + text.length)
                .put((byte) ((open ? OPEN : 0) | (replayed ? REPLAYED : 0)))
                .putLong(mark)
                .put(text)
                .array();
        file.write(content);
    }

    /** At each tick. @return false while the disk does not take the note */
    boolean keep() {
        return file.retry();
    }
}
