package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class SerialExecutorTest {
    private static final int THREADS = 3;
    private static final int TASKS = 4;

    @Test
    void eachTaskRunsOnceAloneAndInTheOrderOfItsThread() {
        Meetings.prove(
                () -> handing(new SerialExecutor(SerialExecutorTest::rethrow)::run),
                () -> handing(new LooksFirst()::run));
    }

    /** That the acts find another bug, too. */
    @Test
    @Tag("slow")
    void aHandOverWithoutOrderIsFoundToo() {
        Meetings.prove(
                () -> handing(new SerialExecutor(SerialExecutorTest::rethrow)::run), () -> handing(Runnable::run));
    }

    @Test
    void aTaskThatThrowsIsToldOfAndTheNextOnesRun() {
        List<Throwable> told = new ArrayList<>();
        SerialExecutor owner = new SerialExecutor(told::add);
        List<String> ran = new ArrayList<>();
        owner.run(() -> {
            owner.run(() -> ran.add("inner"));
            ran.add("outer");
            throw new IllegalStateException("planted");
        });
        assertEquals(List.of("outer", "inner"), ran, "a task handed in by a task runs after it");
        assertEquals("planted", told.get(0).getMessage());
    }

    /** The caller of {@code status()} may be a thread that its program has interrupted. */
    @Test
    void anInterruptedThreadRunsTasksThatKeepTheirFilesOpen(@TempDir Path folder) throws IOException {
        SerialExecutor owner = new SerialExecutor(SerialExecutorTest::rethrow);
        try (FileChannel file =
                FileChannel.open(folder.resolve("file"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            Thread.currentThread().interrupt();
            boolean interrupted;
            try {
                owner.run(() -> write(file));
            } finally {
                interrupted = Thread.interrupted();
            }
            assertTrue(interrupted, "the program wants to know");
            owner.run(() -> write(file));
            assertEquals(2, file.size());
        }
    }

    private static void write(FileChannel file) {
        try {
            file.write(ByteBuffer.allocate(1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Meeting handing(Consumer<Runnable> owner) {
        Core core = new Core(owner);
        return Meeting.of(core::violation, core.handing(0), core.handing(1), core.handing(2));
    }

    private static void rethrow(Throwable thrown) {
        throw new IllegalStateException(thrown);
    }

    /** Plain fields, as a core has. */
    private static final class Core {
        private final Consumer<Runnable> owner;
        private final int[] last = new int[THREADS];
        private int runs;
        private boolean inside;
        private String violation = "";

        Core(Consumer<Runnable> owner) {
            this.owner = owner;
        }

        Meeting.Act handing(int thread) {
            return () -> {
                for (int task = 0; task < TASKS; task++) {
                    hand(thread, task);
                }
            };
        }

        @SuppressWarnings("ThreadPriorityCheck") // a hint is all that is wanted
        private void hand(int thread, int task) {
            owner.accept(() -> {
                if (inside) {
                    violation = "two tasks at a time";
                }
                inside = true;
                if (last[thread] != task) {
                    violation = "task " + task + " of thread " + thread + " after " + last[thread];
                }
                last[thread] = task + 1;
                runs++;
                // Others get their turn here, also where there are fewer cores than threads.
                Thread.yield();
                inside = false;
            });
        }

        String violation() {
            return !violation.isEmpty() ? violation : runs == THREADS * TASKS ? "" : runs + " tasks have run";
        }
    }

    /** SerialOwner with its one atomic step taken apart: two run at a time, or one is left behind. */
    private static final class LooksFirst {
        private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        private final AtomicInteger running = new AtomicInteger();

        void run(Runnable task) {
            tasks.add(task);
            if (running.get() > 0) {
                return;
            }
            LockSupport.parkNanos(1);
            running.set(1);
            for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
                next.run();
            }
            LockSupport.parkNanos(1);
            running.set(0);
        }
    }
}
