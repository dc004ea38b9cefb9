/** The ordered log over jgroups-raft, with the guard rails that make it safe to rely on. */
@NullMarked
package org.amo.replication.order.raft;

import org.jspecify.annotations.NullMarked;
