/**
 * Attacks on a group in real processes over real sockets, and their effect on honest clients. All traffic goes to the
 * loopback address, to members that the command itself has started.
 */
@NullMarked
package org.amo.lab.attack;

import org.jspecify.annotations.NullMarked;
