package org.amo.dpg;

/** What a site is in the group, as its report tells it. */
public enum Standing {
    /** It has no place in the order, and only says that it is there. */
    LISTENING,
    /** It has a place in the order. */
    PLACED,
    /**
     * It has a place, and all others had gone for it since; whether they have or it was cut off, it does not know. What it has
     * decided nobody follows that is not alone itself.
     */
    ALONE
}
