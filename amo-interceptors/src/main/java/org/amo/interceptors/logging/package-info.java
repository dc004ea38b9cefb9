/** How much a wrapped program's ORB says. */
@NullMarked
package org.amo.interceptors.logging;

import org.jspecify.annotations.NullMarked;
