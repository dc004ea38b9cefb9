package org.amo.benchmarks.link;

/**
 * One direction of a link; both are alike.
 *
 * @param delayMicros one way
 * @param megabitsPerSecond 0 for no limit
 * @param loss probability that a packet is lost before it takes up any of the rate
 * @param queueBytes that wait for the rate; more are dropped
 * @param seed of the losses
 */
public record LinkSettings(long delayMicros, double megabitsPerSecond, double loss, int queueBytes, long seed) {
    public LinkSettings {
        if (delayMicros < 0 || megabitsPerSecond < 0 || loss < 0 || loss > 1 || queueBytes < 1) {
            throw new IllegalArgumentException("no such link: delayMicros=" + delayMicros + " megabitsPerSecond="
                    + megabitsPerSecond + " loss=" + loss + " (0 to 1) queueBytes=" + queueBytes);
        }
    }

    /** Only a delay. */
    public static LinkSettings delay(long delayMicros) {
        return new LinkSettings(delayMicros, 0, 0, 1 << 20, 1);
    }
}
