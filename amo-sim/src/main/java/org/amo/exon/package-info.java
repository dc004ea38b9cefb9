/** Exon in virtual time ({@code ./amo sim exon}), and its planted bugs: subclasses that break one safety rule each. Not shipped with the protocol. */
@NullMarked
package org.amo.exon;

import org.jspecify.annotations.NullMarked;
