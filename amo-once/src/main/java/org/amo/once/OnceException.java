package org.amo.once;

import java.time.Instant;
import java.util.Optional;
import org.amo.base.Experimental;

/**
 * A call got no reply. The message tells the cause and the remedy in one line; {@link #reason} tells a program the same. Whether the
 * call has run is said by each reason.
 */
@Experimental
public final class OnceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Why a call got no reply. */
    public enum Reason {
        /** Another request was sent under this key before. This attempt did not run. HTTP: 422. */
        KEY_REUSED,
        /** Another attempt with this key has run all the time. This one did not run; retry later. HTTP: 409. */
        IN_PROGRESS,
        /** The key carries a time behind the retention, so its record may be gone. This attempt did not run, an earlier one may have. */
        KEY_TOO_OLD,
        /** The key carries a time too far ahead of the store's clock. This attempt did not run. */
        KEY_AHEAD,
        /** The call did not run, and no attempt of it that has been made until now will. A retry under the same key may run. */
        NOT_EXECUTED,
        /** The commit was sent, and the store has not told its outcome. A retry with the same key finds out. */
        UNKNOWN,
        /** The store is not prepared: its tables are missing, older or newer, or a setting would lose records. The call did not run. */
        SCHEMA
    }

    public OnceException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public OnceException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /**
     * Why the time of a key is refused, for stores; empty if it is accepted.
     *
     * @param now by the store's clock
     * @param forgottenTo the low-water mark; the epoch if no key has been removed
     */
    public static Optional<OnceException> refusal(ResultStore.Request request, Instant now, Instant forgottenTo) {
        Optional<Instant> created = request.key().created();
        if (created.isEmpty()) {
            return Optional.empty();
        }
        OnceOptions options = request.options();
        String times = request.key() + " was created at " + created.get() + ", and the clock of the store shows " + now;
        if (!created.get().isAfter(forgottenTo) || !created.get().isAfter(now.minus(options.retention()))) {
            return Optional.of(new OnceException(
                    Reason.KEY_TOO_OLD,
                    times + ": the record of a key older than the retention of " + options.retention()
                            + " may be gone, so it does not run; set the caller's clock, or make a new call"));
        }
        return created.get().isAfter(now.plus(options.ahead()))
                ? Optional.of(new OnceException(
                        Reason.KEY_AHEAD, times + ": more than " + options.ahead() + " ahead; set the caller's clock"))
                : Optional.empty();
    }

    public Reason reason() {
        return reason;
    }

    /** Whether this call, in this or an earlier attempt, may have had its effect, so that repeating it under another key could have it twice. */
    public boolean mayHaveRun() {
        return switch (reason) {
            case IN_PROGRESS, KEY_TOO_OLD, UNKNOWN -> true;
            case KEY_REUSED, KEY_AHEAD, NOT_EXECUTED, SCHEMA -> false;
        };
    }
}
