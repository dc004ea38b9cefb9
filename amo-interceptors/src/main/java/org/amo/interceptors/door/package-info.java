/**
 * The IIOP port of a member: its sockets count the resources that their peers take, from their first byte on. It knows
 * GIOP's framing and nothing of an ORB.
 */
@NullMarked
package org.amo.interceptors.door;

import org.jspecify.annotations.NullMarked;
