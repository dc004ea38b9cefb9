/** Rules that every history of a replicated service must keep, and their checker. */
@NullMarked
package org.amo.testkit.check;

import org.jspecify.annotations.NullMarked;
