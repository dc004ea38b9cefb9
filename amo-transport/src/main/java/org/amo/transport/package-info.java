/** What the transports share. */
@NullMarked
package org.amo.transport;

import org.jspecify.annotations.NullMarked;
