/** {@code amo sim}: seeds, plants and traces of the deterministic simulator. */
@NullMarked
package org.amo.cli.sim;

import org.jspecify.annotations.NullMarked;
