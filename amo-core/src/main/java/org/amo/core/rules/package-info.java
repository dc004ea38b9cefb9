/** The safety rules by name, so that the simulator can take one out and show that it is needed. */
@NullMarked
package org.amo.core.rules;

import org.jspecify.annotations.NullMarked;
