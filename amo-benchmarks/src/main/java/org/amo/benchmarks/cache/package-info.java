/** Five ways to prune a reply cache, on one workload. */
@NullMarked
package org.amo.benchmarks.cache;

import org.jspecify.annotations.NullMarked;
