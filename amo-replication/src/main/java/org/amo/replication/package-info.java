/** The replica as a running thing: threads, clocks and files around the pure core, over an ordered log. */
@NullMarked
package org.amo.replication;

import org.jspecify.annotations.NullMarked;
