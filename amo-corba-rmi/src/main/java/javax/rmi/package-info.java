/** The part of {@code javax.rmi} that JacORB 3.9 links to; see {@link javax.rmi.CORBA}. */
package javax.rmi;
