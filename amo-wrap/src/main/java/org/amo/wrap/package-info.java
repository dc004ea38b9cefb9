/**
 * The part of amo on a wrapped program's own class path: it leads to the rest, which a class loader of amo's own holds.
 */
@NullMarked
package org.amo.wrap;

import org.jspecify.annotations.NullMarked;
