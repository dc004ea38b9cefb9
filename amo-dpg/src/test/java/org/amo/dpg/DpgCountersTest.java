package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

class DpgCountersTest {
    @Test
    void eachFigureIsReadUnderItsOwnName() {
        DpgCounters counters = new DpgCounters();
        counters.delivered = 1;
        counters.dummies = 2;
        counters.marked = 3;
        counters.forced = 4;
        counters.chosen = 5;
        counters.adopted = 6;
        counters.contradictions = 7;
        counters.overflows = 8;
        counters.seized = 9;
        counters.premature = 10;
        counters.remulticast = 11;
        counters.reports = 12;
        counters.waived = 13;
        counters.refusedOrigins = 14;
        counters.returns = 15;
        counters.mostVertices = 16;
        counters.astray = 17;
        List<ToLongFunction<DpgCounters>> inThatOrder = List.of(
                DpgCounters::delivered,
                DpgCounters::dummies,
                DpgCounters::marked,
                DpgCounters::forced,
                DpgCounters::chosen,
                DpgCounters::adopted,
                DpgCounters::contradictions,
                DpgCounters::overflows,
                DpgCounters::seized,
                DpgCounters::premature,
                DpgCounters::remulticast,
                DpgCounters::reports,
                DpgCounters::waived,
                DpgCounters::refusedOrigins,
                DpgCounters::returns,
                DpgCounters::mostVertices,
                DpgCounters::astray);
        for (int i = 0; i < inThatOrder.size(); i++) {
            assertEquals(i + 1, inThatOrder.get(i).applyAsLong(counters));
        }
    }
}
