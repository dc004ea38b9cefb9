/**
 * Exon over UDP: {@link org.amo.transport.exon.ExonEndpoint} sends and receives messages exactly once. The protocol is
 * in org.amo.core.exon; here are socket, threads, the clock's file, completions and requests.
 */
@NullMarked
package org.amo.transport.exon;

import org.jspecify.annotations.NullMarked;
