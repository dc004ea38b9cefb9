package org.amo.dpg;

/** States how a site hears its own messages (section 6). */
public enum OwnMessages {
    /** They come back in the order of the medium, like those of others. */
    LOOPED_BACK,
    /** They do not come back, and the detector knows: no contiguity is inferred across one. */
    MISSED,
    /**
     * Suspended Delivery: they do not come back, and the detector does not know. Its inferences are held back until a report
     * tells where the own message lies. (The paper marks at once and holds back delivery; a wrong mark would spread by
     * reports.)
     */
    SUSPENDED
}
