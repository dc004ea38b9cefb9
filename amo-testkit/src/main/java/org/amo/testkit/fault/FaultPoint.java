package org.amo.testkit.fault;

import java.util.Locale;

/**
 * A point on the way of a request that came over the replica's own connections. In properties a point is written in
 * small letters with hyphens: {@code after-order}. At a replica that does not lead, the answer may come from the leader
 * before the replica itself has executed: then {@link #BEFORE_REPLY} is passed before {@link #AFTER_ORDER}.
 */
public enum FaultPoint {
    /** An attempt of it has arrived and was not yet handed to the order. */
    BEFORE_ORDER,
    /** The order has delivered it, and the servant has not begun. */
    AFTER_ORDER,
    /** The servant has returned, and no other component knows of it yet. */
    AFTER_EXECUTE,
    /** The answer is known and was not yet handed to the connection. */
    BEFORE_REPLY,
    /** The answer was handed to the connection, which may not have written it yet. */
    AFTER_REPLY,
    /** The client's acknowledgement has arrived, on a request or alone, and was not yet handed to the order. */
    BEFORE_SACK;

    /** As in properties. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
