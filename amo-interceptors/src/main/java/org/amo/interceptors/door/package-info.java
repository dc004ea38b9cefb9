/**
 * The IIOP port of a member: sockets that count what their peers take of it, from their first byte on. It knows GIOP's
 * framing and nothing of an ORB.
 */
@NullMarked
package org.amo.interceptors.door;

import org.jspecify.annotations.NullMarked;
