package org.amo.lab.attack;

import java.util.Locale;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.amo.benchmarks.ProcessTime.Spent;

/**
 * The time before the first measurement. Members that are compiled under attack need more than twice the processor time of
 * compiled ones, and an attack was blamed for it: 0.64 of the honest rate in place of 0.86, with 100,000 clients.
 */
final class AttackWarmUp {
    private AttackWarmUp() {}

    /**
     * Waits until the compilers have little left to do, or for the longest time of the settings.
     *
     * @param spent processor time of the members' processes up to now
     * @param supervise waits so many milliseconds
     * @return what was left to do at the end of the longest time, as a sentence; empty if the members are warm
     */
    static Optional<String> await(AttackSettings settings, Supplier<Spent> spent, LongConsumer supervise) {
        supervise.accept(settings.leastWarmUpMillis());
        double share = 1;
        Spent before = spent.get();
        for (long millis = settings.leastWarmUpMillis();
                millis < settings.mostWarmUpMillis();
                millis += settings.warmUpTurnMillis()) {
            supervise.accept(settings.warmUpTurnMillis());
            Spent now = spent.get();
            Spent turn = now.since(before);
            if (turn.isWarm()) {
                return Optional.empty();
            }
            share = turn.compilerShare();
            before = now;
        }
        return Optional.of(String.format(
                Locale.ROOT,
                "compilers still took %.0f %% of the members' processor time when the measurement began, so warm members do better",
                100 * share));
    }
}
