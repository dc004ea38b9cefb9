/** Runs programs that know nothing of amo: rewrites their Java command line. */
@NullMarked
package org.amo.cli.wrap;

import org.jspecify.annotations.NullMarked;
