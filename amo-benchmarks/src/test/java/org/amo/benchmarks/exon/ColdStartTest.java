package org.amo.benchmarks.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;
import org.junit.jupiter.api.Test;

class ColdStartTest {
    private static final double PER_SECOND = 1_000;

    /** Carries nothing for a time, and then as many messages as a full link. */
    private static final class LateFlow extends Flow {
        private volatile boolean open = true;

        LateFlow(long silentMillis, double perSecond) {
            long begin = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(silentMillis);
            DaemonThreads.start("amo-test-flow", () -> {
                while (open) {
                    while (completed() < (System.nanoTime() - begin) * perSecond / 1e9) {
                        complete();
                    }
                    Thread.onSpinWait();
                }
            });
        }

        @Override
        public void close() {
            open = false;
        }
    }

    @Test
    void aStartCountsUntilTheLinkIsNineTenthsFull() throws Exception {
        ColdStart starts = new ColdStart(PER_SECOND, 10_000);
        assertEquals("", starts.run("late", () -> new LateFlow(400, PER_SECOND)));
        double seconds = starts.seconds("late").median();
        // The first window that is nine tenths full may begin a tenth of it before the flow does.
        assertTrue(seconds >= 0.3 && seconds < 9, "" + seconds);
    }

    @Test
    void aFlowThatNeverFillsTheLinkCountsAsTheLongestStart() throws Exception {
        ColdStart starts = new ColdStart(PER_SECOND, 500);
        assertEquals("", starts.run("slow", () -> new LateFlow(0, PER_SECOND / 2)));
        assertEquals(0.5, starts.seconds("slow").median());
    }
}
