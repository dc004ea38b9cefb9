/**
 * Byte formats of the replicated service: fields that several frames share, and the contexts that travel with a CORBA request.
 */
@NullMarked
package org.amo.core.wire;

import org.jspecify.annotations.NullMarked;
