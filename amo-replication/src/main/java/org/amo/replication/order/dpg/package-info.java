/**
 * DPG where members are known by names: as a JGroups protocol in a stack without membership ({@link
 * org.amo.replication.order.dpg.DpgProtocol}), and as an ordered log that may violate the order ({@link
 * org.amo.replication.order.dpg.DpgLog}). The protocol itself is in org.amo.dpg.
 */
@NullMarked
package org.amo.replication.order.dpg;

import org.jspecify.annotations.NullMarked;
