/** At-most-once calls over UDP in fifty lines (docs/protocols/scmp.md). */
@NullMarked
package org.amo.examples.greeter;

import org.jspecify.annotations.NullMarked;
