package org.amo.once;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OnceCleanerTest {
    private final CountDownLatch cleanings = new CountDownLatch(3);

    /** Fails at each cleaning: once by an error, then by exceptions. */
    private final class FailingStore implements ResultStore<Object, IllegalStateException> {
        @Override
        public Transaction<Object, IllegalStateException> begin() {
            throw new IllegalStateException("no transaction here");
        }

        @Override
        public int removeExpired(int most) {
            boolean first = cleanings.getCount() == 3;
            cleanings.countDown();
            if (first) {
                throw new AssertionError("as want of memory");
            }
            throw new IllegalStateException("no connection");
        }

        @Override
        public Optional<IllegalStateException> own(Throwable thrown) {
            return Optional.empty();
        }

        @Override
        public Fault fault(IllegalStateException error) {
            return Fault.UNPREPARED;
        }
    }

    @Test
    void aFailureAndAnErrorAreTriedAgain() throws InterruptedException {
        try (OnceExecutor.Cleaner cleaner = OnceExecutor.over(
                        new FailingStore(), OnceOptions.builder().build())
                .cleanEvery(Duration.ofMillis(1))) {
            assertTrue(cleanings.await(20, TimeUnit.SECONDS), () -> "the thread of " + cleaner + " has ended");
        }
    }
}
