package org.amo.dpg;

import org.jspecify.annotations.Nullable;

/** The clock of another site as its reports tell it: how old a report is, and how much faster than here that clock runs. */
final class RemoteClock {
    /** Clocks drift apart by less than one part in so many. */
    private static final long MOST_DRIFT = 1_000;

    private static final double MOST_MILLIONTHS = 1_000_000.0 / MOST_DRIFT;

    private final long windowMicros;
    private boolean heard;
    /** Least difference seen between this site's clock and that one's, and when: the excess over it is delay. */
    private long leastOffsetMicros;

    private long offsetAtMicros;
    private long issuedMicros;

    private @Nullable Sample base;
    private @Nullable Sample least;
    private long windowEndMicros;
    private boolean hasRate;
    private double millionths;

    /** The report of a window that was least delayed. */
    private record Sample(long atMicros, long offsetMicros) {}

    /** @param windowMicros in each of these the least delayed report counts for the rate; 0 for no rate at all */
    RemoteClock(long windowMicros) {
        this.windowMicros = windowMicros;
    }

    void onReport(long theirMicros, long nowMicros) {
        long offset = nowMicros - theirMicros;
        // Else an old least offset would make each report look late some day.
        long drift = (nowMicros - offsetAtMicros) / MOST_DRIFT;
        if (!heard || offset < leastOffsetMicros + drift) {
            leastOffsetMicros = offset;
            offsetAtMicros = nowMicros;
        } else {
            leastOffsetMicros += drift;
            offsetAtMicros += drift * MOST_DRIFT;
        }
        heard = true;
        issuedMicros = Math.min(nowMicros, theirMicros + leastOffsetMicros);
        if (windowMicros > 0) {
            estimate(new Sample(nowMicros, offset));
        }
    }

    /** When the latest report was issued, by this site's clock; later than the truth by no more than the least delay. */
    long issuedMicros() {
        return issuedMicros;
    }

    boolean hasRate() {
        return hasRate;
    }

    /** How much faster than this site's clock that one runs, in millionths. */
    double millionths() {
        return millionths;
    }

    private void estimate(Sample sample) {
        if (least == null || sample.atMicros >= windowEndMicros) {
            if (least != null) {
                close(least);
            }
            least = sample;
            windowEndMicros = sample.atMicros + windowMicros;
        } else if (sample.offsetMicros < least.offsetMicros) {
            least = sample;
        }
    }

    private void close(Sample window) {
        if (base != null && window.atMicros > base.atMicros) {
            double drift = 1e6 * (base.offsetMicros - window.offsetMicros) / (window.atMicros - base.atMicros);
            if (Math.abs(drift) <= MOST_MILLIONTHS) {
                millionths = hasRate ? millionths + (drift - millionths) / 4 : drift;
                hasRate = true;
            }
        }
        base = window;
    }
}
