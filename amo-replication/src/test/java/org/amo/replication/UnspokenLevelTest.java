package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.amo.core.order.LogListener;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Request;
import org.amo.replication.order.InMemoryLogs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member whose group is at a feature level that this build does not speak. */
@Timeout(60)
final class UnspokenLevelTest {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final String LINE =
            "member a of group g runs a version of amo for feature levels 1, and its group is at level 2; start it with the"
                    + " version that the other members run (docs/how-to/upgrade.md)";

    /** docs/wire/ordered-entry.md, by member b: raises the group to level 2. */
    private static final byte[] RAISE = HexFormat.of()
            .parseHex("04" + "0102" + "0162" + "0000000000000009" + "0000000000000001" + "0000018bcfe56800" + "0000");

    /** docs/wire/snapshot.md, of level 2: no build of level 1 knows the rest. */
    private static final byte[] SNAPSHOT = {5, 2, 99};

    private final List<String> restored = new CopyOnWriteArrayList<>();
    private final List<OrderedLogException> ended = new CopyOnWriteArrayList<>();

    private final class Servant implements ServantPort {
        @Override
        public byte[] execute(long position, long orderedTimeMillis, Request request) {
            return request.body();
        }

        @Override
        public void restoreState(byte[] state) {
            restored.add(new String(state, StandardCharsets.UTF_8));
        }
    }

    /** A log that begins with a snapshot. */
    private static final class FromSnapshot extends LogAround {
        FromSnapshot(OrderedLog log) {
            super(log);
        }

        @Override
        public void start(LogListener listener) {
            listener.onSnapshot(new LogSnapshot(7, SNAPSHOT, "of a later version".getBytes(StandardCharsets.UTF_8)));
        }
    }

    private ReplicatedService open(OrderedLog log) {
        ReplicaSettings settings = ReplicaSettings.builder("g", "a", Member.parseList("a=memory:1/2,b=memory:3/4"))
                .log(ReplicaSettings.Log.MEMORY)
                .build();
        return ReplicationProvider.open(settings, new Servant(), log, ended::add);
    }

    @Test
    void aRaiseEndsTheMember() {
        try (InMemoryLogs logs = new InMemoryLogs()) {
            try (ReplicatedService member = open(logs.member("a"))) {
                OtherVersions.start(logs, "b", "--style (amo.style)", "active").submit(1, RAISE);
                await().atMost(BOUND).until(() -> !ended.isEmpty());
                assertEquals(1, member.status().featureLevel());
            }
        }
        assertEquals(Fault.USER, ended.get(0).fault());
        assertEquals(LINE, ended.get(0).getMessage());
    }

    /** Neither the records nor the servant's state of such a snapshot need be of a form that this build knows. */
    @Test
    void ofASnapshotTheServantGetsNothing() {
        try (InMemoryLogs logs = new InMemoryLogs()) {
            OrderedLogException refusal =
                    assertThrows(OrderedLogException.class, () -> open(new FromSnapshot(logs.member("a"))));
            assertEquals(Fault.USER, refusal.fault());
            assertEquals(LINE, refusal.getMessage());
        }
        assertEquals(List.of(), restored);
    }
}
