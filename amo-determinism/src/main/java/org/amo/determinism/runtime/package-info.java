/**
 * The classes that rewritten call sites name. The boot class loader holds them, so that classes of every loader and module see
 * the same ones; they need the JDK alone.
 */
@NullMarked
package org.amo.determinism.runtime;

import org.jspecify.annotations.NullMarked;
