/** {@code amo scmp}: a service of at-most-once calls over UDP, and its clients. */
@NullMarked
package org.amo.cli.scmp;

import org.jspecify.annotations.NullMarked;
