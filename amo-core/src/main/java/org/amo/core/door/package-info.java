/** Limits on the connections and bytes that peers may take of a member before and after it knows them. */
@NullMarked
package org.amo.core.door;

import org.jspecify.annotations.NullMarked;
