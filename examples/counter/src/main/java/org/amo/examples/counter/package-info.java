/** Counters that are replicated: the service is {@link org.amo.examples.counter.Counters}, the rest is three lines of amo. */
@NullMarked
package org.amo.examples.counter;

import org.jspecify.annotations.NullMarked;
