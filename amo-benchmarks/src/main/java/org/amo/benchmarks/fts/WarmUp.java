package org.amo.benchmarks.fts;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.amo.benchmarks.Bench.Run;

/**
 * Lets sides run until their programs are compiled. Four processes that compile at once on two processors need most of
 * a minute, in which they are several times slower than afterwards; earlier measurements show the compiler's speed.
 */
final class WarmUp {
    private static final long TURN_MILLIS = 2_500;
    /** Not as long as one wishes, but as long as there is. */
    private static final long QUICK_MILLIS = 4_000;

    private static final long FULL_MILLIS = TimeUnit.MINUTES.toMillis(3);

    private WarmUp() {}

    /** In turns, each side until it is warm or has had its time. */
    static void all(Run run, List<Side> sides) throws InterruptedException {
        long most = run.quick() ? QUICK_MILLIS : FULL_MILLIS;
        boolean[] warm = new boolean[sides.size()];
        for (long spent = 0; spent < most; spent += TURN_MILLIS) {
            boolean allWarm = true;
            for (int i = 0; i < warm.length; i++) {
                if (!warm[i]) {
                    warm[i] = isWarm(run, sides.get(i), Math.min(TURN_MILLIS, most - spent));
                    allWarm &= warm[i];
                }
            }
            if (allWarm) {
                return;
            }
        }
    }

    private static boolean isWarm(Run run, Side side, long millis) throws InterruptedException {
        Side.Turn turn = side.turn(millis);
        run.progress()
                .accept(String.format(
                        Locale.ROOT,
                        "warm-up, %s: %.0f/s, %.0f %% of the processor time is the compiler's",
                        side.name(),
                        turn.callsPerSecond(),
                        100 * turn.spent().compilerShare()));
        return turn.spent().isWarm();
    }
}
