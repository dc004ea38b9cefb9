@NullMarked
package org.amo.replication.store;

import org.jspecify.annotations.NullMarked;
