/** The simulation of linearizable calls with leases ({@code ./amo sim lease}), and its planted bugs. */
@NullMarked
package org.amo.sim.lease;

import org.jspecify.annotations.NullMarked;
