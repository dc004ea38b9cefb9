/**
 * At-most-once calls over datagrams (paper 000, section 3.1 and figure 3-1), with the two checks that the figure lacks: a
 * REPLY-ACK and a duplicate count only if they carry the timestamp of the connection's present call.
 */
@NullMarked
package org.amo.scmp.rpc;

import org.jspecify.annotations.NullMarked;
