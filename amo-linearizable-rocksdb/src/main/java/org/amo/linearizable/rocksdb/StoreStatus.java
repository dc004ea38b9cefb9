package org.amo.linearizable.rocksdb;

import org.amo.linearizable.lease.ClusterTime;

/**
 * How a store stands.
 *
 * @param clients with state in the table
 * @param records completion records that a retry may ask for: of clients with a lease, above what they have acknowledged
 * @param garbage completion records on disk beside them, which the cleaner has not removed yet: acknowledged ones, and those of
 *     clients whose lease has ended as far as the store knows
 * @param ready whether the cluster time was learned
 * @param clusterTime the largest heard
 */
public record StoreStatus(int clients, long records, long garbage, boolean ready, ClusterTime clusterTime) {}
