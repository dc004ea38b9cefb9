package org.amo.examples.bookings;

import java.util.Map;
import java.util.TreeMap;
import org.amo.spring.AmoService;

/** An ordinary object. Each member has one, and runs one call after another on it, so it needs no locks. */
@AmoService
class SeatsInMemory implements Seats {
    private final Map<Integer, String> taken = new TreeMap<>();

    @Override
    public int book(String guest) {
        int seat = taken.size() + 1;
        taken.put(seat, guest);
        return seat;
    }

    @Override
    public Map<Integer, String> taken() {
        return taken;
    }
}
