package org.amo.examples.bookings;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** One member, with its controller. Three of them are the group; README.md has their commands. */
@SpringBootApplication
class BookingApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(BookingApplication.class, arguments);
    }
}
