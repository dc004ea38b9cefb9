/** The ordered log and its peers, bare and with amo on top. */
@NullMarked
package org.amo.benchmarks.order;

import org.jspecify.annotations.NullMarked;
