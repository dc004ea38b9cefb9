package org.amo.lab.blackbox;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** F8 with the paper's ten seconds and our default skew of two. */
@Tag("slow")
@Timeout(120)
final class PaperTimeoutTest {
    private static final long LIFE = 10_000;
    private static final long SKEW = 2_000;

    @Test
    void entriesFallToNothingTwelveSecondsAfterTheLastCall() {
        try (BankCluster group = BankCluster.start(
                BankCluster.Settings.bank("paper").main(ProbeServer.class).property("amo.skewMillis", "" + SKEW))) {
            new TimeoutPurge(group, LIFE, SKEW).check();
            group.awaitEqual();
        }
    }
}
