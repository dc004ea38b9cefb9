/** Sites that share a resource, the application of Konorski, section 2: start at {@link org.amo.examples.grid.Grid}. */
@NullMarked
package org.amo.examples.grid;

import org.jspecify.annotations.NullMarked;
