package org.amo.observe;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PageWatchTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final FakeMember member = new FakeMember("bank", "a");

    @Test
    void theMembersAreAskedOnlyWhileAPageIsOpen() {
        try (PageWatch watch = new PageWatch(member, 20, 200)) {
            assertEquals(0, member.askedAll.get());
            assertTrue(watch.look().isPresent(), "the first look waits for the first picture");
            await().atMost(LONG).until(() -> member.askedAll.get() > 2);
            await().atMost(LONG).until(() -> pageThreads() == 0);
            int asked = member.askedAll.get();
            assertTrue(watch.look().isPresent());
            await().atMost(LONG).until(() -> member.askedAll.get() > asked);
        }
        await().atMost(LONG).until(() -> pageThreads() == 0);
    }

    @Test
    void manyLooksShareOnePicture() {
        try (PageWatch watch = new PageWatch(member, 60_000, 60_000)) {
            Optional<GroupPicture> first = watch.look();
            for (int i = 0; i < 1_000; i++) {
                assertEquals(first, watch.look());
            }
            assertEquals(1, member.askedAll.get());
            assertEquals(1, pageThreads());
        }
    }

    @Test
    void aLookDoesNotWaitForMembersThatDoNotAnswer() throws InterruptedException {
        CountDownLatch answer = new CountDownLatch(1);
        FakeMember silent = new FakeMember("bank", "a") {
            @Override
            public Map<String, Optional<String>> statuses() {
                awaitUninterrupted(answer);
                return super.statuses();
            }
        };
        try (PageWatch watch = new PageWatch(silent, 20, 60_000)) {
            assertEquals(Optional.empty(), watch.look());
            answer.countDown();
            await().atMost(LONG).until(() -> watch.look().isPresent());
        }
    }

    @Test
    void afterAFailureTheNextLookAsksAgain() {
        FakeMember failing = new FakeMember("bank", "a") {
            @Override
            public Map<String, Optional<String>> statuses() {
                if (askedAll.get() == 0) {
                    askedAll.incrementAndGet();
                    throw new IllegalStateException("the first time");
                }
                return super.statuses();
            }
        };
        try (PageWatch watch = new PageWatch(failing, 20, 60_000)) {
            assertEquals(Optional.empty(), watch.look());
            assertTrue(watch.look().isPresent());
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static long pageThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("amo-observe-page"))
                .count();
    }
}
