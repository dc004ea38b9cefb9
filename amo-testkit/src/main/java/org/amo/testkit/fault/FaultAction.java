package org.amo.testkit.fault;

import java.util.Locale;

/** The fault at a point. In properties written in small letters. */
public enum FaultAction {
    /** The process ends at once, as by kill -9. */
    KILL,
    /** The next step happens later; steps that do not depend on it go on. */
    DELAY,
    /** A duplicate of the same request arrives here at this moment, or later; an acknowledgement is sent twice. */
    DUPLICATE,
    /** The servant asks for more memory than the heap has. Only where it runs: after-order and after-execute. */
    EXHAUST,
    /** For a time this member hears nothing of the order and of other members, and they nothing of it. */
    PARTITION;

    /** As in properties. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
