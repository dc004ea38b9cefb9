/** Shared by the shells of the protocols: channels, an inbox between threads, small files that are replaced as a whole. */
@NullMarked
package org.amo.net;

import org.jspecify.annotations.NullMarked;
