/**
 * CORBA to its full breadth, seen from outside: every construct of IDL, servants of every shape, clients of several
 * ORBs, against three wrapped servers in processes of their own.
 */
@NullMarked
package org.amo.lab.blackbox.corba;

import org.jspecify.annotations.NullMarked;
