/** What clients called and what replicas executed: read from and written to JSON lines. */
@NullMarked
package org.amo.testkit.history;

import org.jspecify.annotations.NullMarked;
