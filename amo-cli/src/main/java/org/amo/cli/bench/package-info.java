/** {@code amo bench}. */
@NullMarked
package org.amo.cli.bench;

import org.jspecify.annotations.NullMarked;
