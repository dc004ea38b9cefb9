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
        counters.late = 8;
        counters.overflows = 9;
        counters.seized = 10;
        counters.premature = 11;
        counters.remulticast = 12;
        counters.reports = 13;
        counters.waived = 14;
        counters.refusedOrigins = 15;
        counters.returns = 16;
        counters.mostVertices = 17;
        List<ToLongFunction<DpgCounters>> inThatOrder = List.of(
                DpgCounters::delivered,
                DpgCounters::dummies,
                DpgCounters::marked,
                DpgCounters::forced,
                DpgCounters::chosen,
                DpgCounters::adopted,
                DpgCounters::contradictions,
                DpgCounters::late,
                DpgCounters::overflows,
                DpgCounters::seized,
                DpgCounters::premature,
                DpgCounters::remulticast,
                DpgCounters::reports,
                DpgCounters::waived,
                DpgCounters::refusedOrigins,
                DpgCounters::returns,
                DpgCounters::mostVertices);
        for (int i = 0; i < inThatOrder.size(); i++) {
            assertEquals(i + 1, inThatOrder.get(i).applyAsLong(counters));
        }
    }
}
