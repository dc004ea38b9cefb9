/** The encryption of Exon in virtual time, and its planted bugs. Not shipped with the protocol. */
@NullMarked
package org.amo.exon.udp;

import org.jspecify.annotations.NullMarked;
