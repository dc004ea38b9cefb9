/**
 * Replicas in real processes, a fault every few seconds, and a checker at the end.
 */
@NullMarked
package org.amo.cli.chaos;

import org.jspecify.annotations.NullMarked;
