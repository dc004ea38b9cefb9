/**
 * Clients that load the bank, what they write down, and the history of all processes together.
 */
@NullMarked
package org.amo.cli.load;

import org.jspecify.annotations.NullMarked;
