/** The {@code amo} command, which users run. Composes the other modules; no module names it. */
@NullMarked
package org.amo.cli;

import org.jspecify.annotations.NullMarked;
