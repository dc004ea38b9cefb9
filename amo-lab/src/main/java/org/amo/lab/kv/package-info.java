/** {@code amo kv}: the linearizable key-value example from the command line. */
@NullMarked
package org.amo.lab.kv;

import org.jspecify.annotations.NullMarked;
