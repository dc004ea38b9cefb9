package org.amo.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A thread of load on a bank in this process. */
final class LoadThreadTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int HOURS_MILLIS = 100_000_000;

    private static final class Bank implements LoadedService {
        private final Map<String, Long> accounts = new HashMap<>();

        @Override
        public Names names() {
            return new Names("bank", "deposit", "transfer", "balances");
        }

        @Override
        public long deposit(String account, long amount) {
            return accounts.merge(account, amount, Long::sum);
        }

        @Override
        public boolean transfer(String from, String to, long amount) {
            boolean done = accounts.getOrDefault(from, 0L) >= amount;
            if (done) {
                accounts.merge(from, -amount, Long::sum);
                accounts.merge(to, amount, Long::sum);
            }
            return done;
        }

        @Override
        public Map<String, Long> balances() {
            return Map.copyOf(accounts);
        }

        @Override
        public void listen(CopyListener listener) {}

        @Override
        public String servedBy() {
            return "";
        }
    }

    @Test
    void aThreadThatHurriesMakesNoPausesUntilItRests() throws Exception {
        LoadSettings.Shape shape = new LoadSettings.Shape(1, HOURS_MILLIS, 42, false, 0, HOURS_MILLIS);
        LoadThread load = new LoadThread(new Bank(), "c1-t1", shape, System.nanoTime(), Optional.empty());
        load.hurry(true);
        Thread thread = new Thread(load, "load");
        thread.start();
        Awaitility.await().atMost(LIMIT).until(() -> load.ok() > 1_000);
        load.hurry(false);
        Awaitility.await().atMost(LIMIT).until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        long before = load.calls();
        load.hurry(true);
        assertEquals(before, load.calls(), "a pause that has begun lasts");
        thread.interrupt();
        thread.join(LIMIT.toMillis());
        assertFalse(thread.isAlive());
        assertEquals(0, load.repeated() + load.missing() + load.defects());
    }

    @Test
    void aThreadThatIsHeldMakesNoCallAndGoesOnAfterwards() throws Exception {
        LoadSettings.Shape shape = LoadSettings.Shape.full(1, HOURS_MILLIS, 42);
        LoadThread load = new LoadThread(new Bank(), "c1-t1", shape, System.nanoTime(), Optional.empty());
        Thread thread = new Thread(load, "load");
        thread.start();
        Awaitility.await().atMost(LIMIT).until(() -> load.ok() > 100);
        assertFalse(load.isAtRest());
        load.hold(true);
        Awaitility.await().atMost(LIMIT).until(load::isAtRest);
        long calls = load.calls();
        AccountRecord record = load.accounts().get(0);
        Awaitility.await().during(Duration.ofMillis(100)).atMost(LIMIT).until(() -> load.calls() == calls);
        assertEquals(record, load.accounts().get(0));
        load.hold(false);
        Awaitility.await().atMost(LIMIT).until(() -> load.calls() > calls && !load.isAtRest());
        load.stop();
        thread.join(LIMIT.toMillis());
        assertFalse(thread.isAlive());
        assertEquals(0, load.repeated() + load.missing() + load.defects());
    }

    @Test
    void aThreadThatIsHeldCanBeStopped() throws Exception {
        LoadSettings.Shape shape = LoadSettings.Shape.full(1, HOURS_MILLIS, 42);
        LoadThread load = new LoadThread(new Bank(), "c1-t1", shape, System.nanoTime(), Optional.empty());
        load.hold(true);
        Thread thread = new Thread(load, "load");
        thread.start();
        Awaitility.await().atMost(LIMIT).until(load::isAtRest);
        load.stop();
        thread.join(LIMIT.toMillis());
        assertFalse(thread.isAlive());
        assertEquals(0, load.calls());
    }
}
