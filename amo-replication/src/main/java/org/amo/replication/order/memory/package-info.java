/**
 * An ordered log for members that live in one process: for tests and embedded use.
 */
@NullMarked
package org.amo.replication.order.memory;

import org.jspecify.annotations.NullMarked;
