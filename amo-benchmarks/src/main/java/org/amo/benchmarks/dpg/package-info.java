/** {@code amo bench dpg}: Konorski's figure 3, and DPG against JGroups' SEQUENCER while members come and go. */
@NullMarked
package org.amo.benchmarks.dpg;

import org.jspecify.annotations.NullMarked;
