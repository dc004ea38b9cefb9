/**
 * DPG over UDP, sequencer-ordered multicast with insensitive membership: {@link org.amo.dpg.udp.DpgEndpoint} multicasts messages that all present sites deliver in one order, and
 * {@link org.amo.dpg.udp.DpgSequencer} numbers their tags. The protocol is in org.amo.dpg; here are datagrams, seals,
 * sockets and timers. {@link org.amo.dpg.udp.DpgNode} is all of it but the socket, for other shells.
 */
@NullMarked
package org.amo.dpg.udp;

import org.jspecify.annotations.NullMarked;
