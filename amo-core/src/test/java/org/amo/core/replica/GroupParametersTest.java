package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.UnaryOperator;
import org.amo.core.request.Principal;
import org.junit.jupiter.api.Test;

/** Which parameters fit together: each limit from both sides, and a message with the values. */
final class GroupParametersTest {
    private static final long DAY = 24L * 3_600_000;

    @Test
    void theDefaultsAreTheDocumentedOnes() {
        GroupParameters defaults = GroupParameters.defaults();
        assertEquals(5 * 60_000, defaults.retentionMillis());
        assertEquals(2_000, defaults.skewMillis());
        assertEquals(10 * 60_000, defaults.lifeMillis());
        assertEquals(60_000, defaults.defaultDeadlineMillis());
        assertEquals(256L << 20, defaults.budgetBytes());
        assertEquals(64L << 20, defaults.foreignBudgetBytes());
        assertEquals(512, defaults.replyAllowanceBytes());
        assertEquals(1_500_000, defaults.maxClients());
        assertEquals(100_000, defaults.maxEntriesPerClient());
        assertEquals(20_000, defaults.maxRangesPerClient());
        assertEquals(2, defaults.clientShare());
        assertEquals(2, defaults.principalShare());
        assertEquals(0, defaults.clientCallsPerSecond());
        assertEquals(0, defaults.principalCallsPerSecond());
        assertEquals(1, defaults.weight(Principal.UNKNOWN));
    }

    @Test
    void timesAreOneMillisecondAtLeast() {
        permitted(with ->
                with.skewMillis(1).lifeMillis(1).defaultDeadlineMillis(1).retentionMillis(2));
        refused(with -> with.skewMillis(0), "skew=0");
        refused(with -> with.lifeMillis(0), "life=0");
        refused(with -> with.defaultDeadlineMillis(0), "deadline=0");
    }

    @Test
    void retentionIsTwiceTheDefaultDeadlineAtLeast() {
        permitted(with -> with.defaultDeadlineMillis(1_000).retentionMillis(2_000));
        refused(with -> with.defaultDeadlineMillis(1_000).retentionMillis(1_999), "retention=1999 deadline=1000");
    }

    @Test
    void lifeIsNotShorterThanTheDefaultDeadline() {
        permitted(with -> with.defaultDeadlineMillis(1_000).lifeMillis(1_000));
        refused(with -> with.defaultDeadlineMillis(1_000).lifeMillis(999), "life=999 deadline=1000");
    }

    /** Entries that are live together keep their times as ints. */
    @Test
    void retentionSkewAndTwiceTheLifeAre24DaysAtMost() {
        permitted(with -> with.retentionMillis(3 * DAY).skewMillis(DAY).lifeMillis(10 * DAY));
        refused(with -> with.retentionMillis(3 * DAY).skewMillis(DAY + 1).lifeMillis(10 * DAY), "24 days");
        refused(with -> with.retentionMillis(3 * DAY + 1).skewMillis(DAY).lifeMillis(10 * DAY), "24 days");
        refused(with -> with.retentionMillis(3 * DAY).skewMillis(DAY).lifeMillis(10 * DAY + 1), "24 days");
    }

    /** A sum that overflows is no way around the limit. */
    @Test
    void noTimeIsLongerThan24DaysByItself() {
        refused(with -> with.retentionMillis(Long.MAX_VALUE), "24 days");
        refused(with -> with.skewMillis(Long.MAX_VALUE), "24 days");
        refused(with -> with.lifeMillis(Long.MAX_VALUE), "24 days");
        refused(with -> with.lifeMillis(Long.MAX_VALUE / 2 + 1), "24 days");
    }

    @Test
    void budgetsArePositiveAndTheAllowanceMayBeNothing() {
        permitted(with -> with.budgetBytes(1)
                .foreignBudgetBytes(1)
                .replyAllowanceBytes(0)
                .maxClients(1)
                .maxEntriesPerClient(1)
                .maxRangesPerClient(1));
        refused(with -> with.budgetBytes(0), " bytes=0");
        refused(with -> with.foreignBudgetBytes(0), "foreignBytes=0");
        refused(with -> with.replyAllowanceBytes(-1), "allowance=-1");
        refused(with -> with.maxClients(0), "clients=0");
        refused(with -> with.maxEntriesPerClient(0), "entries=0");
        refused(with -> with.maxRangesPerClient(0), "ranges=0");
    }

    @Test
    void sharesAreOneToAMillion() {
        permitted(with -> with.clientShare(1).principalShare(1));
        permitted(with -> with.clientShare(1_000_000).principalShare(1_000_000));
        refused(with -> with.clientShare(0), "client=0");
        refused(with -> with.clientShare(1_000_001), "client=1000001");
        refused(with -> with.principalShare(0), "principal=0");
        refused(with -> with.principalShare(1_000_001), "principal=1000001");
    }

    @Test
    void ratesAreNotNegative() {
        permitted(with -> with.clientCallsPerSecond(1).principalCallsPerSecond(1));
        refused(with -> with.clientCallsPerSecond(-1), "client=-1");
        refused(with -> with.principalCallsPerSecond(-1), "principal=-1");
    }

    @Test
    void aThousandPrincipalsHaveAWeightOfOneToAMillion() {
        permitted(with -> with.weight(Principal.UNKNOWN, 1));
        assertEquals(
                1_000_000,
                permitted(with -> with.weight(Principal.UNKNOWN, 1_000_000)).weight(Principal.UNKNOWN));
        refused(with -> with.weight(Principal.UNKNOWN, 0), "weight of 1 to 1000000");
        refused(with -> with.weight(Principal.UNKNOWN, 1_000_001), "weight of 1 to 1000000");
        permitted(with -> weights(with, 1_000));
        refused(with -> weights(with, 1_001), "at most 1000 principals");
    }

    private static GroupParameters.Builder weights(GroupParameters.Builder with, int count) {
        for (int each = 0; each < count; each++) {
            with.weight(new Principal(each), 2);
        }
        return with;
    }

    private static GroupParameters permitted(UnaryOperator<GroupParameters.Builder> change) {
        return change.apply(GroupParameters.builder()).build();
    }

    private static void refused(UnaryOperator<GroupParameters.Builder> change, String says) {
        GroupParameters.Builder builder = change.apply(GroupParameters.builder());
        String message =
                assertThrows(IllegalArgumentException.class, builder::build).getMessage();
        assertTrue(message.contains(says), message);
    }
}
