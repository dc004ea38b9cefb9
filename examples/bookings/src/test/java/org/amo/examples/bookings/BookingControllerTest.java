package org.amo.examples.bookings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.amo.replication.service.EmbeddedGroup;
import org.amo.spring.AmoProxy;
import org.amo.spring.AmoTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

/** How a user tests an application: all members in the test's process. */
@AmoTest
class BookingControllerTest {

    @Test
    void theActuatorTellsOfTheMembers(@Autowired ApplicationContext application) {
        assertTrue(application.containsBean("amoHealthIndicator"));
        assertTrue(application.containsBean("amoEndpoint"));
    }

    @Test
    void guestsAreSeatedThroughCrashesOfAMinority(
            @Autowired BookingController controller, @AmoProxy EmbeddedGroup group) {
        assertEquals(1, controller.book("ada"));
        group.crash("a");
        assertEquals(2, controller.book("bob"));
        group.restart("a");
        group.crash("b");
        assertEquals(3, controller.book("cyd"));
        assertEquals(Map.of(1, "ada", 2, "bob", 3, "cyd"), controller.taken());
    }
}
