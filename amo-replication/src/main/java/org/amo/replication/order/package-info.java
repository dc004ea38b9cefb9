/** Ordered logs: {@link org.amo.replication.order.OrderedLogs} opens the one that the settings name. */
@NullMarked
package org.amo.replication.order;

import org.jspecify.annotations.NullMarked;
