/**
 * The client's side of the rule about forgetting: which copies of a call are out, what may be said of it,
 * and which numbers are finished. Pure; the shells (CORBA interceptor, plain Java) own time and sending.
 */
@NullMarked
package org.amo.core.client;

import org.jspecify.annotations.NullMarked;
