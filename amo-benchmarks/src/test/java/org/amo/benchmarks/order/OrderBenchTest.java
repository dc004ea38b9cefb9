package org.amo.benchmarks.order;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests that are not ordered must not count as if they were. */
class OrderBenchTest {
    @Test
    void aStackThatRefusesRequestsIsNotFaster() {
        assertEquals(
                List.of("amo over raft memory: 7 of the answered requests were refused"),
                OrderBench.spoiled(OrderStack.AMO_RAFT_MEMORY, 0, 7));
        assertEquals(
                List.of("ratis memory: 7 of the answered requests were refused"),
                OrderBench.spoiled(OrderStack.RATIS, 0, 7));
        assertEquals(List.of(), OrderBench.spoiled(OrderStack.RAFT_MEMORY, 0, 7), "they are sent again");
        assertEquals(List.of(), OrderBench.spoiled(OrderStack.JGROUPS_RAFT, 0, 7), "they are sent again");
    }

    @Test
    void messagesWithoutAnAnswerAreTold() {
        for (OrderStack stack : OrderStack.values()) {
            assertEquals(List.of(stack.title() + ": 3 messages were never answered"), OrderBench.spoiled(stack, 3, 0));
        }
    }
}
