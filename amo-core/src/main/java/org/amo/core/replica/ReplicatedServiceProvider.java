package org.amo.core.replica;

/** Opens replicas; found through {@link java.util.ServiceLoader}, so that shells need not know each other. */
public interface ReplicatedServiceProvider {

    /**
     * Joins the group and starts to serve. Returns when the member takes part; what it delivers again
     * from an earlier life may still be running.
     *
     * @throws org.amo.core.order.OrderedLogException when it cannot; one line with cause and remedy
     */
    ReplicatedService open(ReplicaSettings settings, ServantPort servant);
}
