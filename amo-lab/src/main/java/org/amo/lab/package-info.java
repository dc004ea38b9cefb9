/** The laboratory: commands of {@code amo} that run groups of processes, simulations and measurements. */
@NullMarked
package org.amo.lab;

import org.jspecify.annotations.NullMarked;
