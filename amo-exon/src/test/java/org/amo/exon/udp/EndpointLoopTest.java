package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.exon.ExonNode;
import org.amo.exon.MessageName;
import org.amo.exon.NodeId;
import org.amo.exon.Outcome;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class EndpointLoopTest {
    private static EndpointLoop loop() {
        return new EndpointLoop(
                wake -> Deliveries.inThread((position, from, message) -> {}, false, wake, Thread::new), bound -> {});
    }

    private static MessageName delivery(int units) {
        return new MessageName(new NodeId(1, 1), 1, 1, units);
    }

    /** What a loop that was late makes good is more than a channel gathers; dropped, it would count as the network's loss. */
    @Test
    void aBurstOfDatagramsReachesTheSocket() {
        EndpointLoop loop = loop();
        EmbeddedChannel channel = new EmbeddedChannel(loop);
        EndpointLoop.Place place = new EndpointLoop.Place(new InetSocketAddress(InetAddress.getLoopbackAddress(), 9));
        int burst = 300;
        for (int i = 0; i < burst; i++) {
            loop.transmit(place, new byte[1_452]);
        }
        channel.flush();
        assertEquals(burst, channel.outboundMessages().size());
        assertEquals(0, loop.unsendable());
        channel.outboundMessages().forEach(ReferenceCountUtil::release);
        loop.stopDeliveries();
    }

    /** Whatever the application does with one message, the next is delivered, and the room of both comes back. */
    @Test
    void anErrorOfTheApplicationCostsNoOtherMessage() {
        List<Integer> got = new CopyOnWriteArrayList<>();
        Deliveries deliveries = Deliveries.inThread(
                (position, from, message) -> {
                    if (message.length == 1) {
                        throw new LinkageError("planted");
                    }
                    got.add(message.length);
                },
                false,
                () -> {},
                task -> {
                    Thread thread = Executors.defaultThreadFactory().newThread(task);
                    thread.setUncaughtExceptionHandler((who, what) -> {});
                    return thread;
                });
        for (int i = 1; i <= 3; i++) {
            deliveries.gather(delivery(2), new byte[i]);
        }
        deliveries.handOver();
        Awaitility.await().until(() -> got.size() == 2);
        deliveries.close();
        assertEquals(List.of(2, 3), got);
        AtomicInteger returned = new AtomicInteger();
        Awaitility.await().until(() -> returned.addAndGet(deliveries.room().take()) == 6);
    }

    /** The system refuses a thread once: the messages are acknowledged, so the next batch delivers them. */
    @Test
    void aThreadThatTheSystemRefusesCostsNoMessage() {
        AtomicInteger threads = new AtomicInteger();
        List<Integer> got = new CopyOnWriteArrayList<>();
        Deliveries deliveries =
                Deliveries.inThread((position, from, message) -> got.add(message.length), false, () -> {}, task -> {
                    if (threads.getAndIncrement() < 2) {
                        throw new OutOfMemoryError("planted");
                    }
                    return new Thread(task);
                });
        deliveries.gather(delivery(1), new byte[1]);
        assertThrows(OutOfMemoryError.class, deliveries::handOver);
        assertThrows(OutOfMemoryError.class, deliveries::handOver, "it is asked for again");
        deliveries.gather(delivery(1), new byte[2]);
        deliveries.handOver();
        Awaitility.await().until(() -> got.equals(List.of(1, 2)));
        deliveries.close();
    }

    @Test
    void aNodeForWhichTheSystemHasNoThreadDoesNotStart() {
        Deliveries deliveries = Deliveries.inThread((position, from, message) -> {}, false, () -> {}, task -> {
            throw new OutOfMemoryError("planted");
        });
        IOException refused = assertThrows(IOException.class, deliveries::start);
        assertTrue(refused.getMessage().contains("no thread (planted)"), refused.getMessage());
    }

    /** No thread that the application's Errors end: the system may refuse the next one. */
    @Test
    void anErrorOfTheApplicationDoesNotEndTheThread() {
        AtomicInteger threads = new AtomicInteger();
        List<Integer> got = new CopyOnWriteArrayList<>();
        Deliveries deliveries = Deliveries.inThread(
                (position, from, message) -> {
                    got.add(message.length);
                    throw new LinkageError("planted");
                },
                false,
                () -> {},
                task -> {
                    threads.incrementAndGet();
                    Thread thread = new Thread(task);
                    thread.setUncaughtExceptionHandler((who, what) -> {});
                    return thread;
                });
        deliveries.gather(delivery(1), new byte[1]);
        deliveries.gather(delivery(1), new byte[2]);
        deliveries.handOver();
        Awaitility.await().until(() -> got.equals(List.of(1, 2)));
        assertEquals(1, threads.get());
        deliveries.close();
    }

    /** The closing thread waits for some seconds only; a loop that stood still for longer goes on behind it. */
    @Test
    void aMessageThatALateLoopTakesWhileTheEndpointEndsHasAnOutcome() {
        EndpointLoop loop = loop();
        ExonEndpointOptions options = ExonEndpointOptions.builder(new NodeId(1, 2), "a secret of tests")
                .build();
        long life = System.currentTimeMillis();
        loop.node(new ExonNode(
                options.id(), life, life + options.core().clockRange(), options.secret(), options.core(), loop));
        EmbeddedChannel channel = new EmbeddedChannel(loop);
        List<Outcome> outcomes = new ArrayList<>();
        loop.submit(
                (core, now) -> {
                    loop.abort();
                    long number = loop.expect(outcomes::add);
                    assertTrue(number > 0);
                },
                () -> {});
        channel.runPendingTasks();
        assertEquals(List.of(Outcome.UNKNOWN), outcomes);
        loop.stopDeliveries();
        channel.outboundMessages().forEach(ReferenceCountUtil::release);
    }
}
