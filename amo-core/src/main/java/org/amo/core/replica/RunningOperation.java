package org.amo.core.replica;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.amo.core.request.Request;
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
    private final ReplicaSettings.Nested nested;

    private RunningOperation(String group, ReplicaSettings.Nested nested) {
        this.group = group;
        this.nested = nested;
    }

    /** The operation that the calling thread is inside of; empty in all other threads. */
    public static Optional<RunningOperation> current() {
        return Optional.ofNullable(RUNNING.get());
    }

    /**
     * Permits the calling thread to make a call to an object outside of the operation that it runs, or refuses it.
     *
     * @param target the called object in words that are the same at every member
     * @throws NestedCallException if the thread is inside an operation whose member refuses nested calls
     */
    public static void checkCall(String target) {
        RunningOperation running = RUNNING.get();
        if (running != null && running.nested == ReplicaSettings.Nested.REFUSE) {
            throw new NestedCallException(running.refusal(target));
        }
    }

    /** Name of the group whose operation runs. */
    public String group() {
        return group;
    }

    /** What becomes of calls to objects of other groups and of none. */
    public ReplicaSettings.Nested nested() {
        return nested;
    }

    /** Cause and remedy in one line, the same at every member. */
    public String refusal(String target) {
        return "an operation of group " + group + " called " + target + ", and each replica would make that call;"
                + " make it in the client, or start every member with --nested allow (amo.nested=allow) if the callee"
                + " may run it once a replica";
    }

    /** The same for a call to the operation's own group, which is refused whatever is allowed. */
    public String refusalOfOwnGroup(String target) {
        return "an operation of group " + group + " called " + target
                + " of its own group, which would wait for itself;" + " call the service's Java method instead";
    }

    /** The servant, with its operations and the taking and restoring of its state marked. */
    public static ServantPort around(ReplicaSettings settings, ServantPort servant) {
        return new Marked(new RunningOperation(settings.group(), settings.nested()), servant);
    }

    private record Marked(RunningOperation operation, ServantPort servant) implements ServantPort {
        @Override
        public byte[] execute(long position, long orderedTimeMillis, Request request) {
            return inside(() -> servant.execute(position, orderedTimeMillis, request));
        }

        @Override
        public boolean isCommutative() {
            return servant.isCommutative();
        }

        @Override
        public byte[] skipped(Request request) {
            return servant.skipped(request);
        }

        @Override
        public Optional<byte[]> takeState() {
            return inside(servant::takeState);
        }

        @Override
        public OptionalLong stateDigest() {
            return inside(servant::stateDigest);
        }

        @Override
        public void restoreState(byte[] state) {
            inside(() -> {
                servant.restoreState(state);
                return state;
            });
        }

        private <T> T inside(Supplier<T> work) {
            RunningOperation before = RUNNING.get();
            RUNNING.set(operation);
            try {
                return work.get();
            } finally {
                if (before == null) {
                    RUNNING.remove();
                } else {
                    RUNNING.set(before);
                }
            }
        }
    }
}
