/**
 * SCMP (Liskov, Shrira and Wroclawski): at-most-once messages without a handshake. {@link org.amo.scmp.MessageFilter} tags each message new or
 * duplicate, and can be used alone; {@link org.amo.scmp.RpcClient} and {@link org.amo.scmp.RpcServer} build calls on it
 * (section 3.1 and figure 3-1), with the two checks that the figure lacks: a REPLY-ACK and a duplicate count only if they carry
 * the timestamp of the connection's present call. docs/protocols/scmp.md has the paper's terms and ours.
 *
 * <p>All times are microseconds since 1970.
 */
@NullMarked
package org.amo.scmp;

import org.jspecify.annotations.NullMarked;
