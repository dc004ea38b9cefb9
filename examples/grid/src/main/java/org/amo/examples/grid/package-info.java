/** Sites that share a resource, the application of paper 003, section 2: start at {@link org.amo.examples.grid.Grid}. */
@NullMarked
package org.amo.examples.grid;

import org.jspecify.annotations.NullMarked;
