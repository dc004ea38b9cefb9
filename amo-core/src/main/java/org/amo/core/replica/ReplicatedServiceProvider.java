package org.amo.core.replica;

import java.util.function.Consumer;
import org.amo.core.order.OrderedLogException;

/** Opens replicas; found through {@link java.util.ServiceLoader}, so that shells need not know each other. */
public interface ReplicatedServiceProvider {

    /**
     * Joins the group and starts to serve. Returns when the member takes part; requests that it delivers again from an
     * earlier process may still be running.
     *
     * @param ended told, at most once and on a thread of its own, when a member that had joined stops because it may not
     *     take part any more; one line with cause and remedy
     * @throws OrderedLogException when it cannot join; one line with cause and remedy
     */
    ReplicatedService open(ReplicaSettings settings, ServantPort servant, Consumer<OrderedLogException> ended);
}
