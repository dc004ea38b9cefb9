package org.amo.benchmarks.link;

/**
 * One direction of a link; both are alike.
 *
 * @param delayMicros one way
 * @param megabitsPerSecond 0 for no limit
 * @param loss probability that a packet is lost before it takes up any of the rate
 * @param queueBytes that wait for the rate; more are dropped
 * @param duplication probability that a packet arrives twice; the copy takes up the rate as well
 * @param reordering probability that a packet is held for up to reorderMicros longer, so that later ones overtake it
 * @param reorderMicros the longest such time
 * @param seed of the random events
 */
public record LinkSettings(
        long delayMicros,
        double megabitsPerSecond,
        double loss,
        int queueBytes,
        double duplication,
        double reordering,
        long reorderMicros,
        long seed) {
    public LinkSettings {
        if (delayMicros < 0 || megabitsPerSecond < 0 || queueBytes < 1 || reorderMicros < 0) {
            throw new IllegalArgumentException("no such link: delayMicros=" + delayMicros + " megabitsPerSecond="
                    + megabitsPerSecond + " queueBytes=" + queueBytes + " reorderMicros=" + reorderMicros);
        }
        requireShare("loss", loss);
        requireShare("duplication", duplication);
        requireShare("reordering", reordering);
    }

    private static void requireShare(String what, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException(what + " must be 0 to 1: " + value);
        }
    }

    /** Only a delay. */
    public static LinkSettings delay(long delayMicros) {
        return new LinkSettings(delayMicros, 0, 0, 1 << 20, 0, 0, 0, 1);
    }

    /** The same with a rate, and a queue before it. */
    public LinkSettings rate(double megabits, int queue) {
        return new LinkSettings(delayMicros, megabits, loss, queue, duplication, reordering, reorderMicros, seed);
    }

    /** The same with losses. */
    public LinkSettings loss(double share) {
        return new LinkSettings(
                delayMicros, megabitsPerSecond, share, queueBytes, duplication, reordering, reorderMicros, seed);
    }

    /** The same with copies. */
    public LinkSettings duplication(double share) {
        return new LinkSettings(
                delayMicros, megabitsPerSecond, loss, queueBytes, share, reordering, reorderMicros, seed);
    }

    /** The same with packets that are overtaken. */
    public LinkSettings reordering(double share, long mostMicros) {
        return new LinkSettings(delayMicros, megabitsPerSecond, loss, queueBytes, duplication, share, mostMicros, seed);
    }

    /** The same with packets that each take up to so much longer, and so overtake each other. */
    public LinkSettings jitter(long mostMicros) {
        return reordering(1, mostMicros);
    }

    /** The same with other chances. */
    public LinkSettings seed(long other) {
        return new LinkSettings(
                delayMicros, megabitsPerSecond, loss, queueBytes, duplication, reordering, reorderMicros, other);
    }
}
