/** Replicas in real processes, a fault every few seconds, and a checker at the end. */
@NullMarked
package org.amo.lab.chaos;

import org.jspecify.annotations.NullMarked;
