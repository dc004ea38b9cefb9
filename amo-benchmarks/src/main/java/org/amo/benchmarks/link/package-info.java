/**
 * A link of the project's own that the kernel's TCP and UDP pass through: two network namespaces with a TUN device each, and a
 * thread that carries packets between them with delay, rate, a finite queue, loss, copies and reordering. For measurements where loopback says nothing.
 */
@NullMarked
package org.amo.benchmarks.link;

import org.jspecify.annotations.NullMarked;
