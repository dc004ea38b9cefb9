package org.amo.testkit.once;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.amo.once.ResultStore;
import org.amo.once.ResultStore.Fault;
import org.amo.testkit.once.InMemoryResultStore.Failure;
import org.amo.testkit.once.InMemoryResultStore.Numbers;

/** The contract over a store in memory, and over its mutants. */
abstract class InMemoryContract extends ResultStoreContract<Numbers, Failure> {
    /** Set by the tests. */
    static final class HandClock extends Clock {
        private Instant now = Instant.parse("2026-01-01T00:00:00Z");

        @Override
        public synchronized Instant instant() {
            return now;
        }

        synchronized void advance(Duration step) {
            now = now.plus(step);
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private HandClock clock = new HandClock();
    private InMemoryResultStore store = make(clock);

    /** The store or a mutant. */
    abstract InMemoryResultStore make(Clock clock);

    @Override
    protected ResultStore<Numbers, Failure> store() {
        return store;
    }

    @Override
    protected void reset() {
        clock = new HandClock();
        store = make(clock);
    }

    @Override
    protected void effect(Numbers numbers, String line) {
        numbers.add(line, 1);
    }

    @Override
    protected long effects(String line) {
        return store.get(line);
    }

    @Override
    protected long records() {
        return store.records();
    }

    @Override
    protected void expireAll() {
        store.expireAll();
    }

    @Override
    protected Instant now() {
        return clock.instant();
    }

    @Override
    protected void endLeases() {
        clock.advance(Duration.ofSeconds(11));
    }

    @Override
    protected boolean isOneWaiting() {
        return store.waiting() > 0;
    }

    @Override
    protected Failure lost() {
        return new Failure(Fault.LOST, "the connection was lost");
    }

    @Override
    protected Failure rolledBack() {
        return new Failure(Fault.ROLLED_BACK, "a conflict");
    }
}
