package org.amo.interceptors;

import java.util.Optional;
import org.amo.base.Stable;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;

/**
 * Minor codes of the system exceptions that amo raises, one a reason (docs/wire/corba-body.md). The upper half of each
 * is amo's vendor id, the letters "AM".
 */
@Stable
public final class MinorCodes {
    private static final int VENDOR = 0x414D_0000;

    /** BAD_PARAM: the id is in use for another request. */
    public static final int ID_REUSED = VENDOR | 1;

    /** TIMEOUT: resolved, or too old to tell; another attempt may have run. */
    public static final int STALE = VENDOR | 2;

    /** TIMEOUT: the deadline passed before any attempt was accepted. */
    public static final int EXPIRED = VENDOR | 3;

    /** TRANSIENT: the timestamp lies too far ahead of the group's time. */
    public static final int TOO_EARLY = VENDOR | 4;

    /**
     * TRANSIENT: no room for the request, or no majority to order it. The second byte from below is the code of the
     * {@link Budget} that was exhausted, 0 if it is not known: see {@link #of(Refusal, Optional)}.
     */
    public static final int OVERLOADED = VENDOR | 5;

    /** TIMEOUT: the replica cannot tell the outcome of the request. */
    public static final int UNKNOWN = VENDOR | 6;

    /** TRANSIENT: no member of the group could be reached. */
    public static final int NO_MEMBER = VENDOR | 7;

    /** MARSHAL: the group cannot carry the request because a part of it is too long; no attempt of it can run. */
    public static final int UNREADABLE = VENDOR | 8;

    /** IMP_LIMIT: the operation ran, and its reply is longer than the group carries. */
    public static final int REPLY_TOO_LONG = VENDOR | 9;

    /** BAD_INV_ORDER: an operation of a replicated object made a call; nothing was sent. */
    public static final int NESTED_CALL = VENDOR | 10;

    /** INTERNAL, COMPLETED_NO: the request ended the members that ran it, and the group skipped it. */
    public static final int SKIPPED = VENDOR | 16;

    /**
     * BAD_INV_ORDER: an operation of a replicated object called a group that waits for this operation; nothing ran. The log of the
     * members names the groups.
     */
    public static final int CALL_CYCLE = VENDOR | 17;

    /**
     * NO_RESOURCES: an operation of a replicated object made a call, and the sending member's earlier calls left no room for it. That member
     * sent nothing; COMPLETED_MAYBE means that another one may have.
     */
    public static final int NESTED_ROOM = VENDOR | 18;

    /**
     * PERSIST_STORE, COMPLETED_MAYBE: style passive; the operation ran at one member, which could not give the state behind it. No member has
     * its effects on the servant's state.
     */
    public static final int UNDONE = VENDOR | 19;

    private MinorCodes() {}

    /** The minor code of a refusal; of OVERLOADED, with the budget in its second byte. */
    public static int of(Refusal refusal, Optional<Budget> budget) {
        return of(refusal) | budget.map(used -> used.code() << 8).orElse(0);
    }

    /** Whether amo has given an exception this minor code. */
    public static boolean isOwn(int minor) {
        return (minor & 0xFFFF_0000) == VENDOR;
    }

    /** Whether a minor code says OVERLOADED, for whichever budget. */
    public static boolean isOverloaded(int minor) {
        return (minor & ~0xFF00) == OVERLOADED;
    }

    /** The budget that a minor code names. */
    public static Optional<Budget> budget(int minor) {
        return isOverloaded(minor) ? Budget.ofCode(minor >>> 8 & 0xFF) : Optional.empty();
    }

    /** The minor code of a refusal. */
    public static int of(Refusal refusal) {
        return switch (refusal) {
            case ID_REUSED -> ID_REUSED;
            case STALE -> STALE;
            case EXPIRED -> EXPIRED;
            case TOO_EARLY -> TOO_EARLY;
            case OVERLOADED -> OVERLOADED;
        };
    }
}
