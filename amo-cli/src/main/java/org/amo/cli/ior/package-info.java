/**
 * Describes the content of an object reference in words.
 */
@NullMarked
package org.amo.cli.ior;

import org.jspecify.annotations.NullMarked;
