package org.amo.replication.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.base.ClientId;
import org.amo.base.DaemonThreads;
import org.amo.core.request.Answer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Calls in virtual threads. */
@Timeout(60)
@EnabledForJreRange(min = JRE.JAVA_21)
final class VirtualThreadsTest {
    /** More than the threads of the virtual machine that may carry virtual ones: 256. */
    private static final int CALLS = 1_000;

    /** The members answer once all calls have left. A call that held its carrier while it waits would keep others from leaving. */
    @Test
    void aCallThatWaitsHoldsNoCarrier() throws Exception {
        byte[] request = {1};
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        ScheduledExecutorService owner =
                Executors.newSingleThreadScheduledExecutor(DaemonThreads.factory("amo-test-client"));
        LinksInHand links = new LinksInHand(owner);
        AtomicInteger answered = new AtomicInteger();
        Queue<RuntimeException> failed = new ConcurrentLinkedQueue<>();
        try (AmoClient client = AmoClient.builder("g")
                .insecure()
                .deadline(Duration.ofSeconds(60))
                .build(new ClientId(0, 0), List.of("a"), owner, links, () -> {})) {
            Runnable call = () -> {
                try {
                    client.call(request);
                    answered.incrementAndGet();
                } catch (RuntimeException e) {
                    failed.add(e);
                }
            };
            for (int i = 0; i < CALLS; i++) {
                start.invoke(null, call);
            }
            await().until(() -> !links.connecting.isEmpty());
            links.tell(events -> events.onConnected(0, Answer.NO_BOUND));
            await().until(() -> links.sent.size() == CALLS);
            for (int i = 0; i < CALLS; i++) {
                links.answer(0, Answer.reply(Payloads.reply(request), 1, 0));
            }
            await().until(() -> answered.get() + failed.size() == CALLS);
            assertEquals(List.of(), List.copyOf(failed));
        } finally {
            owner.shutdownNow();
        }
    }
}
