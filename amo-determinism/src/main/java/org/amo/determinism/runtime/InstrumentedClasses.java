package org.amo.determinism.runtime;

import java.util.concurrent.atomic.AtomicLong;

/** The agent's report. Any thread. */
public final class InstrumentedClasses {
    private static final AtomicLong LEFT = new AtomicLong();
    private static volatile Runnable onMember = () -> {};

    private InstrumentedClasses() {}

    /** A class of the application has been left as it is, although it uses a source of nondeterminism. */
    public static void leave() {
        LEFT.incrementAndGet();
    }

    /** Number of classes of the application that have been left as they are. */
    public static long left() {
        return LEFT.get();
    }

    /** Told when a member starts; by then there is a log. */
    public static void onMember(Runnable task) {
        onMember = task;
    }

    static void memberStarts() {
        onMember.run();
    }
}
