/**
 * The replicated service in virtual time ({@code ./amo sim fts}), and its planted bugs: subclasses that break one safety rule
 * each. Not shipped with the service.
 */
@NullMarked
package org.amo.core.replica;

import org.jspecify.annotations.NullMarked;
