package org.amo.examples.bookings;

import java.util.Map;
import org.amo.replication.service.ReadOnly;

/** The seats of a hall, as the controller calls them. */
interface Seats {

    /** Gives a guest the next free seat, and returns its number. A second call gives a second seat. */
    int book(String guest);

    /** The guests by seat. One member answers, without an entry in the log. */
    @ReadOnly
    Map<Integer, String> taken();
}
