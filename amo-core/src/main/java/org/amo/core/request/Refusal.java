package org.amo.core.request;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Why a replica did not run an attempt of a request (docs/explanation/safety.md, decision table, rows 1 and 3 to 7). */
public enum Refusal {
    /** Row 1: the id is in use for another request. This attempt did not run. */
    ID_REUSED(1),
    /** Rows 3 and 4: resolved, or too old to tell. This attempt did not run; another may have. */
    STALE(2),
    /** Row 5: the deadline had passed before any attempt was accepted. It never ran and never will. */
    EXPIRED(3),
    /** Row 6: the timestamp lies too far in the group's future. This attempt did not run. */
    TOO_EARLY(4),
    /** Row 7, or no majority to order it: no room. This attempt did not run. */
    OVERLOADED(5);

    private static final Map<Integer, Refusal> BY_CODE =
            Stream.of(values()).collect(Collectors.toUnmodifiableMap(Refusal::code, Function.identity()));

    private final int code;

    Refusal(int code) {
        this.code = code;
    }

    /** Its code in every wire format: 1 to 5. */
    public int code() {
        return code;
    }

    /** The refusal of a code, if there is one. */
    public static Optional<Refusal> ofCode(int code) {
        return Optional.ofNullable(BY_CODE.get(code));
    }
}
