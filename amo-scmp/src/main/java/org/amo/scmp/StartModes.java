package org.amo.scmp;

import java.util.Arrays;

/**
 * The ways in which a server may begin. The right one depends on the known history of the server's name; each comment states
 * the condition. When in doubt, choose a restart: it refuses too much for a while, never too little.
 */
public class StartModes {
    private final ScmpOptions options;

    StartModes(ScmpOptions options) {
        this.options = options;
    }

    public static StartModes of(ScmpOptions options) {
        return new StartModes(options);
    }

    /** Stable storage, still empty, because this server name never existed. */
    public Beginning firstCreation(long nowMicros) {
        return new Beginning(stored(Long.MIN_VALUE), weakest(nowMicros), Long.MIN_VALUE);
    }

    /** Stable storage with the value that it holds. */
    public Beginning recovered(long storedMicros, long nowMicros) {
        return new Beginning(stored(storedMicros), recoveredUpper(storedMicros, nowMicros), holdAfter(nowMicros));
    }

    /**
     * Stable storage that is empty though the name may have existed. Refuses all messages that the server may have accepted:
     * all up to G.time + β. Safe if the clock has not run backwards since, and β was not made smaller.
     */
    public Beginning storageLost(long nowMicros) {
        long upper = nowMicros + options.betaMicros();
        return new Beginning(stored(upper), same(upper), holdAfter(nowMicros));
    }

    /** No storage; this server name never existed, and will not exist again after a crash unless as a restart. */
    public Beginning volatileFirstCreation(long nowMicros) {
        return new Beginning(ofClock(), weakest(nowMicros), Long.MIN_VALUE);
    }

    /**
     * No storage; the name may have existed without storage. Safe if the clock has not run backwards since, and ε was not made
     * smaller.
     */
    public Beginning volatileRestart(long nowMicros) {
        return new Beginning(ofClock(), restartedUpper(nowMicros), holdAfter(nowMicros));
    }

    /** {@code G.upper} after a crash with stable storage: everything accepted before has a timestamp up to the stored one. */
    long[] recoveredUpper(long storedMicros, long nowMicros) {
        return same(storedMicros);
    }

    /**
     * {@code G.upper} after a crash without storage. "Refuses all messages for a period of epsilon, then sets G.upper to G.time": the
     * same, said at once.
     */
    long[] restartedUpper(long nowMicros) {
        return same(nowMicros + options.skewMicros());
    }

    /**
     * "The minimum of zero and G.time - ρ": a server that never existed has accepted nothing, so any bound is safe, and the
     * weakest one keeps {@code upper <= G.time - ρ}.
     */
    final long[] weakest(long nowMicros) {
        long[] upper = minusRetention(nowMicros);
        Arrays.setAll(upper, i -> Math.min(0, upper[i]));
        return upper;
    }

    final long[] minusRetention(long nowMicros) {
        long[] upper = same(0);
        Arrays.setAll(upper, i -> nowMicros - options.retentionMicros().get(i));
        return upper;
    }

    final long[] same(long micros) {
        long[] upper = new long[options.retentionMicros().size()];
        Arrays.fill(upper, micros);
        return upper;
    }

    /** Nothing is collected for the longest ρ after a restart (section 2.4). */
    private long holdAfter(long nowMicros) {
        return nowMicros
                + options.retentionMicros().stream()
                        .mapToLong(Long::longValue)
                        .max()
                        .orElseThrow();
    }

    LatestBound stored(long storedMicros) {
        return new LatestBound.Stored(options, storedMicros);
    }

    private LatestBound ofClock() {
        return new LatestBound.OfClock(options.skewMicros());
    }

    MessageFilter filter(MessageFilter.Keeper keeper, LatestBound latest, long[] upperMicros, long collectFromMicros) {
        return new MessageFilter(options, keeper, latest, upperMicros, collectFromMicros);
    }

    /** A chosen way; it begins one server. */
    public final class Beginning {
        private final LatestBound latest;
        private final long[] upperMicros;
        private final long collectFromMicros;

        private Beginning(LatestBound latest, long[] upperMicros, long collectFromMicros) {
            this.latest = latest;
            this.upperMicros = upperMicros;
            this.collectFromMicros = collectFromMicros;
        }

        /** The filter, for a component that keeps more than timestamps for each slot. Call it once. */
        public MessageFilter filter(MessageFilter.Keeper keeper) {
            return StartModes.this.filter(keeper, latest, upperMicros.clone(), collectFromMicros);
        }
    }
}
