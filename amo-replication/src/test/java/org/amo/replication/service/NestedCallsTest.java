package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.base.NestedCallException;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.exon.NodeId;
import org.amo.exon.udp.ExonEndpoint;
import org.amo.exon.udp.ExonEndpointOptions;
import org.amo.replication.FreePorts;
import org.amo.scmp.udp.ScmpClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Calls that operations of a replicated service make with amo's clients. Three members, so three would make each. */
@Timeout(60)
class NestedCallsTest {
    private static final byte[] NOTHING = {};
    private static final String SAID = "an operation of group front called group embedded, and each replica would make"
            + " that call; make it in the client, or start every member with --nested allow (amo.nested=allow) if the"
            + " callee may run it once a replica";

    @TempDir
    private Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();

    /** The service behind the front one. */
    public interface Back {
        void once();

        @Oneway
        void oneway();
    }

    @AfterEach
    void closeAll() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private EmbeddedGroup back(AtomicInteger calls) {
        EmbeddedGroup group = EmbeddedGroup.ofWithoutSnapshots(1, Back.class, () -> new Back() {
            @Override
            public void once() {
                calls.incrementAndGet();
            }

            @Override
            public void oneway() {
                calls.incrementAndGet();
            }
        });
        open.add(group);
        return group;
    }

    /** A group of three whose operation is the given one; a client of it. */
    private AmoClient front(AmoHandler operation, boolean allow) throws Exception {
        String members = Member.format(FreePorts.members(3));
        List<CompletableFuture<AmoReplica>> starting = new ArrayList<>();
        for (String id : List.of("a", "b", "c")) {
            AmoReplica.Builder builder = AmoReplica.builder("front")
                    .id(id)
                    .members(members)
                    .data(folder)
                    .log(ReplicaSettings.Log.MEMORY)
                    .insecure()
                    .handler(operation);
            starting.add(CompletableFuture.supplyAsync(() -> (allow ? builder.allowNestedCalls() : builder).start()));
        }
        List<AmoReplica> replicas = new ArrayList<>();
        for (CompletableFuture<AmoReplica> each : starting) {
            replicas.add(each.get(30, TimeUnit.SECONDS));
        }
        open.addAll(replicas);
        AmoClient client = AmoClient.builder("front")
                .members(members)
                .insecure()
                .deadline(Duration.ofSeconds(20))
                .build();
        open.add(client);
        open.add(() -> Awaitility.await("the members ran the same")
                .atMost(Duration.ofSeconds(20))
                .until(() -> replicas.stream()
                                .map(replica -> replica.status().executedPosition() + " "
                                        + replica.status().digest())
                                .distinct()
                                .count()
                        == 1));
        return client;
    }

    @Test
    void theCalleeOfTenCallsRanNothing() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Back back = back(calls).client().proxy(Back.class);
        AmoClient front = front(
                (request, context) -> {
                    back.once();
                    return NOTHING;
                },
                false);
        for (int i = 0; i < 10; i++) {
            AmoServiceException refused = assertThrows(AmoServiceException.class, () -> front.call(NOTHING));
            assertEquals(NestedCallException.class.getName(), refused.type());
            assertEquals(SAID, refused.serviceMessage());
        }
        assertEquals(0, calls.get());
    }

    @Test
    void membersThatAllowItCallOnceEach() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Back back = back(calls).client().proxy(Back.class);
        AmoClient front = front(
                (request, context) -> {
                    back.once();
                    return NOTHING;
                },
                true);
        front.call(NOTHING);
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> calls.get() == 3);
    }

    /** A stage that is not to be seen: the call throws. */
    private static Object kept(Object stage) {
        return stage;
    }

    @Test
    void noWayToCallIsLeftOut() throws Exception {
        AmoClient client = back(new AtomicInteger()).client();
        ScmpClient scmp = ScmpClient.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1))
                .insecure()
                .open();
        open.add(scmp);
        ExonEndpoint exon = ExonEndpoint.open(
                ExonEndpointOptions.builder(new NodeId(1, 1), "a secret of tests")
                        .build(),
                (from, message) -> {});
        open.add(exon);
        NodeId other = new NodeId(1, 2);
        List<Callable<Object>> ways = List.of(
                () -> client.call(NOTHING),
                () -> kept(client.callAsync(NOTHING)),
                () -> {
                    client.oneway(NOTHING);
                    return "sent";
                },
                () -> {
                    client.proxy(Back.class).oneway();
                    return "sent";
                },
                () -> kept(client.ask(NOTHING, Duration.ofSeconds(1))),
                () -> kept(scmp.callAsync(1, NOTHING, Duration.ofSeconds(1))),
                () -> scmp.call(1, NOTHING),
                () -> kept(exon.send(other, NOTHING)),
                () -> kept(exon.request(other, NOTHING, Duration.ofSeconds(1))));
        AmoClient front = front(
                (request, context) -> {
                    assertNotNull(ways.get(request[0]).call());
                    return NOTHING;
                },
                false);
        for (int way = 0; way < ways.size(); way++) {
            byte[] request = {(byte) way};
            AmoServiceException refused = assertThrows(AmoServiceException.class, () -> front.call(request));
            assertEquals(NestedCallException.class.getName(), refused.type(), "way " + way);
            assertTrue(refused.serviceMessage().startsWith("an operation of group front called "), "way " + way);
        }
        // What runs outside of an operation calls as ever.
        client.oneway(NOTHING);
    }
}
