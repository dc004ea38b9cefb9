/**
 * The {@code amo} command: what a user runs. Composes the other modules; nothing names it.
 */
@NullMarked
package org.amo.cli;

import org.jspecify.annotations.NullMarked;
