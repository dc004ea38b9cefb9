/** The rules in force in a run, for the planted bugs of all protocols. */
@NullMarked
package org.amo.sim.rules;

import org.jspecify.annotations.NullMarked;
