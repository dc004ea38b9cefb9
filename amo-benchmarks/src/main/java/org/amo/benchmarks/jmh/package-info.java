/** JMH benchmarks of what is on the path of every call. */
@NullMarked
package org.amo.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
