package org.amo.examples.bookings;

import java.util.Map;
import org.amo.spring.AmoProxy;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The seats over HTTP. Each booking runs once in the group, whichever member it goes to and whichever dies meanwhile. */
@RestController
class BookingController {
    private final Seats seats;
    private final RecoveredBookings recovered;

    BookingController(@AmoProxy Seats seats, RecoveredBookings recovered) {
        this.seats = seats;
        this.recovered = recovered;
    }

    @PostMapping("/seats")
    int book(@RequestParam("guest") String guest) {
        return seats.book(guest);
    }

    @GetMapping("/seats")
    Map<Integer, String> taken() {
        return seats.taken();
    }

    /** By guest: the outcome of each booking whose answer the former process owed when it died. */
    @GetMapping("/recovered")
    Map<String, String> recovered() {
        return recovered.all();
    }
}
