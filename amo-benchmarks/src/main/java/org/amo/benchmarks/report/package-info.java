/** What a benchmark found: settings, rows and ratios, and the files that show them. */
@NullMarked
package org.amo.benchmarks.report;

import org.jspecify.annotations.NullMarked;
