package org.amo.interceptors;

import org.amo.core.request.Refusal;

/**
 * Minor codes of the system exceptions that amo raises, one a reason (docs/wire/corba-body.md). The upper half of each
 * is amo's vendor id, the letters "AM".
 */
public final class MinorCodes {
    private static final int VENDOR = 0x414D_0000;

    /** BAD_PARAM: the id is in use for another request. */
    public static final int ID_REUSED = VENDOR | 1;

    /** TIMEOUT: resolved, or too old to tell; another copy may have run. */
    public static final int STALE = VENDOR | 2;

    /** TIMEOUT: the deadline passed before any copy was accepted. */
    public static final int EXPIRED = VENDOR | 3;

    /** TRANSIENT: the timestamp lies too far ahead of the group's time. */
    public static final int TOO_EARLY = VENDOR | 4;

    /** TRANSIENT: no room for the request, or no majority to order it. */
    public static final int OVERLOADED = VENDOR | 5;

    /** TIMEOUT: the replica cannot tell what became of the request. */
    public static final int UNKNOWN = VENDOR | 6;

    /** TRANSIENT: no member of the group could be reached. */
    public static final int NO_MEMBER = VENDOR | 7;

    private MinorCodes() {}

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
