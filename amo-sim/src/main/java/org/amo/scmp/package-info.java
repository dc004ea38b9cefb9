/** SCMP in virtual time ({@code ./amo sim scmp}, {@code scmp-rpc}), and its planted bugs: subclasses that break one safety rule each. Not shipped with the protocol. */
@NullMarked
package org.amo.scmp;

import org.jspecify.annotations.NullMarked;
