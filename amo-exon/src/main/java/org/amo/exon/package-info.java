/**
 * Exon: exactly-once messages over datagrams (Kassam, Almeida and Shoker, Algorithm 1 as corrected). {@link
 * org.amo.exon.ExonNode} is the front door; docs/protocols/exon.md maps the paper's symbols to names here.
 */
@NullMarked
package org.amo.exon;

import org.jspecify.annotations.NullMarked;
