package org.amo.core.replica;

import java.util.Optional;
import org.amo.core.request.Refusal;

/** What the decision table says of one ordered copy of a request. */
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
    /** Row 7. */
    OVERLOADED(Refusal.OVERLOADED);

    private final Optional<Refusal> refusal;
    private final int code;

    Decision(int row) {
        refusal = Optional.empty();
        code = row;
    }

    Decision(Refusal reason) {
        refusal = Optional.of(reason);
        code = 16 + reason.code();
    }

    Optional<Refusal> refusal() {
        return refusal;
    }

    /** What stands for it in the digest. */
    int code() {
        return code;
    }
}
