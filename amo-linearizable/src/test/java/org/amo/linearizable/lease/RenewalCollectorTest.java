package org.amo.linearizable.lease;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.amo.linearizable.lease.LeaseAnswer.Status;
import org.junit.jupiter.api.Test;

/** Renewals are ordered together, and confirmed when they are ordered (row R12). */
final class RenewalCollectorTest {
    private static final long GATHER = 50;

    private final List<String> log = new ArrayList<>();
    private final RenewalCollector<String> collector = new RenewalCollector<>(GATHER, 3, 5, new Log());

    @Test
    void whatComesWithinTheTimeIsOneEntryEachClientOnceAndRising() {
        assertEquals(Long.MAX_VALUE, collector.nextDeadline());
        assertTrue(collector.onRenewal("a", new LeaseId(9), 1_000));
        assertTrue(collector.onRenewal("b", new LeaseId(4), 1_030));
        assertEquals(1_050, collector.nextDeadline(), "counted from the first one");
        collector.onTick(1_049);
        assertEquals(List.of(), log);
        collector.onTick(1_050);
        assertEquals(List.of("order 1 [4, 9]"), log);
        assertEquals(Long.MAX_VALUE, collector.nextDeadline());
    }

    @Test
    void aClientThatAsksTwiceIsOrderedOnceAndToldTwice() {
        collector.onRenewal("first", new LeaseId(4), 0);
        collector.onRenewal("again", new LeaseId(4), 1);
        collector.onTick(GATHER);
        collector.onOrdered(1, renewed());
        assertEquals(List.of("order 1 [4]", "first 4 LIVE 1500", "again 4 LIVE 1500"), log);
    }

    @Test
    void aFullBatchLeavesAtOnce() {
        for (int client = 1; client <= 4; client++) {
            collector.onRenewal("c" + client, new LeaseId(client), 0);
        }
        assertEquals(List.of("order 1 [1, 2, 3]"), log);
        assertEquals(GATHER, collector.nextDeadline(), "the fourth waits for others");
    }

    /** Plants renewal-before-order and ended-lease-confirmed take these out. */
    @Test
    void nobodyIsToldBeforeItIsOrderedAndThenWhatWasOrdered() {
        collector.onRenewal("a", new LeaseId(4), 0);
        collector.onRenewal("b", new LeaseId(9), 0);
        collector.onTick(GATHER);
        assertEquals(List.of("order 1 [4, 9]"), log);
        collector.onOrdered(1, renewed(9));
        assertEquals(List.of("order 1 [4, 9]", "a 4 LIVE 1500", "b 9 EXPIRED 500"), log);
        collector.onOrdered(1, renewed());
        collector.onFailed(1);
        assertEquals(3, log.size(), "a second word on a batch does not count");
        assertEquals(0, collector.waiting());
    }

    @Test
    void whatIsNotKnownIsNotConfirmed() {
        collector.onRenewal("a", new LeaseId(4), 0);
        collector.onTick(GATHER);
        collector.onFailed(1);
        collector.onOrdered(1, renewed());
        assertEquals(List.of("order 1 [4]", "a unanswered"), log);
    }

    @Test
    void moreThanMayWaitAreNotTakenUntilSomeWereAnswered() {
        for (int client = 1; client <= 5; client++) {
            assertTrue(collector.onRenewal("c" + client, new LeaseId(client), 0));
        }
        assertFalse(collector.onRenewal("c6", new LeaseId(6), 0));
        collector.onOrdered(1, renewed());
        assertTrue(collector.onRenewal("c6", new LeaseId(6), 0));
        assertThrows(IllegalArgumentException.class, () -> new RenewalCollector<>(GATHER, 3, 2, new Log()));
    }

    @Test
    void theLeastSettingsAreTakenAndWhatIsBelowThemIsNot() {
        RenewalCollector<String> least = new RenewalCollector<>(0, 1, 1, new Log());
        assertTrue(least.onRenewal("a", new LeaseId(4), 0));
        assertEquals(List.of("order 1 [4]"), log, "a batch of one is full");
        assertThrows(IllegalArgumentException.class, () -> new RenewalCollector<>(-1, 1, 1, new Log()));
        assertThrows(IllegalArgumentException.class, () -> new RenewalCollector<>(0, 0, 1, new Log()));
    }

    @Test
    void renewalsOfAllBatchesWaitUntilTheirOwnBatchIsKnown() {
        for (int client = 1; client <= 5; client++) {
            collector.onRenewal("c" + client, new LeaseId(client), 0);
        }
        assertEquals(5, collector.waiting());
        collector.onFailed(1);
        assertEquals(2, collector.waiting());
        collector.onTick(GATHER);
        assertEquals(2, collector.waiting(), "ordered is not known yet");
        collector.onOrdered(2, renewed());
        assertEquals(0, collector.waiting());
    }

    @Test
    void theAuthorityRenewsManyAsItRenewsEach() {
        LeaseAuthority authority = new LeaseAuthority(1_000, 10);
        LeaseId early = authority.open(new ClusterTime(0), 0).client();
        LeaseId late = authority.open(new ClusterTime(600), 0).client();
        Renewed renewed = authority.renew(new long[] {early.value(), late.value(), 7}, new ClusterTime(1_100));
        assertEquals(
                new LeaseAnswer(Status.LIVE, late, new ClusterTime(2_100), new ClusterTime(1_100)), renewed.of(late));
        assertEquals(Status.EXPIRED, renewed.of(early).status(), "its end had come");
        assertEquals(Status.EXPIRED, renewed.of(new LeaseId(7)).status(), "it was never granted");
        assertEquals(
                new ClusterTime(2_100),
                authority.check(late, new ClusterTime(2_099)).expires());
        assertFalse(authority.check(early, new ClusterTime(1_100)).isLive(), "and is never live again");
    }

    /** A member that gathered renewals in any order is told the ended ones so that each client finds itself. */
    @Test
    void endedLeasesAreNamedRisingWhateverOrderTheyWereAskedIn() {
        LeaseAuthority authority = new LeaseAuthority(1_000, 10);
        Renewed renewed = authority.renew(new long[] {9, 4, 7}, new ClusterTime(0));
        assertArrayEquals(new long[] {4, 7, 9}, renewed.ended());
        for (long client : new long[] {4, 7, 9}) {
            assertEquals(Status.EXPIRED, renewed.of(new LeaseId(client)).status());
        }
    }

    private static Renewed renewed(long... ended) {
        return new Renewed(new ClusterTime(1_500), new ClusterTime(500), ended);
    }

    private final class Log implements RenewalCollectorEffects<String> {
        @Override
        public void order(long batch, long[] clients) {
            log.add("order " + batch + " " + Arrays.toString(clients));
        }

        @Override
        public void answer(String asker, LeaseAnswer answer) {
            log.add(asker + " " + answer.client().value() + " " + answer.status() + " "
                    + answer.expires().millis());
        }

        @Override
        public void unanswered(String asker) {
            log.add(asker + " unanswered");
        }
    }
}
