/**
 * The chaos run and the fault kit from outside, over real processes.
 */
@NullMarked
package org.amo.cli.blackbox.chaos;

import org.jspecify.annotations.NullMarked;
