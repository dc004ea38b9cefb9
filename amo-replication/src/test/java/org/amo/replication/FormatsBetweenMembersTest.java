package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.replication.order.InMemoryLogs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member beside others of another version of amo, as if an operator upgraded one after the other. */
@Timeout(60)
final class FormatsBetweenMembersTest {
    private static final Duration BOUND = Duration.ofSeconds(30);

    private final List<OrderedLogException> ended = new CopyOnWriteArrayList<>();

    private ReplicatedService open(InMemoryLogs logs) {
        ReplicaSettings settings = ReplicaSettings.builder(
                        "g", "a", Member.parseList("a=memory:1/2,b=memory:3/4,c=memory:5/6"))
                .log(ReplicaSettings.Log.MEMORY)
                .build();
        return ReplicationProvider.open(
                settings, (position, time, request) -> request.body(), logs.member("a"), ended::add);
    }

    @Test
    void aMemberBesideAMajorityWithOtherFormatsEnds() {
        try (InMemoryLogs logs = new InMemoryLogs()) {
            OtherVersions.start(logs, "b", ReplicaSettings.FORMATS, "2");
            OtherVersions.start(logs, "c", ReplicaSettings.FORMATS, "2");
            try (ReplicatedService member = open(logs)) {
                await().atMost(BOUND).until(() -> !ended.isEmpty());
                assertEquals("a", member.status().id());
            } catch (OrderedLogException inTheFirstTwoSeconds) {
                ended.add(inTheFirstTwoSeconds);
            }
        }
        assertEquals(Fault.USER, ended.get(0).fault());
        assertEquals(
                "member a of group g runs a version of amo with number 1 of the formats between members, and members b, c one"
                        + " with number 2; stop all members, and start them with the same version (docs/how-to/upgrade.md)",
                ended.get(0).getMessage());
    }
}
