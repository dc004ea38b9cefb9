/**
 * The reply store: what a replica remembers of each client.
 */
@NullMarked
package org.amo.core.reply;

import org.jspecify.annotations.NullMarked;
