/** The safety rules of the replicated service by name: the simulator breaks one and shows that it is needed. */
@NullMarked
package org.amo.core.rules;

import org.jspecify.annotations.NullMarked;
