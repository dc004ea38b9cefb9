/** The arrows between the modules, checked from amo-lab because its class path holds all of them. */
@NullMarked
package org.amo.architecture;

import org.jspecify.annotations.NullMarked;
