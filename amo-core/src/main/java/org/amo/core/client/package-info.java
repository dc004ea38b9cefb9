/**
 * The client's side of the rule about forgetting: which attempts of a call are out, which outcome may be reported, and which
 * numbers are finished. Pure; the shells (CORBA interceptor, plain Java) own time and sending.
 */
@NullMarked
package org.amo.core.client;

import org.jspecify.annotations.NullMarked;
