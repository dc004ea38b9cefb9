package org.amo.replication;

import org.amo.base.DaemonThreads;
import org.amo.base.ProcessExit;
import org.amo.core.order.FatalErrors;
import org.amo.core.order.OrderedLogException;

/** Ends this process: one line on standard error, and an exit code that is not 0. Any thread. */
public final class ProcessEnd {
    private ProcessEnd() {}

    /**
     * The default {@link FatalErrors}: halts at once with code 3. Shutdown hooks do not run, since they would run without
     * memory.
     */
    public static FatalErrors atOnce() {
        return ProcessEnd::halt;
    }

    /** A member cannot take part any more: shutdown hooks run for at most five seconds. Code 2 or 3, by kind of fault. */
    public static void because(OrderedLogException why) {
        int code = why.fault() == OrderedLogException.Fault.USER ? ProcessExit.USER : ProcessExit.ENVIRONMENT;
        System.err.println(why.getMessage());
        exit(code);
    }

    /** Ends with that code, even if the last thread of the application ends meanwhile: shutdown hooks run for at most five seconds. */
    public static void exit(int code) {
        ProcessExit.haltsSoon(code);
        // A process whose threads are all daemons ends with 0.
        DaemonThreads.startKeeping("amo-exiting", () -> System.exit(code));
    }

    private static void halt(String member, VirtualMachineError error) {
        try {
            System.err.println(
                    member + " ends: " + error + "; start it again, with more memory or stack if this repeats");
        } finally {
            Runtime.getRuntime().halt(ProcessExit.ENVIRONMENT);
        }
    }
}
