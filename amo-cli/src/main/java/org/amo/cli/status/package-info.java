/**
 * Asks one replica how it is.
 */
@NullMarked
package org.amo.cli.status;

import org.jspecify.annotations.NullMarked;
