package org.amo.core.replica;

import java.util.Optional;
import org.amo.core.request.Request;

/**
 * Where the executions of this member differ first from those of another one: of the majority, if there is one.
 *
 * @param after position up to which the two agreed
 * @param mark position of the mark at which they differed
 * @param place of the first request with another reply; empty if none was found between the two positions: then another member
 *     could not be asked, or its replies are the same and its state is not
 * @param request at that place, if this member ran it
 * @param earliest whether no earlier request can differ; false if the notes of one of the two did not reach back to
 *     {@code after}
 */
public record FirstDifference(
        long after, long mark, Optional<Place> place, Optional<Request> request, boolean earliest) {}
