/** The figures: each program measures both sides of a ratio side by side in one run. */
@NullMarked
package org.amo.benchmarks;

import org.jspecify.annotations.NullMarked;
