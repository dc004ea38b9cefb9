/** Limits on what peers may take of a member before and after it knows them: connections and bytes. */
@NullMarked
package org.amo.core.door;

import org.jspecify.annotations.NullMarked;
