/** The contract of stores of completion records, and such a store in memory. */
@NullMarked
package org.amo.testkit.once;

import org.jspecify.annotations.NullMarked;
