/** The ordered log: the port to group communication, and the members of a group. */
@NullMarked
package org.amo.core.order;

import org.jspecify.annotations.NullMarked;
