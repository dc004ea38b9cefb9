/** Finds sources of nondeterminism and outside effects in the class files of a service, without running it. */
@NullMarked
package org.amo.determinism.check;

import org.jspecify.annotations.NullMarked;
