/** {@code amo bench exon}: exactly-once messages over UDP against TCP, over a link that loses packets. */
@NullMarked
package org.amo.benchmarks.exon;

import org.jspecify.annotations.NullMarked;
