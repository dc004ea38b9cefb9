package org.amo.linearizable.rocksdb;

import org.amo.linearizable.lease.ClusterTime;

/**
 * How a store stands.
 *
 * @param clients with state in the table
 * @param ready whether the cluster time was learned
 * @param clusterTime the largest heard
 */
public record StoreStatus(int clients, boolean ready, ClusterTime clusterTime) {}
