/**
 * The lease server and its clients as processes (Park, sections III-A and V-B): a
 * {@link org.amo.replication.lease.LeaseService} runs in an {@code AmoReplica} group, so that cluster time and leases
 * survive its fail-over; {@link org.amo.replication.lease.LeaseClient} asks it, and
 * {@link org.amo.replication.lease.LeaseKeeper} keeps one client's lease. Bytes: docs/wire/rpclog.md.
 */
@NullMarked
package org.amo.replication.lease;

import org.jspecify.annotations.NullMarked;
