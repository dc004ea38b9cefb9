/** {@code amo sim}: seeds, plants and traces of the deterministic simulator. */
@NullMarked
package org.amo.lab.sim;

import org.jspecify.annotations.NullMarked;
