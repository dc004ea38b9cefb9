/**
 * SCMP (paper 000): at-most-once messages without a handshake. {@link org.amo.scmp.MessageFilter} tags each message new or
 * duplicate, and can be used alone; {@code rpc} builds calls on it. docs/protocols/scmp.md has the paper's terms and ours.
 *
 * <p>All times are microseconds since 1970.
 */
@NullMarked
package org.amo.scmp;

import org.jspecify.annotations.NullMarked;
