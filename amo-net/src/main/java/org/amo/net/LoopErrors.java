package org.amo.net;

import java.io.IOException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;

/**
 * Tells errors of the program in an event loop apart from losses on the network, and logs the first one. Without it both would pass
 * in silence: a loop keeps the exception of a timer in a future that no thread reads, and a handler of datagrams takes each
 * exception for an earlier datagram that could not be sent. The loop's thread owns it.
 */
public final class LoopErrors {
    private final BiConsumer<String, Throwable> log;
    private boolean told;

    /** @param log takes one line and the error */
    public LoopErrors(BiConsumer<String, Throwable> log) {
        this.log = log;
    }

    /** An exception has come to the end of a pipeline of datagrams. Rethrows an {@link Error}, which Netty logs. */
    public void caught(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        boolean lost = cause instanceof IOException
                || cause instanceof UnresolvedAddressException
                || cause instanceof RejectedExecutionException; // the loop is ending
        if (!lost) {
            tell(cause);
        }
    }

    /**
     * Runs a timer's task; a task that is repeated goes on.
     *
     * @return whether the task came to its end
     */
    @SuppressWarnings("IllegalCatch")
    public boolean run(Runnable task) {
        try {
            task.run();
            return true;
        } catch (RuntimeException | Error e) {
            tell(e);
            return false;
        }
    }

    private void tell(Throwable cause) {
        if (!told) {
            told = true;
            log.accept("an error in this program: an input was not finished; later errors are not logged", cause);
        }
    }
}
