/** The calls of clients and the executions of replicas: read from and written to JSON lines. */
@NullMarked
package org.amo.testkit.history;

import org.jspecify.annotations.NullMarked;
