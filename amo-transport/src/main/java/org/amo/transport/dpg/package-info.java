/**
 * DPG over UDP: {@link org.amo.transport.dpg.DpgEndpoint} multicasts messages that all present sites deliver in one order, and
 * {@link org.amo.transport.dpg.DpgSequencer} numbers their tags. The protocol is in org.amo.core.dpg; here are datagrams, seals,
 * sockets and timers. {@link org.amo.transport.dpg.DpgNode} is all of it but the socket, for other shells.
 */
@NullMarked
package org.amo.transport.dpg;

import org.jspecify.annotations.NullMarked;
