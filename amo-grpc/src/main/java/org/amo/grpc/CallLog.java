package org.amo.grpc;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.amo.base.DaemonThreads;
import org.amo.base.wire.WireWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the records of a server's calls. After a crash they are there in their order, up to the last one that a task of {@link
 * #afterwards} waited for at least: with {@code forced} after any crash, without it after a crash of the process alone.
 *
 * <p>After an error of the disk it takes nothing more: it is unknown then which records a restart would find. Guarded by the lock of its
 * owner, unless a method says otherwise.
 */
final class CallLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CallLog.class);

    /** Records are replaced by a state when they have that many bytes, and twice as many as the last state. */
    static final long LEAST_REPLACED_BYTES = 16 << 20;

    private static final int BUFFER_BYTES = 1 << 12;
    private static final long CLOSE_MILLIS = 10_000;

    private final CallFolder folder;
    private final Object lock;
    private final boolean forced;
    private final Disk disk;
    private final Executor executor;
    private final long leastReplacedBytes;
    private final Thread writer;

    private RandomAccessFile file;
    private long number;
    private long size;
    private long stateBytes;
    private boolean replacing;

    /** Bytes for the present file that have not been handed to the system. */
    private WireWriter noted = new WireWriter(BUFFER_BYTES);

    /** Bytes for files before the present one. */
    private final ArrayDeque<Part> parts = new ArrayDeque<>();

    private List<Runnable> waiting = new ArrayList<>();
    private Optional<Thread> stateWriter = Optional.empty();
    private boolean closing;
    private volatile boolean broken;

    /** Returns when the bytes of a file are on disk. */
    @FunctionalInterface
    interface Disk {
        void force(RandomAccessFile file) throws IOException;

        /** The disk of this machine. */
        static Disk system() {
            return file -> file.getFD().sync();
        }
    }

    /** Bytes for a file. */
    private record Part(RandomAccessFile to, byte[] bytes, boolean last) {}

    /**
     * Begins to write behind all that the folder holds.
     *
     * @param lock of the owner
     * @param state the present one, after all that was read from the folder
     * @param forced whether records are forced to disk
     * @param executor runs tasks that waited for forced records
     * @param leastReplacedBytes of records, before a state replaces them
     */
    CallLog(
            CallFolder folder,
            Object lock,
            byte[] state,
            boolean forced,
            Disk disk,
            Executor executor,
            long leastReplacedBytes)
            throws IOException {
        this.folder = folder;
        this.lock = lock;
        this.forced = forced;
        this.disk = disk;
        this.executor = executor;
        this.leastReplacedBytes = leastReplacedBytes;
        number = folder.begin(state);
        stateBytes = state.length;
        file = CallFolder.newRecords(folder.path(), number);
        writer = DaemonThreads.unstarted("amo-grpc-log", this::writeAll);
        if (forced) {
            writer.start();
        }
    }

    /** Notes a record. */
    void note(byte[] record) {
        CallFolder.putHead(noted, record);
        noted.raw(record, 0, record.length);
        size += CallFolder.RECORD_HEAD + record.length;
    }

    /** Whether the disk has failed: nothing that was noted since may be relied on. Any thread, without the lock. */
    boolean isBroken() {
        return broken;
    }

    /**
     * Lets a task run once all that was noted is in the file, and on disk if the log is forced; or once the disk has failed. It runs in the
     * executor, or is returned for the caller to run it without the lock.
     */
    Optional<Runnable> afterwards(Runnable task) {
        if (forced) {
            waiting.add(task);
            lock.notifyAll();
            return Optional.empty();
        }
        write(new Part(file, takeNoted(), false));
        return Optional.of(task);
    }

    /** Whether there are many records beside their state. */
    boolean isLong() {
        return !replacing && !broken && size > Math.max(leastReplacedBytes, 2 * stateBytes);
    }

    /**
     * Begins a new file of records. The state is written by another thread, and the files before it go when it is on disk.
     *
     * @param state of this moment; asked for in the other thread
     */
    void replace(Supplier<byte[]> state) {
        try {
            RandomAccessFile next = CallFolder.newRecords(folder.path(), number + 1);
            Part rest = new Part(file, takeNoted(), true);
            if (forced) {
                parts.add(rest);
                lock.notifyAll();
            } else {
                write(rest);
            }
            file = next;
            number++;
            size = 0;
            replacing = true;
            long of = number;
            stateWriter = Optional.of(DaemonThreads.start("amo-grpc-state", () -> writeState(of, state)));
        } catch (IOException e) {
            fail(e);
        }
    }

    private void writeState(long of, Supplier<byte[]> state) {
        long bytes = 0;
        try {
            byte[] content = state.get();
            CallFolder.writeState(folder.path(), of, content);
            bytes = content.length;
        } catch (IOException e) {
            // The files before are still there, and are read after a crash.
            LOG.warn("cannot write a state to {}, where records grow on: {}", folder.path(), e.toString());
        } finally {
            synchronized (lock) {
                replacing = false;
                stateBytes = Math.max(stateBytes, bytes);
            }
        }
    }

    private byte[] takeNoted() {
        byte[] bytes = noted.toBytes();
        noted = new WireWriter(BUFFER_BYTES);
        return bytes;
    }

    /** The thread of a forced log. */
    private void writeAll() {
        try {
            writeBatches();
        } catch (RuntimeException | Error e) {
            fail(e);
            throw e;
        }
    }

    /** One write and one force for all that was noted meanwhile. */
    private void writeBatches() {
        while (true) {
            List<Part> batch;
            List<Runnable> tasks;
            synchronized (lock) {
                while (waiting.isEmpty() && parts.isEmpty() && !closing) {
                    try {
                        lock.wait();
                    } catch (InterruptedException e) {
                        return; // the process ends
                    }
                }
                batch = new ArrayList<>(parts);
                parts.clear();
                batch.add(new Part(file, takeNoted(), closing));
                tasks = waiting;
                waiting = new ArrayList<>();
            }
            for (Part each : batch) {
                write(each);
            }
            tasks.forEach(this::handOver);
            if (batch.get(batch.size() - 1).last) {
                return;
            }
        }
    }

    private void handOver(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            // Without it, attempts would wait for ever, and here it would hold up all calls.
            DaemonThreads.start("amo-grpc-call", task);
        }
    }

    private void write(Part part) {
        try {
            if (!broken && part.bytes.length > 0) {
                // No channel: an application that leaves its thread interrupted would close it.
                part.to.write(part.bytes);
                if (forced) {
                    disk.force(part.to);
                }
            }
            if (part.last) {
                part.to.close();
            }
        } catch (IOException e) {
            fail(e);
        }
    }

    private void fail(Throwable e) {
        broken = true;
        LOG.error(
                "cannot write to {} ({}): this server runs no call any more; mend the disk and start it again",
                folder.path(),
                e.toString());
    }

    /**
     * Writes the rest, and gives the folder to others. Without the lock.
     *
     * @throws IOException if the disk does not answer. The folder stays claimed then, since a thread may still write to it
     */
    @Override
    public void close() throws IOException {
        close(CLOSE_MILLIS);
    }

    /** @param millis how long each thread of this log may take to end; another call waits again */
    void close(long millis) throws IOException {
        Optional<Thread> state;
        synchronized (lock) {
            if (!closing) {
                closing = true;
                lock.notifyAll();
                if (!forced) {
                    write(new Part(file, takeNoted(), true));
                }
            }
            state = stateWriter;
        }
        DaemonThreads.join(writer, millis);
        state.ifPresent(thread -> DaemonThreads.join(thread, millis));
        if (writer.isAlive() || state.filter(Thread::isAlive).isPresent()) {
            throw new IOException("the disk has not written the calls in " + folder.path() + " for " + millis
                    + " ms; end this process before another server uses the folder");
        }
        folder.close();
    }
}
