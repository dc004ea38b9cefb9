package org.amo.lab.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.amo.base.DaemonThreads;

/** Every process that a command has started, so that none outlives it: not after its end, and not after a signal. */
public final class Processes implements AutoCloseable {
    private static final long STOP_MILLIS = 5_000;

    private final WorkFolder folder;
    private final Runnable release;

    /** Guarded by itself. */
    private final List<Child> children = new ArrayList<>();

    private final Thread hook = new Thread(this::onSignal, "amo-stop-all");

    /** @param folder removed when a signal ends the command */
    public Processes(WorkFolder folder) {
        this(folder, () -> {});
    }

    /** @param release done after the last process has ended and before a signal removes the folder */
    public Processes(WorkFolder folder, Runnable release) {
        this.folder = folder;
        this.release = release;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Starts one; a signal waits until it is known here. */
    public Child start(Supplier<Child> start) {
        synchronized (children) {
            Child child = start.get();
            children.add(child);
            return child;
        }
    }

    /** Ends all of them. After a signal it does not return: later failures are caused by the signal and not reported. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException signalled) {
            awaitEndOfRuntime();
        }
        endAll();
    }

    /** The death of the processes is no failure to report: the runtime ends with the code of the signal, 130 or 143. */
    private static void awaitEndOfRuntime() {
        // A thread that waits for its own end.
        DaemonThreads.join(Thread.currentThread(), 4 * STOP_MILLIS);
    }

    private void onSignal() {
        endAll();
        folder.delete();
    }

    private void endAll() {
        synchronized (children) {
            children.forEach(Child::stop);
            long end = System.nanoTime() + STOP_MILLIS * 1_000_000;
            for (Child child : children) {
                if (!child.awaitEnd(Math.max(0, (end - System.nanoTime()) / 1_000_000))) {
                    child.kill();
                    child.awaitEnd(STOP_MILLIS);
                }
            }
            release.run();
        }
    }
}
