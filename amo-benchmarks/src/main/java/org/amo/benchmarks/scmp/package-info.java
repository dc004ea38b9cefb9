/** The cost of a call over SCMP, against bare UDP and TCP, on loopback and over a link; and the memory of a connection. */
@NullMarked
package org.amo.benchmarks.scmp;

import org.jspecify.annotations.NullMarked;
