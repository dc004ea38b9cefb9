/**
 * What the ordered logs over JGroups share: the channel, its encryption and its log output.
 */
@NullMarked
package org.amo.replication.order.group;

import org.jspecify.annotations.NullMarked;
