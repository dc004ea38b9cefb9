/** Planted bugs in real processes, for {@code ./amo chaos --plant NAME}. */
@NullMarked
package org.amo.sim.process;

import org.jspecify.annotations.NullMarked;
