package org.amo.lab.cluster;

/** The program that ends a process with its parent, for tests that write their command lines themselves. */
public final class Watch {
    /** To be named before the main class, and found on the class path. */
    public static final Class<?> PROGRAM = ParentWatch.class;

    private Watch() {}
}
