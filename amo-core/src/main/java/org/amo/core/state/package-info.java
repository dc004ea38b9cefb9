/** Restores collections of the JDK from a snapshot as they were. */
@NullMarked
package org.amo.core.state;

import org.jspecify.annotations.NullMarked;
