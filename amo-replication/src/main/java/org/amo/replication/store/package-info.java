/** Where replies are kept outside the heap. */
@NullMarked
package org.amo.replication.store;

import org.jspecify.annotations.NullMarked;
