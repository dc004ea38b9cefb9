package org.amo.benchmarks.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.amo.benchmarks.link.LinkEmulator;
import org.amo.benchmarks.link.LinkUnavailableException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is compared does what it is measured for, through losses; left out where namespaces are not permitted. */
class StacksTest {
    private static final int BYTES = 1_000;
    private static final int ENOUGH = 300;

    private static Stack named(String name) {
        return List.of(new ExonStack(), new TcpStack("cubic"), new TcpStack("bbr"), new QuicStack(), new AeronStack())
                .stream()
                .filter(stack -> stack.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"exon", "tcp cubic", "tcp bbr", "quic cubic", "aeron fixed window"})
    void messagesArriveAndCallsAreAnswered(String name) throws Exception {
        try (LinkEmulator link = LinkEmulator.open(new Point(20, 4, 1, 0).link(3))) {
            Stack stack = named(name);
            Assumptions.assumeTrue(
                    stack.missing().isEmpty(), () -> stack.missing().orElse(""));
            try (Flow flow = stack.flow(link, BYTES, 0)) {
                awaitCompleted(flow);
            }
            try (Flow flow = stack.flow(link, BYTES, 20)) {
                awaitCompleted(flow);
                long least = flow.intervalMicros().getMinValue();
                assertTrue(least >= 4_000, "a call takes a round trip at least: " + least);
            }
            assertTrue(link.toRight().carried() > 2 * ENOUGH && link.toRight().lost() > 0, "" + link.toRight());
        } catch (LinkUnavailableException e) {
            Assumptions.abort(e.getMessage());
        }
    }

    private static void awaitCompleted(Flow flow) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> flow.completed() > ENOUGH);
        assertEquals("", flow.failure());
    }
}
