/** Looks for sources of nondeterminism in a program's class files. */
@NullMarked
package org.amo.cli.check;

import org.jspecify.annotations.NullMarked;
