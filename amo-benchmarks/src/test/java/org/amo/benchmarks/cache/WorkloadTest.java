package org.amo.benchmarks.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The workload finds what it is there to find. */
final class WorkloadTest {
    private static final int CLIENTS = 20;
    private static final long MILLIS = 40_000;

    private static Workload.Result run(ReplyCache cache, PruningPolicy policy) {
        return new Workload(cache, policy == PruningPolicy.LEASE, CLIENTS, MILLIS, 1).run();
    }

    @ParameterizedTest
    @EnumSource(PruningPolicy.class)
    void noPolicyOfOursRunsALateCopyAgain(PruningPolicy policy) {
        Workload.Result result =
                run(new PrunedReplies(policy, Workload.RETENTION_MILLIS, Workload.SKEW_MILLIS), policy);
        assertTrue(result.lateCopies() > 100, "late copies arrived: " + result.lateCopies());
        assertEquals(0, result.lateExecuted());
    }

    @ParameterizedTest
    @EnumSource(
            value = PruningPolicy.class,
            names = {"TIMEOUT", "NEXT", "SACK"})
    void theFormsThatThePapersPrintDo(PruningPolicy policy) {
        assertTrue(run(new PrintedForm(policy, Workload.SKEW_MILLIS), policy).lateExecuted() > 0);
    }

    @Test
    void acknowledgedEntriesAreFarFewerThanThoseThatWaitForTheirDeadline() {
        double timeout = run(
                        new PrunedReplies(PruningPolicy.TIMEOUT, Workload.RETENTION_MILLIS, Workload.SKEW_MILLIS),
                        PruningPolicy.TIMEOUT)
                .entries();
        double sack = run(
                        new PrunedReplies(PruningPolicy.SACK, Workload.RETENTION_MILLIS, Workload.SKEW_MILLIS),
                        PruningPolicy.SACK)
                .entries();
        assertTrue(timeout > 20 * sack, timeout + " and " + sack);
        assertTrue(sack <= 2.0 * CLIENTS * Workload.THREADS_A_CLIENT, "about one a thread: " + sack);
    }
}
