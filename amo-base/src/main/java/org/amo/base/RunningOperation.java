package org.amo.base;

import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Marks the threads that run an operation of a replicated service, so that clients can refuse calls made from there: every
 * replica runs the operation, so the call would run once a replica, and each replica could get another reply.
 *
 * <p>Inside an operation is the thread that runs it, and every thread that is started by one that is inside, as long as it
 * lives. A task that an operation hands to a thread which was there before is not recognized. Any thread may ask.
 */
public final class RunningOperation {
    private static final InheritableThreadLocal<@Nullable RunningOperation> RUNNING = new InheritableThreadLocal<>();

    private final String group;
    private final boolean nestedAllowed;
    private final Optional<NestedCalls> ordered;
    private final boolean read;

    /**
     * @param group that runs the operation
     * @param nestedAllowed whether its operations may call objects of other groups and of none
     */
    public RunningOperation(String group, boolean nestedAllowed) {
        this(group, nestedAllowed, Optional.empty(), false);
    }

    /**
     * An operation with nested calls that are sent once for the group.
     *
     * @param group that runs the operation
     * @param ordered makes its nested calls
     */
    public RunningOperation(String group, NestedCalls ordered) {
        this(group, false, Optional.of(ordered), false);
    }

    private RunningOperation(String group, boolean nestedAllowed, Optional<NestedCalls> ordered, boolean read) {
        this.group = group;
        this.nestedAllowed = nestedAllowed;
        this.ordered = ordered;
        this.read = read;
    }

    /** A read of the group's state at one member, which may make no calls: it may run again at another member. */
    public static RunningOperation ofRead(String group) {
        return new RunningOperation(group, false, Optional.empty(), true);
    }

    /** The operation that the calling thread is inside of; empty in all other threads. */
    public static Optional<RunningOperation> current() {
        return Optional.ofNullable(RUNNING.get());
    }

    /**
     * Permits the calling thread to make a call to an object outside of the operation that it runs, or refuses it.
     *
     * @param target the called object in words that are the same at every member
     * @throws NestedCallException if the thread is inside an operation of a member that refuses nested calls
     */
    public static void checkCall(String target) {
        RunningOperation running = RUNNING.get();
        if (running != null && !running.nestedAllowed) {
            throw new NestedCallException(running.refusal(target));
        }
    }

    /**
     * Does the work with the calling thread marked as inside this operation. The thread returns without an interruption: an operation
     * may leave one at every member alike, and the member's next wait or file would end by it. A member that stops its thread
     * tells it in another way, too.
     */
    public <T> T run(Supplier<T> work) {
        RunningOperation before = RUNNING.get();
        RUNNING.set(this);
        try {
            return work.get();
        } finally {
            if (before == null) {
                RUNNING.remove();
            } else {
                RUNNING.set(before);
            }
            boolean unused = Thread.interrupted();
        }
    }

    /** Name of the group that runs the operation. */
    public String group() {
        return group;
    }

    /** Present if nested calls are sent once for the group; then each must go this way. */
    public Optional<NestedCalls> nestedCalls() {
        return ordered;
    }

    /** Whether each replica makes the operation's calls to objects of other groups and of none. */
    public boolean isNestedAllowed() {
        return nestedAllowed;
    }

    /**
     * The path of a call that this operation makes and waits for.
     *
     * @param target the called object in words that are the same at every member
     * @param isCalled whether the called object belongs to the group of this name
     * @throws NestedCallException if that group waits for this operation, or if the path would be too long
     */
    public CallPath pathTo(String target, Predicate<String> isCalled) {
        CallPath here = ordered.map(NestedCalls::path).orElse(CallPath.NONE);
        CallPath path = here.through(group)
                .orElseThrow(() -> new NestedCallException("an operation of group " + group + " called " + target
                        + " at the end of a path of nested calls with more than " + CallPath.MAX_GROUPS + " groups or "
                        + CallPath.MAX_BYTES + " bytes of their names: " + here + " -> " + group
                        + "; let fewer groups call each other"));
        Optional<String> waiting = here.groups().stream().filter(isCalled).findFirst();
        if (waiting.isPresent()) {
            throw new NestedCallException(
                    "an operation of group " + group + " called " + target + refusalOfCycle(path, waiting.get()));
        }
        return path;
    }

    /** The rest of a sentence about a call that was refused, since the called group waits for its end. */
    public static String refusalOfCycle(CallPath path, String called) {
        return ", and group " + called + " waits for that operation: " + path.cycle(called)
                + "; give the operation what it needs as an argument, or make the call in the client";
    }

    /**
     * What may have kept a call from an answer, for the end of a sentence; empty outside of operations.
     *
     * @param called the group, or words for the called service
     */
    public static String possibleCycle(String called) {
        return current()
                .map(operation -> "; a cycle is possible, " + operation.group + " -> " + called + " -> "
                        + operation.group + ": a call back into this group waits for its operation")
                .orElse("");
    }

    /** Cause and remedy in one line, the same at every member. */
    public String refusal(String target) {
        if (read) {
            return "a read of group " + group + " called " + target + ", and a read may run any number of times;"
                    + " make the call in the client, or in an operation that is no read";
        }
        if (ordered.isPresent()) {
            return "an operation of group " + group + " called " + target
                    + " in a way that cannot be sent once for the group;"
                    + " make the call in the client, or in the operation by an AmoClient or a CORBA stub and wait for it";
        }
        return "an operation of group " + group + " called " + target + ", and each replica would make that call;"
                + " make it in the client, or start every member with --nested allow (amo.nested=allow) if the callee"
                + " may run it once a replica";
    }

    /** The same for a call to the operation's own group, which is refused in any case. */
    public String refusalOfOwnGroup(String target) {
        return "an operation of group " + group + " called " + target
                + " of its own group, which would wait for itself;" + " call the service's Java method instead";
    }
}
