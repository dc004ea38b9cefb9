/** What a call over SCMP costs, against bare UDP and TCP, on loopback and over a link; and what a connection takes in memory. */
@NullMarked
package org.amo.benchmarks.scmp;

import org.jspecify.annotations.NullMarked;
