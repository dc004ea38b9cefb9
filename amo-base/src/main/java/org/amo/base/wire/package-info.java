/** Checked reading and writing of frames, and keys and secrets, for all protocols. */
@NullMarked
package org.amo.base.wire;

import org.jspecify.annotations.NullMarked;
