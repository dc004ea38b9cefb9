/**
 * Requests that run exactly once under keys that their callers choose: {@link org.amo.once.OnceExecutor} is the front door, {@link
 * org.amo.once.ResultStore} the port of the stores that keep the records.
 */
@NullMarked
package org.amo.once;

import org.jspecify.annotations.NullMarked;
