package org.amo.replication;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.core.replica.ExecutionNotes;
import org.amo.core.replica.ExecutionNotes.Turn;
import org.amo.core.replica.Place;
import org.amo.core.replica.Replica;
import org.amo.core.replica.ReplicaSettings;
import org.amo.net.CheckedFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Guards each execution: notes the request, or blocks the execution thread while the request is held.
 *
 * <p>The notes are in a mapped file: a store to it outlives the process, and costs no system call. A hold or a skip is
 * forced to disk before the call returns. Any thread.
 *
 * <p>Invariant: a closed gate writes nothing. The file may be the next one's by then, in the same process, and an operation of
 * this one may run on. Closing leaves the note of a running request as it is: if the member ends as it was asked to,
 * {@link #left} has removed it before.
 */
final class ExecutionGate implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ExecutionGate.class);
    private static final String FILE = "executions";
    /** The log writes both when it begins, and that is after the notes. One of them that is lost makes no first start. */
    private static final String MEMBERS = "members";

    private static final String LOG_SUFFIX = ".log";

    private final @Nullable FileChannel file;
    private final boolean memoryIsProof;

    // Guarded by this.
    private final ExecutionNotes notes;
    private boolean waiting;
    private boolean left;
    private boolean closed;

    private ExecutionGate(ExecutionNotes notes, @Nullable FileChannel file, boolean memoryIsProof) {
        this.notes = notes;
        this.file = file;
        this.memoryIsProof = memoryIsProof;
    }

    /**
     * With the notes of this member's earlier lives.
     *
     * @param folder empty for a member that keeps nothing: then a death is not noticed
     * @param memoryIsProof whether an end for want of memory counts as proof at the first death. Not in style passive: one member
     *     that died is enough for a verdict there, and its memory may have ended by accident
     * @throws OrderedLogException in one line when they cannot be read, or another process has them open
     */
    static ExecutionGate open(Optional<Path> folder, boolean memoryIsProof) {
        if (folder.isEmpty()) {
            ByteBuffer memory = ByteBuffer.allocate(ExecutionNotes.BYTES);
            return new ExecutionGate(new ExecutionNotes(memory, () -> {}, 0), null, memoryIsProof);
        }
        Path path = folder.get().resolve(FILE);
        try {
            CheckedFile.createFolders(folder.get());
            // Another process of this member would be taken for a dead one.
            // Of the environment, as a taken port is: it may be an earlier process that is still ending.
            FileChannel channel = CheckedFile.openLocked(
                            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)
                    .orElseThrow(() -> new OrderedLogException(
                            Fault.ENVIRONMENT,
                            "another process is already member '" + folder.get().getFileName()
                                    + "' with the data folder "
                                    + folder.get()
                                    + ", or has not ended yet; stop it, or start this one with another --id"));
            return open(folder.get(), channel, memoryIsProof);
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    /** @param channel the open file of the notes, which this process has locked; closed if they cannot be read */
    static ExecutionGate open(Path folder, FileChannel channel, boolean memoryIsProof) {
        try {
            try {
                return new ExecutionGate(read(channel, folder, memoryIsProof), channel, memoryIsProof);
            } catch (IOException | UncheckedIOException | IllegalStateException e) {
                channel.close();
                throw e;
            }
        } catch (ExecutionNotes.OtherVersionException e) {
            throw OrderedLogException.ofOtherVersion(folder.resolve(FILE), e.version());
        } catch (IOException | UncheckedIOException | IllegalStateException e) {
            throw unusable(folder.resolve(FILE), e);
        }
    }

    private static OrderedLogException unusable(Path path, Exception why) {
        return new OrderedLogException(
                Fault.ENVIRONMENT,
                "cannot use " + path + " (" + why.getMessage() + "); free the disk or, if the file is damaged, remove"
                        + " the folder and add the member anew under another id",
                why);
    }

    private static ExecutionNotes read(FileChannel channel, Path folder, boolean memoryIsProof) throws IOException {
        String log = folder.getFileName() + LOG_SUFFIX;
        boolean first = Files.notExists(folder.resolve(MEMBERS)) && Files.notExists(folder.resolve(log));
        if (first && hasTakenPart(channel)) {
            throw new IOException(
                    "its member has taken part in the group, and " + MEMBERS + " and " + log + " beside it are lost");
        }
        if (first) {
            // Not a hole: a full disk would end the process at the first note.
            channel.truncate(0);
            ByteBuffer zeros = ByteBuffer.allocate(ExecutionNotes.BYTES);
            while (zeros.hasRemaining()) {
                channel.write(zeros);
            }
        } else if (channel.size() != ExecutionNotes.BYTES) {
            throw new IOException("it has " + channel.size() + " bytes instead of " + ExecutionNotes.BYTES);
        }
        MappedByteBuffer memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, ExecutionNotes.BYTES);
        // A failed msync is an UncheckedIOException.
        Path outOfMemory = folder.resolve(ReplicaSettings.OUT_OF_MEMORY_FILE);
        ExecutionNotes notes =
                new ExecutionNotes(memory, memory::force, Boot.id(), memoryIsProof && Files.exists(outOfMemory));
        Files.deleteIfExists(outOfMemory);
        if (first) {
            CheckedFile.forceFolder(folder);
        } else if (notes.isFresh()) {
            throw new IOException("its content is lost");
        }
        if (notes.wasDamaged()) {
            LOG.warn(
                    "{}: a part of it was damaged, half written or too old; promises were there a second time, and a death in a"
                            + " request may not be counted",
                    folder.resolve(FILE));
        }
        return notes;
    }

    /** False also for notes that are not whole: a loss of power may have come at the first start. */
    private static boolean hasTakenPart(FileChannel channel) throws IOException {
        if (channel.size() != ExecutionNotes.BYTES) {
            return false;
        }
        ByteBuffer copy = ByteBuffer.allocate(ExecutionNotes.BYTES);
        for (int read = 0; copy.hasRemaining() && read >= 0; ) {
            read = channel.read(copy, copy.position());
        }
        try {
            return new ExecutionNotes(copy.clear(), () -> {}, Boot.id(), false).hasTakenPart();
        } catch (ExecutionNotes.OtherVersionException e) {
            throw e;
        } catch (IllegalStateException e) {
            LOG.debug("notes of no whole start", e);
            return false;
        }
    }

    /**
     * Hands the notes of earlier processes to the replica. A member that keeps none is a new one: it may join a group that skipped
     * requests, since other members may keep theirs.
     */
    synchronized void tell(Replica replica) {
        replica.onNotes(notes);
    }

    /** An entry of this process stands at that position. */
    synchronized void takesPart(long position) {
        notes.takesPart(position);
    }

    /** Parts of the notes that were damaged and are whole again. */
    synchronized int repaired() {
        return notes.wasDamaged() ? 1 : 0;
    }

    synchronized List<Place> died() {
        return notes.died();
    }

    /** Whether it ended this member once only, for want of memory. */
    synchronized boolean diedOnce(Place place) {
        return notes.diedOnce(place);
    }

    /** Whether the execution thread waits. */
    synchronized boolean isHolding() {
        return waiting;
    }

    /** Whether it may run now, may never, or has to wait. */
    synchronized Turn ask(Place place) {
        return left ? notes.admit(place) : notes.begin(place);
    }

    /** Waits until it may run, or may never. */
    synchronized Turn await(Place place) throws InterruptedException {
        awaitWord(place);
        return ask(place);
    }

    /** The same as {@link #ask} where several run at once, in the order of the places. */
    synchronized Turn askAtOnce(Place place) {
        return notes.admit(place);
    }

    /** The same as {@link #await} where several run at once. */
    synchronized Turn awaitAtOnce(Place place) throws InterruptedException {
        awaitWord(place);
        return notes.admit(place);
    }

    private synchronized void awaitWord(Place place) throws InterruptedException {
        while (notes.admit(place) == Turn.WAIT) {
            if (closed) {
                throw new InterruptedException("closed");
            }
            waiting = true;
            wait();
        }
        waiting = false;
    }

    synchronized boolean runsAlone(Place place) {
        return notes.runsAlone(place);
    }

    /** @param slot of the thread that runs it */
    synchronized void begins(int slot, Place place) {
        if (!left) {
            notes.begins(slot, place);
        }
    }

    /** It overflowed the stack, and the process ends. */
    synchronized void failed(int slot, Place place) {
        notes.failed(slot, place);
    }

    /** It has run to its end, and perhaps others before it have not. */
    synchronized void ends(int slot, Place place) {
        notes.ends(slot, place);
    }

    /** Waits until it may begin, or may never. Does not begin it. */
    synchronized void awaitTurn(Place place) throws InterruptedException {
        while (notes.mustWait(place)) {
            if (closed) {
                throw new InterruptedException("closed");
            }
            waiting = true;
            wait();
        }
        waiting = false;
    }

    /** It waits for other members: if the process ends now, the request is not the cause. */
    synchronized void waits() {
        notes.waits();
    }

    /** It waits no longer. */
    synchronized void goesOn(Place place) {
        if (!left) {
            notes.goesOn(place);
        }
    }

    /** It overflowed the stack or found no memory, and the process ends. */
    synchronized void failed(Place place, VirtualMachineError error) {
        if (error instanceof StackOverflowError) {
            notes.failed(place);
        } else if (memoryIsProof && isOfHeap(error)) {
            notes.foundNoMemory(place);
        }
    }

    /** Not of threads, which the processes of a machine share, or of direct buffers, which amo's own threads take. */
    private static boolean isOfHeap(VirtualMachineError error) {
        String message = String.valueOf(error.getMessage());
        return message.equals("Java heap space") || message.equals("GC overhead limit exceeded");
    }

    synchronized void ended(Place place) {
        notes.ended(place);
    }

    /**
     * The process ends for a reason outside its requests: neither the running execution nor one that begins from now on is the
     * cause.
     */
    synchronized void left() {
        if (!closed) {
            left = true;
            notes.left();
        }
    }

    /** @return false if it has begun, or the gate is closed */
    synchronized boolean hold(Place place) {
        return !closed && notes.hold(place);
    }

    /** @return whether it has begun in this process */
    synchronized boolean skip(Place place) {
        if (closed) {
            return false;
        }
        boolean tooLate = notes.skip(place);
        notifyAll();
        return tooLate;
    }

    synchronized void letGo(Place place) {
        notes.letGo(place);
        notifyAll();
    }

    /** @param maySkip whether the snapshot covers requests that the group skipped, or may */
    synchronized void restored(long position, boolean maySkip) {
        notes.restored(position, maySkip);
        notifyAll();
    }

    /** This member differs from the majority at that mark. On disk when this returns. */
    synchronized void diverged(long mark) {
        notes.diverged(mark);
    }

    /** It is equal to the majority again. */
    synchronized void equalAgain() {
        notes.equalAgain();
    }

    /** The mark at which it diverged last, whether it was repaired since or not; 0 if it never did. */
    synchronized long divergedAt() {
        return notes.divergedAt();
    }

    /** Whether it has not been equal to the majority since. */
    synchronized boolean isDiverged() {
        return notes.isDiverged();
    }

    @Override
    public synchronized void close() {
        closed = true;
        notes.detach();
        notifyAll();
        FileChannel open = file;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // The lock goes with the process at the latest.
                closed = true;
            }
        }
    }
}
