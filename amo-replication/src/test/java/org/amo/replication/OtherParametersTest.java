package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.amo.base.SecretRing;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.replication.order.InMemoryLogs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member with another parameter than its group was started with. */
@Timeout(60)
final class OtherParametersTest {
    private static final Duration BOUND = Duration.ofSeconds(30);

    private final List<OrderedLogException> ended = new CopyOnWriteArrayList<>();

    private ReplicatedService open(InMemoryLogs logs, String id, Optional<String> budget) {
        ReplicaSettings settings = ReplicaSettings.fromProperties(
                name -> switch (name) {
                    case "amo.group" -> "g";
                    case "amo.id" -> id;
                    case "amo.members" -> "a=memory:1/2,b=memory:3/4,c=memory:5/6";
                    case "amo.log" -> "memory";
                    case "amo.budget" -> budget.orElse(null);
                    default -> null;
                },
                Optional.of(SecretRing.of("a s3cret of tests")));
        return ReplicationProvider.open(
                settings, (position, time, request) -> request.body(), logs.member(id), ended::add);
    }

    private static boolean isStarted(ReplicatedService member) {
        return member.status().orderedTimeMillis() > 0;
    }

    @Test
    void aMemberWithAnotherBudgetThanItsGroupEndsInOneLine() {
        try (InMemoryLogs logs = new InMemoryLogs();
                ReplicatedService b = open(logs, "b", Optional.empty());
                ReplicatedService c = open(logs, "c", Optional.empty())) {
            await().atMost(BOUND).until(() -> isStarted(b) && isStarted(c));
            try (ReplicatedService a = open(logs, "a", Optional.of("1000000"))) {
                await().atMost(BOUND).until(() -> !ended.isEmpty());
                assertEquals("a", a.status().id());
            } catch (OrderedLogException whileItStarted) {
                ended.add(whileItStarted);
            }
        }
        assertEquals(1, ended.size(), ended::toString);
        assertEquals(Fault.USER, ended.get(0).fault());
        String line = String.valueOf(ended.get(0).getMessage());
        assertTrue(line.startsWith("group g was started with amo.budget=") && line.contains(", not 1000000;"), line);
        assertEquals(1, line.lines().count(), line);
    }
}
