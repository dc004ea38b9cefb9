/** DPG in virtual time ({@code ./amo sim dpg}), and its planted bugs: subclasses that break one safety rule each. Not shipped with the protocol. */
@NullMarked
package org.amo.dpg;

import org.jspecify.annotations.NullMarked;
