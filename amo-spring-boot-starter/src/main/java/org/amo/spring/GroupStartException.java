package org.amo.spring;

import java.io.UncheckedIOException;
import java.util.function.Supplier;
import org.amo.base.ProcessExit;
import org.amo.core.order.OrderedLogException;
import org.springframework.boot.ExitCodeGenerator;

/**
 * The application cannot start because of a group: one line, the cause and the remedy. It is the application's exit code, too: 2 for the
 * user's mistake, 3 for a fault of the environment.
 */
final class GroupStartException extends RuntimeException implements ExitCodeGenerator {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    /** The user's mistake. */
    GroupStartException(String message) {
        super(message);
        exitCode = ProcessExit.USER;
    }

    private GroupStartException(RuntimeException cause, int exitCode) {
        super(cause.getMessage(), cause);
        this.exitCode = exitCode;
    }

    /** The value, or the exception that tells why there is none. */
    static <T> T unless(Supplier<T> start) {
        try {
            return start.get();
        } catch (OrderedLogException e) {
            throw new GroupStartException(
                    e, e.fault() == OrderedLogException.Fault.USER ? ProcessExit.USER : ProcessExit.ENVIRONMENT);
        } catch (IllegalArgumentException | UncheckedIOException e) {
            throw new GroupStartException(e, ProcessExit.USER);
        }
    }

    @Override
    public int getExitCode() {
        return exitCode;
    }
}
