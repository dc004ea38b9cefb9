package org.amo.replication;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
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
import org.jspecify.annotations.Nullable;

/**
 * What the execution thread passes before each request: it notes the request, or waits while the request is held.
 *
 * <p>The notes are in a mapped file: a store to it outlives the process, and costs no system call. What is held or skipped
 * is forced to disk before this returns. Any thread.
 */
final class ExecutionGate implements AutoCloseable {
    private static final String FILE = "executions";

    private final @Nullable FileChannel file;
    private final @Nullable MappedByteBuffer mapped;
    private final boolean keeps;

    // Guarded by this.
    private final ExecutionNotes notes;
    private boolean waiting;
    private boolean closed;

    private ExecutionGate(
            ExecutionNotes notes, boolean keeps, @Nullable FileChannel file, @Nullable MappedByteBuffer mapped) {
        this.notes = notes;
        this.keeps = keeps;
        this.file = file;
        this.mapped = mapped;
    }

    /**
     * With the notes of this member's earlier lives.
     *
     * @param folder empty for a member that keeps nothing: then a death is not noticed
     * @throws OrderedLogException in one line when they cannot be read
     */
    static ExecutionGate open(Optional<Path> folder) {
        if (folder.isEmpty()) {
            return new ExecutionGate(new ExecutionNotes(ByteBuffer.allocate(ExecutionNotes.BYTES)), false, null, null);
        }
        Path path = folder.get().resolve(FILE);
        try {
            Files.createDirectories(folder.get());
            FileChannel channel = FileChannel.open(
                    path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            if (!isOurs(channel)) {
                channel.close();
                // The log says so in a moment, and what to do.
                return open(Optional.empty());
            }
            MappedByteBuffer memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, ExecutionNotes.BYTES);
            return new ExecutionGate(new ExecutionNotes(memory), true, channel, memory);
        } catch (IOException | IllegalStateException e) {
            throw new OrderedLogException(
                    Fault.ENVIRONMENT,
                    "cannot use " + path + " (" + e.getMessage() + "); free the disk or, if the file is damaged, remove"
                            + " the folder and add the member anew under another id",
                    e);
        }
    }

    /** Another process of this member would be taken for a dead one. */
    private static boolean isOurs(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /** Whether this member keeps notes, and has none of an earlier life. */
    synchronized boolean isFirstLife() {
        return keeps && notes.isFresh();
    }

    synchronized Optional<Place> died() {
        return notes.died();
    }

    synchronized List<Place> held() {
        return notes.held();
    }

    /** Whether the execution thread waits. */
    synchronized boolean isHolding() {
        return waiting;
    }

    /** Whether it may run now, may never, or has to wait. */
    synchronized Turn ask(Place place) {
        return notes.begin(place);
    }

    /** Waits until it may run, or may never. */
    synchronized Turn await(Place place) throws InterruptedException {
        Turn turn = notes.begin(place);
        while (turn == Turn.WAIT) {
            if (closed) {
                throw new InterruptedException("closed");
            }
            waiting = true;
            wait();
            turn = notes.begin(place);
        }
        waiting = false;
        return turn;
    }

    synchronized void ended(Place place) {
        notes.ended(place);
    }

    /** The process ends as it was asked to: what runs is not why. */
    synchronized void left() {
        notes.left();
    }

    /** @return false if it has begun */
    synchronized boolean hold(Place place) {
        boolean held = notes.hold(place);
        force();
        return held;
    }

    /** @return whether it has begun in this process */
    synchronized boolean skip(Place place) {
        boolean tooLate = notes.skip(place);
        force();
        notifyAll();
        return tooLate;
    }

    synchronized void letGo(Place place) {
        notes.letGo(place);
        force();
        notifyAll();
    }

    synchronized void restored(long position) {
        notes.restored(position);
        force();
        notifyAll();
    }

    @Override
    public synchronized void close() {
        closed = true;
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

    private void force() {
        MappedByteBuffer memory = mapped;
        if (memory != null) {
            memory.force();
        }
    }
}
