package org.amo.dpg;

/** What a site hears of its own messages (section 6). */
public enum OwnMessages {
    /** They come back in the order of the medium, like those of others. */
    LOOPED_BACK,
    /** They do not come back, and the detector knows: no contiguity is inferred across one. */
    MISSED,
    /**
     * Suspended Delivery: they do not come back, and the detector does not know. What it infers is held back until a report
     * tells where the own message lies. (The paper marks at once and holds back delivery; a wrong mark would spread by reports.)
     */
    SUSPENDED
}
