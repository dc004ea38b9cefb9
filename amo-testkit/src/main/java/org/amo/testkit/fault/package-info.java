/**
 * Faults at named points of a request's way through a replica. On the class path of a replica and named by its
 * properties they happen; without the properties nothing does.
 */
@NullMarked
package org.amo.testkit.fault;

import org.jspecify.annotations.NullMarked;
