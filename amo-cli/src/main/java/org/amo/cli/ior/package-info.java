/**
 * Says in words what an object reference holds.
 */
@NullMarked
package org.amo.cli.ior;

import org.jspecify.annotations.NullMarked;
