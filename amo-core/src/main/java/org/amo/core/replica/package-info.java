/** The replica: the decision table, its state machine, and the port through which shells use it. */
@NullMarked
package org.amo.core.replica;

import org.jspecify.annotations.NullMarked;
