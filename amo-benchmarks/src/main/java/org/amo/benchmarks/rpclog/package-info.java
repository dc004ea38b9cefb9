/** Linearizable against regular writes, recovery, and the table's memory (Park, section VI). */
@NullMarked
package org.amo.benchmarks.rpclog;

import org.jspecify.annotations.NullMarked;
