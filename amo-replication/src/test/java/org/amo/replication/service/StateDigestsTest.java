package org.amo.replication.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ServantPort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** States that part are seen though no reply tells. */
@Timeout(120)
final class StateDigestsTest {
    private static final int CALLS = 1_100;

    interface Sums {
        void add(String name, int value);
    }

    static final class SumsService implements Sums {
        private final Map<String, Integer> sums = new HashMap<>();

        @Override
        public void add(String name, int value) {
            sums.merge(name, value, Integer::sum);
        }
    }

    /** Each object adds something of its own. */
    static final class PartedSums implements Sums {
        private static final AtomicInteger OBJECTS = new AtomicInteger();

        private final int own = OBJECTS.incrementAndGet();
        // Read as state, not by code.
        @SuppressWarnings("UnusedVariable")
        private int sum;

        @Override
        public void add(String name, int value) {
            sum += value + own;
        }
    }

    private static ServantPort parted() {
        PartedSums service = new PartedSums();
        return new HandlerServant(
                "embedded",
                new TypedService(new MethodTable(Sums.class), service),
                Optional.of(new FieldState(service, true)),
                false);
    }

    private static Set<String> digests(EmbeddedGroup group) {
        Sums sums = group.client().proxy(Sums.class);
        for (int i = 0; i < CALLS; i++) {
            sums.add("name" + i % 50, i);
        }
        Set<String> digests = new HashSet<>();
        for (String member : List.of("a", "b", "c")) {
            await().atMost(Duration.ofSeconds(20)).until(() -> group.status(member)
                    .map(ReplicaStatus::stateDigest)
                    .filter(digest -> digest.startsWith("1024@"))
                    .isPresent());
            digests.add(group.status(member).orElseThrow().stateDigest());
        }
        return digests;
    }

    @Test
    void membersWithEqualStatesHaveEqualDigestsOfThem() {
        try (EmbeddedGroup group = EmbeddedGroup.of(3, Sums.class, SumsService::new)) {
            assertEquals(1, digests(group).size());
            assertTrue(group.awaitAgreement(Duration.ofSeconds(10)));
            group.crash("b");
            group.restart("b");
            assertTrue(group.awaitAgreement(Duration.ofSeconds(10)));
            assertTrue(group.status("b").orElseThrow().stateDigest().startsWith("1024@"));
        }
    }

    @Test
    void statesThatPartHaveOtherDigestsThoughTheirRepliesAreEqual() {
        try (EmbeddedGroup group = new EmbeddedGroup(3, StateDigestsTest::parted, Optional.empty())) {
            assertEquals(3, digests(group).size());
            assertEquals(
                    1,
                    List.of("a", "b", "c").stream()
                            .map(member -> group.status(member).orElseThrow().digest())
                            .distinct()
                            .count(),
                    "replies are equal");
            assertTrue(!group.awaitAgreement(Duration.ofMillis(300)));
        }
    }
}
