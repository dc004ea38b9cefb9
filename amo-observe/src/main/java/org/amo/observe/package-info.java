/** The ways by which the readings of a process leave it: an HTTP port, JMX, Micrometer. */
@NullMarked
package org.amo.observe;

import org.jspecify.annotations.NullMarked;
