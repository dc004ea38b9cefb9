/** {@code amo bench}: one command for each benchmark, and the output that they share. */
@NullMarked
package org.amo.lab.bench;

import org.jspecify.annotations.NullMarked;
