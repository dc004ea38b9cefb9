/** Planted bugs of calls over SCMP: subclasses that break one safety rule each. Not shipped with the protocol. */
@NullMarked
package org.amo.scmp.rpc;

import org.jspecify.annotations.NullMarked;
