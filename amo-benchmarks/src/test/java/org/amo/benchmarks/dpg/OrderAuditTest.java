package org.amo.benchmarks.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class OrderAuditTest {
    private static DeliveryLog life(long... ids) {
        DeliveryLog life = new DeliveryLog();
        life.segment();
        for (long id : ids) {
            life.delivered(id);
        }
        return life;
    }

    private static long violations(List<DeliveryLog> steady, List<DeliveryLog> others) {
        OrderAudit audit = new OrderAudit();
        audit.compare(steady, others);
        return audit.violations();
    }

    private static final DeliveryLog REFERENCE = life(1, 2, 3, 4, 5, 6, 7);

    @Test
    void theSameSequenceAndSegmentsOfItAgree() {
        assertEquals(0, violations(List.of(REFERENCE, life(1, 2, 3, 4)), List.of(life(3, 4, 5), life(7), life())));
    }

    @Test
    void anotherOrderOneLeftOutAndOneTooManyAreCounted() {
        assertEquals(2, violations(List.of(REFERENCE, life(1, 3, 2, 4)), List.of()), "one out of order, one left out");
        assertEquals(1, violations(List.of(REFERENCE), List.of(life(3, 4, 6))));
        assertEquals(1, violations(List.of(REFERENCE), List.of(life(3, 99, 4))));
    }

    @Test
    void whatAnEarlierSegmentOfTheSameLifeDeliveredIsNotMissing() {
        DeliveryLog life = life(1, 2, 5);
        life.segment();
        life.delivered(4);
        life.delivered(6);
        assertEquals(2, violations(List.of(REFERENCE), List.of(life)), "3 and 4 are left out in the first segment");
    }

    @Test
    void ratesArePerMillionDeliveries() {
        OrderAudit audit = new OrderAudit();
        audit.compare(List.of(life(1, 2, 3, 4)), List.of(life(2, 4)));
        assertEquals(1e6 / 6, audit.perMillion(), 1e-6);
    }
}
