/** The results of a measurement, as numbers, tables and plots. */
@NullMarked
package org.amo.benchmarks.figures;

import org.jspecify.annotations.NullMarked;
