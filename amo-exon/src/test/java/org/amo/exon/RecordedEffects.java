package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** Writes down what a node does, for tests; its datagrams go where the test says. */
final class RecordedEffects implements ExonEffects {
    final Map<Long, Outcome> outcomes = new TreeMap<>();
    final List<Integer> delivered = new ArrayList<>();
    final List<Long> bounds = new ArrayList<>();
    private final BiConsumer<Address, byte[]> transmit;

    RecordedEffects(BiConsumer<Address, byte[]> transmit) {
        this.transmit = transmit;
    }

    @Override
    public void transmit(Address to, byte[] datagram) {
        transmit.accept(to, datagram);
    }

    @Override
    public void deliver(MessageName delivery, byte[] message) {
        delivered.add(message.length);
    }

    @Override
    public void completed(long message, Outcome outcome) {
        assertEquals(null, outcomes.put(message, outcome), "told twice");
    }

    @Override
    public void reserveClock(long bound) {
        bounds.add(bound);
    }
}
