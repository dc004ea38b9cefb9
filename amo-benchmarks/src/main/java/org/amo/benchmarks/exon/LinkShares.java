package org.amo.benchmarks.exon;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.amo.benchmarks.figures.Spread;
import org.amo.benchmarks.link.LinkEmulator;

/** Two flows that send through one link at the same time, and the share of each. One thread owns it. */
final class LinkShares {
    private static final long LATER_MILLIS = 500;

    private final Stack first;
    private final Stack second;
    private final int bytes;
    private final List<Double> shares = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    LinkShares(Stack first, Stack second, int bytes) {
        this.first = first;
        this.second = second;
        this.bytes = bytes;
    }

    /** @param rampMillis in which they find their shares */
    void run(LinkEmulator link, boolean secondBegins, long rampMillis, long millis) throws Exception {
        try (Flow one = (secondBegins ? second : first).flow(link, bytes, 0)) {
            TimeUnit.MILLISECONDS.sleep(LATER_MILLIS);
            try (Flow other = (secondBegins ? first : second).flow(link, bytes, 0)) {
                TimeUnit.MILLISECONDS.sleep(rampMillis);
                double before = one.completed();
                double beforeOther = other.completed();
                TimeUnit.MILLISECONDS.sleep(millis);
                double ofOne = one.completed() - before;
                double ofOther = other.completed() - beforeOther;
                shares.add((secondBegins ? ofOther : ofOne) / (ofOne + ofOther));
                note(one);
                note(other);
            }
        }
    }

    private void note(Flow flow) {
        if (!flow.failure().isEmpty()) {
            failures.add("side by side: " + flow.failure());
        }
    }

    /** Of the first, from 0 to 1. */
    Spread first() {
        return Spread.of(shares);
    }

    List<String> failures() {
        return failures;
    }
}
