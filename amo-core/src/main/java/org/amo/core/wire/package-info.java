/**
 * Byte formats shared by all protocols: checked reading and writing, and the contexts that travel with a CORBA request.
 */
@NullMarked
package org.amo.core.wire;

import org.jspecify.annotations.NullMarked;
