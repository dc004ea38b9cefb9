/**
 * The chaos run and the fault kit from outside, over real processes.
 */
@NullMarked
package org.amo.lab.blackbox.chaos;

import org.jspecify.annotations.NullMarked;
