package org.amo.core.order;

import java.util.Optional;

/**
 * Told of an error after which a member cannot go on: memory or stack ran out, or the virtual machine itself broke. Where
 * that happens depends on the process, so it is never the reply of a request: other members would give another one.
 *
 * <p>A handler should end the process at once. The member comes back by its log or a snapshot, and the other members
 * answer meanwhile. A handler that returns leaves a member that was stopped and serves no request. Called from the thread
 * that met the error, which may hold locks; must not wait.
 */
@FunctionalInterface
public interface FatalErrors {

    /** @param member such as {@code member a of group bank} */
    void onFatal(String member, VirtualMachineError error);

    /** The error of the virtual machine in a throwable: the throwable itself, or one of its causes. */
    static Optional<VirtualMachineError> in(Throwable thrown) {
        int causes = 0;
        for (Throwable next = thrown; next != null && causes < 16; next = next.getCause()) {
            if (next instanceof VirtualMachineError error) {
                return Optional.of(error);
            }
            causes++;
        }
        return Optional.empty();
    }
}
