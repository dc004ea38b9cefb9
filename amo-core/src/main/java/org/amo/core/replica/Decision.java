package org.amo.core.replica;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;

/** The verdict of the decision table on one ordered attempt of a request (rows: docs/explanation/safety.md). */
enum Decision {
    /** Row 8. */
    EXECUTE(8),
    /** Row 2: accepted before; its reply is the answer, now or when it is there. */
    LIVE(2),
    /** Row 1. */
    ID_REUSED(Refusal.ID_REUSED),
    /** Rows 3 and 4. */
    STALE(Refusal.STALE),
    /** Row 5. */
    EXPIRED(Refusal.EXPIRED),
    /** Row 6. */
    TOO_EARLY(Refusal.TOO_EARLY),
    /** Row 7, one for each budget that the order knows. */
    NO_CLIENT_ENTRIES(Budget.CLIENT_ENTRIES),
    NO_CLIENT_RANGES(Budget.CLIENT_RANGES),
    NO_CLIENT_BYTES(Budget.CLIENT_BYTES),
    NO_PRINCIPAL_BYTES(Budget.PRINCIPAL_BYTES),
    NO_GROUP_BYTES(Budget.GROUP_BYTES),
    NO_PRINCIPAL_CLIENTS(Budget.PRINCIPAL_CLIENTS),
    NO_GROUP_CLIENTS(Budget.GROUP_CLIENTS),
    NO_CLIENT_RATE(Budget.CLIENT_RATE),
    NO_PRINCIPAL_RATE(Budget.PRINCIPAL_RATE);

    private static final Map<Budget, Decision> BY_BUDGET = Stream.of(values())
            .filter(decision -> decision.budget.isPresent())
            .collect(Collectors.toUnmodifiableMap(decision -> decision.budget.orElseThrow(), Function.identity()));

    private final Optional<Refusal> refusal;
    private final Optional<Budget> budget;
    private final int code;

    Decision(int row) {
        refusal = Optional.empty();
        budget = Optional.empty();
        code = row;
    }

    Decision(Refusal reason) {
        refusal = Optional.of(reason);
        budget = Optional.empty();
        code = 16 + reason.code();
    }

    Decision(Budget exhausted) {
        refusal = Optional.of(Refusal.OVERLOADED);
        budget = Optional.of(exhausted);
        code = 32 + exhausted.code();
    }

    /** Row 7: this budget is used up. */
    static Decision overloaded(Budget exhausted) {
        return Optional.ofNullable(BY_BUDGET.get(exhausted))
                .orElseThrow(() -> new IllegalArgumentException("not decided in the order: " + exhausted));
    }

    Optional<Refusal> refusal() {
        return refusal;
    }

    /** Row 7: the exhausted budget. */
    Optional<Budget> budget() {
        return budget;
    }

    /** Its code in the digest. */
    int code() {
        return code;
    }
}
