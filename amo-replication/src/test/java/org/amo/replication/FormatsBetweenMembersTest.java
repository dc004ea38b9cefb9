package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.amo.core.order.LogListener;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.replication.order.InMemoryLogs;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member beside others of another version of amo, as if an operator upgraded one after the other. */
@Timeout(60)
final class FormatsBetweenMembersTest {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final byte VERSION = 2;
    private static final byte SETTINGS = 5;

    private final List<OrderedLogException> ended = new CopyOnWriteArrayList<>();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final Logger log = Logger.getLogger(RunningReplica.class.getName());
    private final Handler hearing = new Handler() {
        @Override
        public void publish(LogRecord line) {
            told.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void hear() {
        log.addHandler(hearing);
    }

    @AfterEach
    void hearNoMore() {
        log.removeHandler(hearing);
    }

    /** Another member, which answers each message that it takes with its settings. */
    private static void start(InMemoryLogs logs, String id, byte[] settings) {
        OrderedLog other = logs.member(id);
        other.start(new LogListener() {
            @Override
            public void onDelivered(long position, byte[] entry) {}

            @Override
            public void onRejected(long submission) {}

            @Override
            public void onLeader(String member) {}

            @Override
            public void onMessage(String member, byte[] message) {
                if (message[1] == SETTINGS) {
                    other.send(member, settings);
                }
            }

            @Override
            public void onEnded(OrderedLogException why) {}
        });
    }

    /** docs/wire/peer-message.md, kind 5, with one setting. */
    private static byte[] settings(String name, String value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(new byte[] {VERSION, SETTINGS, 0, 1, (byte) name.length()});
        bytes.writeBytes(name.getBytes(StandardCharsets.UTF_8));
        bytes.write(value.length());
        bytes.writeBytes(value.getBytes(StandardCharsets.UTF_8));
        return bytes.toByteArray();
    }

    private ReplicatedService open(InMemoryLogs logs) {
        ReplicaSettings settings = ReplicaSettings.builder(
                        "g", "a", Member.parseList("a=memory:1/2,b=memory:3/4,c=memory:5/6"))
                .log(ReplicaSettings.Log.MEMORY)
                .build();
        return ReplicationProvider.open(
                settings, (position, time, request) -> request.body(), logs.member("a"), ended::add);
    }

    private List<String> warnings() {
        return told.stream()
                .filter(line -> line.contains("an older version of amo"))
                .toList();
    }

    @Test
    void aMemberWarnsOfThoseThatTellNoNumberOfTheirFormats() {
        try (InMemoryLogs logs = new InMemoryLogs()) {
            start(logs, "b", settings("--style (amo.style)", "active"));
            start(logs, "c", settings(ReplicaSettings.FORMATS, "1"));
            try (ReplicatedService member = open(logs)) {
                await().atMost(BOUND).until(() -> !warnings().isEmpty());
                assertEquals("a", member.status().id());
            }
        }
        assertTrue(warnings().get(0).startsWith("members [b] of group g run an older version"), told::toString);
        assertEquals(List.of(), ended);
    }

    @Test
    void aMemberBesideAMajorityWithOtherFormatsEnds() {
        try (InMemoryLogs logs = new InMemoryLogs()) {
            start(logs, "b", settings(ReplicaSettings.FORMATS, "2"));
            start(logs, "c", settings(ReplicaSettings.FORMATS, "2"));
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
        assertEquals(List.of(), warnings());
    }
}
