package org.amo.lab.attack;

import java.util.Locale;
import org.amo.cli.Terminal;

/** Tells a person how far a series of attacks has come, and how long the rest will take. Any thread. */
final class AttackProgress {
    /** Of an attack, besides the attack itself and a sixth: the start of groups, and comparisons. */
    private static final long BESIDES_MILLIS = 25_000;

    private final Terminal.Progress progress;
    private final int all;
    private final long attackMillis;
    private final long startNanos = System.nanoTime();

    // Guarded by this.
    private int done;

    /** @param durationMillis of each attack */
    AttackProgress(Terminal.Progress progress, int all, long durationMillis) {
        this.progress = progress;
        this.all = all;
        this.attackMillis = durationMillis + durationMillis / 6 + BESIDES_MILLIS;
    }

    void event(String line) {
        progress.accept(line);
    }

    /** An attack has ended; its result is printed next. One that runs again alone counts once more. */
    synchronized void done() {
        done = Math.min(all, done + 1);
        end();
    }

    void end() {
        progress.end();
    }

    synchronized void now(String line) {
        progress.state(state(done, all, (System.nanoTime() - startNanos) / 1_000_000, attackMillis) + "; " + line);
    }

    static String state(int done, int all, long spentMillis, long attackMillis) {
        long each = done == 0 ? attackMillis : spentMillis / done;
        return String.format(
                Locale.ROOT, "%d of %d attacks, %,d min left", done, all, ((all - done) * each + 59_999) / 60_000);
    }
}
