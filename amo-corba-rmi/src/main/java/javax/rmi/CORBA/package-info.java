/**
 * The part of {@code javax.rmi.CORBA} that JacORB 3.9 links to, which left the JDK with version 11. IDL types need
 * nothing of it but its presence and the names of a few repository ids; RMI over IIOP is not implemented.
 */
package javax.rmi.CORBA;
