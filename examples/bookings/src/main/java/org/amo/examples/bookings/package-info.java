/** A Spring Boot application with a replicated service: {@link org.amo.examples.bookings.Seats}, and the controller in front of it. */
package org.amo.examples.bookings;
