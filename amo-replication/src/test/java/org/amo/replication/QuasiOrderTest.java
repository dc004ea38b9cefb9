package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.replication.order.Groups;
import org.amo.replication.order.dpg.DpgLog;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoReplica;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Row A18: an order that may be violated is only for operations that are declared commutative. */
@Timeout(120)
class QuasiOrderTest {
    private final List<Member> members = FreePorts.members(3);
    private final String group = Groups.freshName();
    private final ConcurrentHashMap<String, DpgLog> logs = new ConcurrentHashMap<>();

    private AmoReplica.Builder member(String id, AtomicLong sum) {
        return AmoReplica.builder(group)
                .id(id)
                .members(Member.format(members))
                .data(Path.of("unused"))
                .insecure()
                .orderedLog(settings -> {
                    DpgLog log = new DpgLog(settings);
                    logs.put(id, log);
                    return log;
                })
                .handler((request, context) -> {
                    sum.addAndGet(ByteBuffer.wrap(request).getInt());
                    return new byte[0];
                });
    }

    @Test
    void withoutTheDeclarationTheReplicaRefusesItInOneLineAndOpensNothing() {
        OrderedLogException refused = assertThrows(
                OrderedLogException.class, () -> member("a", new AtomicLong()).start());
        assertEquals(OrderedLogException.Fault.USER, refused.fault());
        assertTrue(refused.getMessage().contains("QUASI_TOTAL"), refused::toString);
        assertTrue(refused.getMessage().contains("commutative()"), refused::toString);
        assertFalse(refused.getMessage().contains("\n"));
    }

    @Test
    void nestedCallsCannotBeOrderedByIt() {
        OrderedLogException refused = assertThrows(OrderedLogException.class, () -> member("a", new AtomicLong())
                .commutative()
                .orderNestedCalls()
                .start());
        assertEquals(OrderedLogException.Fault.USER, refused.fault());
        assertTrue(refused.getMessage().contains("use order raft"), refused::toString);
    }

    @Test
    void withItMembersComeToTheSameSumAndCountViolations() throws Exception {
        List<AtomicLong> sums = List.of(new AtomicLong(), new AtomicLong(), new AtomicLong());
        List<AmoReplica> replicas = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                replicas.add(
                        member(members.get(i).id(), sums.get(i)).commutative().start());
            }
            try (AmoClient client = AmoClient.builder(group)
                    .members(Member.format(members))
                    .insecure()
                    .build()) {
                for (int i = 1; i <= 100; i++) {
                    client.call(ByteBuffer.allocate(4).putInt(i).array(), Duration.ofSeconds(20));
                }
            }
            await().atMost(Duration.ofSeconds(20)).until(() -> sums.stream().allMatch(sum -> sum.get() == 5_050));
            for (DpgLog log : logs.values()) {
                assertEquals(0, log.violations());
                await().until(() -> log.figures().digestsCompared() > 0);
            }
        } finally {
            replicas.forEach(AmoReplica::close);
        }
    }
}
