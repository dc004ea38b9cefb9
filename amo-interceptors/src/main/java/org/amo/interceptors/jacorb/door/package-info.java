/**
 * The IIOP port of a member: its sockets count the resources that their peers take, from their first byte on. It knows
 * GIOP's framing; the two factories that JacORB makes by their names are all that know the ORB.
 */
@NullMarked
package org.amo.interceptors.jacorb.door;

import org.jspecify.annotations.NullMarked;
