package org.amo.replication.order.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
final class FrameQueueTest {
    private final List<Thread> writers = new ArrayList<>();
    private final List<String> written = new CopyOnWriteArrayList<>();
    private final CountDownLatch reads = new CountDownLatch(1);

    @AfterEach
    void end() {
        reads.countDown();
    }

    @Test
    void whoOffersToAPeerThatDoesNotReadNeverWaitsAndIsTold() {
        FrameQueue queue = open(frame -> reads.await());
        int half = (int) (FrameQueue.MAX_BYTES / 2);
        assertTrue(queue.offer(new byte[half]));
        assertTrue(queue.offer(new byte[half]));
        assertFalse(queue.offer(new byte[1]), "the limit holds, though the first frame is being written");

        reads.countDown();
        await().until(() -> queue.offer(new byte[half]));
        queue.close();
    }

    @Test
    void framesKeepTheirOrderAndOneThatFailsHoldsUpNone() {
        FrameQueue queue = open(frame -> {
            if (frame[0] == '3') {
                throw new IOException("the connection broke");
            }
            written.add(new String(frame, UTF_8));
        });
        List<String> frames = IntStream.range(0, 10).mapToObj(String::valueOf).toList();
        frames.forEach(frame -> assertTrue(queue.offer(frame.getBytes(UTF_8))));
        await().until(() -> written.size() == 9);
        assertEquals(frames.stream().filter(frame -> !frame.equals("3")).toList(), written);
        queue.close();
    }

    @Test
    void whoClosesItWaitsForNothingAndTheThreadEnds() {
        FrameQueue queue = open(frame -> reads.await());
        assertTrue(queue.offer(new byte[1]));
        assertTrue(queue.offer(new byte[1]));
        queue.close();
        assertFalse(queue.offer(new byte[1]));
        await().until(() -> !writers.get(0).isAlive());
    }

    private FrameQueue open(FrameQueue.Sink sink) {
        return new FrameQueue(
                task -> {
                    Thread thread = new Thread(task, "writer");
                    thread.setDaemon(true);
                    writers.add(thread);
                    return thread;
                },
                sink);
    }
}
