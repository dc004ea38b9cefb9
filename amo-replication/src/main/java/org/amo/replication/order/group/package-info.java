/** The common parts of the ordered logs over JGroups: the channel, its encryption and its log output. */
@NullMarked
package org.amo.replication.order.group;

import org.jspecify.annotations.NullMarked;
