/** Clients that load the bank, their records, and the merged history of all processes. */
@NullMarked
package org.amo.lab.load;

import org.jspecify.annotations.NullMarked;
