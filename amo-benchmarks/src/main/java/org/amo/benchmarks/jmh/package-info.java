/** JMH benchmarks of the code on the path of every call. */
@NullMarked
package org.amo.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
