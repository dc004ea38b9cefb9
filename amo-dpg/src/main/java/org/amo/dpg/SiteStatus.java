package org.amo.dpg;

/** States the role of a site in the group, as its report tells it. */
public enum SiteStatus {
    /** It has no place in the order, and only says that it is there. */
    LISTENING,
    /** It has a place in the order. */
    PLACED,
    /**
     * It has a place, and since then all others had gone for it; it cannot tell whether they left or it was cut off. Other
     * sites ignore its decisions unless they are alone too.
     */
    ALONE
}
