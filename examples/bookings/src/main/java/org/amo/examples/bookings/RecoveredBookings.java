package org.amo.examples.bookings;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiConsumer;
import org.amo.replication.service.AmoException;
import org.amo.replication.service.RecoveredCall;
import org.springframework.stereotype.Component;

/** The bookings that the former process left open, told before the web server takes requests. */
@Component
class RecoveredBookings implements BiConsumer<String, RecoveredCall> {
    private final Map<String, String> outcomes = new ConcurrentSkipListMap<>();

    /** A booking's outcome is its seat, or that it did not run. A read that was open is of no use now. */
    @Override
    public void accept(String group, RecoveredCall call) {
        if (call.method(Seats.class).equals("book")) {
            outcomes.put(String.valueOf(call.arguments(Seats.class).get(0)), outcome(call));
        }
    }

    private static String outcome(RecoveredCall call) {
        try {
            return "seat " + call.result(Seats.class);
        } catch (AmoException why) {
            return String.valueOf(why.getMessage());
        }
    }

    Map<String, String> all() {
        return outcomes;
    }
}
