package org.amo.testkit.fault;

import java.util.Locale;

/** What happens at a point. In properties written in small letters. */
public enum FaultAction {
    /** The process ends at once, as by kill -9. */
    KILL,
    /** What was about to happen happens later; what does not depend on it goes on. */
    DELAY,
    /** Another copy of the same request arrives here at this moment, or later; of an acknowledgement, the same again. */
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
