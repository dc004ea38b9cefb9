/**
 * The state that a replica keeps of each client: resolved numbers, live entries and their replies. Plain data, changed only
 * by the decision table.
 */
@NullMarked
package org.amo.core.reply;

import org.jspecify.annotations.NullMarked;
