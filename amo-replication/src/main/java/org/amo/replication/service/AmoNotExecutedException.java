package org.amo.replication.service;

import java.util.Optional;
import org.amo.base.Stable;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;

/** The call certainly did not run and never will. It may be called again. */
@Stable
public final class AmoNotExecutedException extends AmoException {
    private static final long serialVersionUID = 1L;

    private final transient Optional<Refusal> reason;
    private final transient Optional<Budget> budget;
    private final boolean refusesClient;

    AmoNotExecutedException(String message, Optional<Refusal> reason) {
        this(message, reason, Optional.empty(), false);
    }

    AmoNotExecutedException(String message, Optional<Refusal> reason, Optional<Budget> budget, boolean refusesClient) {
        super(message);
        this.reason = reason;
        this.budget = budget;
        this.refusesClient = refusesClient;
    }

    /**
     * Why the group refused it; empty when no member could be reached, and when the request ended the members that ran it
     * and was skipped.
     */
    public Optional<Refusal> reason() {
        return reason;
    }

    /** Of the reason OVERLOADED: the budget that was used up, if the group said which. */
    public Optional<Budget> budget() {
        return budget;
    }

    /**
     * Whether every member refuses this client for a mistake of its set-up, such as another secret or a certificate that is not trusted.
     * Another call fares alike until that is mended; the message has the remedy.
     */
    public boolean refusesClient() {
        return refusesClient;
    }

    @Override
    public boolean mayHaveRun() {
        return false;
    }
}
