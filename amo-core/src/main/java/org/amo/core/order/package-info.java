/**
 * The ordered log: the port to group communication, and the entries that travel in it.
 */
@NullMarked
package org.amo.core.order;

import org.jspecify.annotations.NullMarked;
