/** Replicas of the examples in real processes: started, killed, asked how they are, and ended for certain. */
@NullMarked
package org.amo.lab.cluster;

import org.jspecify.annotations.NullMarked;
