/** Shared by all protocols of amo: the id of a client, and the mark of a thread that runs a replicated operation. */
@NullMarked
package org.amo.base;

import org.jspecify.annotations.NullMarked;
