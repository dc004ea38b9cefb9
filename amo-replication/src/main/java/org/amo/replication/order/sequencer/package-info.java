/** The weaker ordered log over JGroups' SEQUENCER. */
@NullMarked
package org.amo.replication.order.sequencer;

import org.jspecify.annotations.NullMarked;
