package org.amo.core.replica;

import java.util.Optional;

/** The report of a member on a request that ended members while they ran it. */
enum Word {
    /** The request ended this member's process, and that was no accident. It has not run to its end here, and does not run. */
    DIED(1),
    /** It has not begun here, and does not begin before the verdict; not after a restart of this member either. */
    HELD(2),
    /** It ran to its end here, or this member has a state from behind it. A client may have its reply. */
    EXECUTED(3),
    /**
     * As {@link #HELD}, and this member cannot reach the request: it holds an earlier request, which another member executed,
     * and no snapshot stands between the two.
     */
    BLOCKED(4),
    /**
     * The request must run again here, because a client may have its reply: an earlier process of this member executed it, or
     * may have, or a former member may have. This member has no state behind it.
     */
    RAN(5);

    private final int code;

    Word(int code) {
        this.code = code;
    }

    /** Whether a client may have its reply: then it is never skipped. */
    boolean forbidsSkipping() {
        return this == EXECUTED || this == RAN;
    }

    int code() {
        return code;
    }

    static Optional<Word> ofCode(int code) {
        for (Word word : values()) {
            if (word.code == code) {
                return Optional.of(word);
            }
        }
        return Optional.empty();
    }
}
