/**
 * Exon over UDP: {@link org.amo.exon.udp.ExonEndpoint} sends and receives messages exactly once. The protocol is
 * in org.amo.exon; here are socket, threads, the clock's file, completions and requests.
 */
@NullMarked
package org.amo.exon.udp;

import org.jspecify.annotations.NullMarked;
