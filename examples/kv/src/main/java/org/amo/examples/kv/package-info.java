/** A key-value cluster with an operation of its own: {@link org.amo.examples.kv.Wallet}. */
@NullMarked
package org.amo.examples.kv;

import org.jspecify.annotations.NullMarked;
