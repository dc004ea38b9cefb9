/** Planted bugs of the replicated service: subclasses that break one safety rule each. Not shipped with it. */
@NullMarked
package org.amo.core.replica;

import org.jspecify.annotations.NullMarked;
