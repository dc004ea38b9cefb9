/** Figures of the replicated CORBA service, measured on real processes. */
@NullMarked
package org.amo.benchmarks.fts;

import org.jspecify.annotations.NullMarked;
