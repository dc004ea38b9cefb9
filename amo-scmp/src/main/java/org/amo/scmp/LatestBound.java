package org.amo.scmp;

import java.util.OptionalLong;

/**
 * Bounds the timestamps that may be accepted (rule 1 of figure 2-2). No message with a timestamp above {@code latest} is
 * accepted, so after a crash a bound above all messages accepted before the crash is known. One thread owns the bound.
 */
abstract class LatestBound {
    /** The largest timestamp that may be accepted. */
    abstract long latestMicros(long nowMicros);

    /** A value to make durable now, answered by {@link #onStored} or {@link #onStoreFailed}; at most one is out. */
    OptionalLong toStore(long nowMicros) {
        return OptionalLong.empty();
    }

    void onStored(long latestMicros) {
        throw new IllegalStateException("this receiver stores nothing, and was told of " + latestMicros);
    }

    void onStoreFailed() {
        throw new IllegalStateException("this receiver stores nothing");
    }

    /** The alternative of section 2.2: G.time + ε, for a clock that never runs backwards, across crashes too. */
    static final class OfClock extends LatestBound {
        private final long skewMicros;

        OfClock(long skewMicros) {
            this.skewMicros = skewMicros;
        }

        @Override
        long latestMicros(long nowMicros) {
            return nowMicros + skewMicros;
        }
    }

    /** G.latest, on stable storage. */
    static class Stored extends LatestBound {
        private final ScmpOptions options;
        private long storedMicros;

        // Invariant: latest <= every value that stable storage can come back with after a crash.
        private long latestMicros;
        private boolean writing;
        private boolean asked;
        private long askedAtMicros;

        /** @param storedMicros the value in stable storage; {@code Long.MIN_VALUE} for none */
        Stored(ScmpOptions options, long storedMicros) {
            this.options = options;
            this.storedMicros = storedMicros;
            // Until the first write is durable, nothing above the stored value can be accepted. The upper of a
            // recovered server is that value, so the server accepts nothing.
            this.latestMicros = storedMicros;
        }

        @Override
        long latestMicros(long nowMicros) {
            return latestMicros;
        }

        @Override
        OptionalLong toStore(long nowMicros) {
            // A clock that stepped back does not stop the writes; the written value never falls.
            boolean due =
                    !asked || nowMicros < askedAtMicros || nowMicros - askedAtMicros >= options.storeIntervalMicros();
            if (writing || !due) {
                return OptionalLong.empty();
            }
            long ahead = nowMicros + options.betaMicros();
            long value = toBeStored(storedMicros, ahead);
            writing = true;
            asked = true;
            askedAtMicros = nowMicros;
            return OptionalLong.of(value);
        }

        /** The next value: the clock may have stepped back, and the stored value must not fall. */
        long toBeStored(long present, long ahead) {
            return Math.max(present, ahead);
        }

        @Override
        void onStored(long value) {
            writing = false;
            storedMicros = value;
            latestMicros = value;
        }

        @Override
        void onStoreFailed() {
            writing = false;
        }
    }
}
