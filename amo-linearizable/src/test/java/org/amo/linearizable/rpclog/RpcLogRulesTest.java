package org.amo.linearizable.rpclog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.lease.LeaseValidator;
import org.junit.jupiter.api.Test;

/** The rules of cleaning and recovery (sections IV-B to IV-D of Park's paper; rows R8 to R10), and where they are stricter. */
class RpcLogRulesTest {
    private static final LeaseId CLIENT = new LeaseId(9);
    private static final LeaseId OTHER = new LeaseId(10);
    private static final KeyRange LOW = new KeyRange(1, 0, 99);
    private static final KeyRange HIGH = new KeyRange(1, 100, -1);

    private final PendingRemovals removals = new PendingRemovals();
    private final LeaseValidator lease = new LeaseValidator();
    private final UnackedRpcResults table =
            new UnackedRpcResults(lease, RpcLogOptions.builder(7).build(), removals);
    private final Written written = new Written();

    RpcLogRulesTest() {
        lease.onLearned(lease.mustLearn(), new ClusterTime(1));
    }

    private static RpcRecord record(long number, long ackId, long hash) {
        return new RpcRecord(new RpcId(CLIENT, number), ackId, 1, hash, new byte[0]);
    }

    private static RpcHeader call(long number, long ackId) {
        return new RpcHeader(new RpcId(CLIENT, number), ackId, new ClusterTime(1_000), ClusterTime.ZERO);
    }

    private void run(long number, long ackId) {
        assertEquals(RpcVerdict.EXECUTE, table.start(call(number, ackId)));
        table.complete(new RpcId(CLIENT, number));
    }

    @Test
    void aRecordGoesWithTheLaterRecordThatSaysItIsAcknowledged() {
        run(1, 0);
        removals.addTo(written, List.of(record(1, 0, 5)), table);
        assertEquals(List.of(), written.log);
        assertEquals(RpcVerdict.EXECUTE, table.start(call(2, 1)));
        assertEquals(1, removals.size());
        removals.addTo(written, List.of(record(2, 1, 5)), table);
        assertEquals(List.of("remove 1"), written.log);
        assertEquals(0, removals.size());
    }

    @Test
    void aRecordThatOnlyMemoryKnowsToBeAcknowledgedLeavesABound() {
        run(1, 0);
        run(2, 0);
        table.start(call(3, 2));
        removals.addTo(written, List.of(), table);
        assertEquals(List.of("remove 1", "remove 2", "bound 2"), written.log);
    }

    @Test
    void aRecordThatGoesInTheSameBatchIsNoBound() {
        run(1, 0);
        table.start(call(2, 1));
        table.start(call(3, 2));
        table.complete(new RpcId(CLIENT, 2));
        removals.addTo(written, List.of(record(2, 1, 5)), table);
        assertEquals(List.of("remove 1", "remove 2", "bound 2"), written.log);
    }

    /** Call 3 acknowledges call 2 while it is written: its record is about to go, and what it says with it. */
    @Test
    void aRecordThatIsAcknowledgedBeforeItIsWrittenIsNoBoundEither() {
        run(1, 0);
        table.start(call(2, 1));
        table.start(call(3, 2));
        removals.addTo(written, List.of(record(2, 1, 5)), table);
        assertEquals(List.of("remove 1", "bound 2"), written.log);
    }

    @Test
    void aForgottenClientGoesWithEverything() {
        run(1, 0);
        table.start(call(2, 1));
        table.reset(new RpcId(CLIENT, 2));
        table.onLease(over(1_000));
        assertEquals(1, removals.size());
        removals.addTo(written, List.of(), table);
        assertEquals(List.of("remove all"), written.log);
    }

    private static LeaseAnswer over(long now) {
        return new LeaseAnswer(LeaseAnswer.Status.EXPIRED, CLIENT, new ClusterTime(now), new ClusterTime(now));
    }

    /** A claim about the own lease is believed, so the client may have a record again before its removal is written. */
    @Test
    void aForgottenClientGoesBeforeItsNextRecord() {
        run(1, 0);
        assertTrue(table.onLease(over(500)));
        assertEquals(RpcVerdict.EXECUTE, table.start(call(2, 1)));
        removals.addForgotten(written);
        written.putRecord(record(2, 1, 5));
        removals.addTo(written, List.of(record(2, 1, 5)), table);
        assertEquals(List.of("remove all", "record 2"), written.log);
        assertEquals(0, removals.size());
    }

    /** The record of 1 was staged before the removal of its client, which takes it: there is nothing to answer a retry from. */
    @Test
    void aCallFromBeforeItsClientWasForgottenIsNotCompletedBehindIt() {
        table.start(call(1, 0));
        table.start(call(2, 1));
        table.reset(new RpcId(CLIENT, 2));
        assertTrue(table.onLease(over(500)), "1 was given up");
        assertEquals(RpcVerdict.EXECUTE, table.start(call(3, 0)));
        table.complete(new RpcId(CLIENT, 1));
        assertEquals(RpcVerdict.EXECUTE, table.start(call(1, 0)));
    }

    /** What waits: numbers of records, and clients. A client takes the numbers that waited with it. */
    @Test
    void aForgottenClientTakesItsPendingRecordsWithIt() {
        removals.acknowledged(new RpcId(CLIENT, 1));
        removals.acknowledged(new RpcId(CLIENT, 2));
        removals.acknowledged(new RpcId(OTHER, 5));
        assertEquals(3, removals.size());
        removals.forgotten(CLIENT);
        assertEquals(2, removals.size());
        table.recoverBound(OTHER, 5);
        removals.addTo(written, List.of(), table);
        assertEquals(List.of("remove all", "remove 5", "bound 5"), written.log);
        assertEquals(0, removals.size());
        removals.addTo(written, List.of(), table);
        assertEquals(3, written.log.size(), "once");
    }

    /** A record carries its own client's acknowledgement and no other's; of several the largest counts. */
    @Test
    void theLargestAcknowledgementInTheBatchIsTheBound() {
        run(1, 0);
        run(2, 0);
        table.start(call(3, 0));
        table.start(call(4, 2));
        RpcRecord other = new RpcRecord(new RpcId(OTHER, 9), 8, 1, 5, new byte[0]);
        removals.addTo(written, List.of(record(4, 2, 5), record(3, 0, 5), other), table);
        assertEquals(List.of("remove 1", "remove 2"), written.log);
    }

    @Test
    void aRecordThatAcknowledgesLessThanIsRemovedIsNoBound() {
        run(1, 0);
        run(2, 0);
        table.start(call(3, 1));
        table.start(call(4, 2));
        removals.addTo(written, List.of(record(3, 1, 5)), table);
        assertEquals(List.of("remove 1", "remove 2", "bound 2"), written.log);
    }

    /** The bound on disk says all that the table knows: it saves the next one. */
    @Test
    void aBoundIsWhatTheClientHasAcknowledgedByNow() {
        run(1, 0);
        table.start(call(9, 6));
        removals.addTo(written, List.of(), table);
        assertEquals(List.of("remove 1", "bound 6"), written.log);
    }

    @Test
    void hashesAreUnsigned() {
        assertTrue(LOW.contains(1, 99));
        assertFalse(LOW.contains(1, 100));
        assertFalse(LOW.contains(2, 50));
        assertTrue(HIGH.contains(1, 100));
        assertTrue(HIGH.contains(1, Long.MIN_VALUE));
        assertTrue(HIGH.contains(1, -1));
        assertThrows(IllegalArgumentException.class, () -> new KeyRange(1, -1, 5));
    }

    /** IV-B: rpc log entries migrate with their objects; copies of calls to moved keys are answered there. */
    @Test
    void halfOfTheKeysAtEachOfTwoServers() {
        for (KeyRange range : List.of(LOW, HIGH)) {
            boolean low = range.equals(LOW);
            UnackedRpcResults server =
                    new UnackedRpcResults(lease, RpcLogOptions.builder(7).build(), removals);
            RangeRecovery recovery = new RangeRecovery(List.of(range));
            recovery.onRecord(record(3, 2, 50));
            recovery.onRecord(record(4, 2, 150));
            written.log.clear();
            recovery.takeOver(written, server, removals);
            assertEquals(List.of(low ? "record 3" : "record 4", "bound 2"), written.log);
            assertEquals(RpcVerdict.REPLAY, server.start(call(low ? 3 : 4, 2)));
            assertEquals(RpcVerdict.STALE, server.start(call(2, 0)));
        }
    }

    /** What the paper lacks: 6 went to the low range and was removed when 7, to the high range, acknowledged it. */
    @Test
    void anAcknowledgementOfOneRangeRefusesCopiesInAllOthers() {
        RangeRecovery low = new RangeRecovery(List.of(LOW));
        low.onRecord(record(7, 6, 150));
        low.takeOver(written, table, removals);
        assertEquals(RpcVerdict.STALE, table.start(call(6, 0)));
        assertEquals(List.of("bound 6"), written.log);
    }

    @Test
    void aRecordThatAnotherEntryAcknowledgesIsNotTakenOver() {
        RangeRecovery low = new RangeRecovery(List.of(LOW));
        low.onRecord(record(3, 0, 50));
        low.onBound(CLIENT, 3);
        low.takeOver(written, table, removals);
        assertEquals(List.of("bound 3"), written.log);
        assertEquals(RpcVerdict.STALE, table.start(call(3, 0)));
    }

    /**
     * The simulator found it (seed 232, harsh): a call to another range had told this server of the acknowledgement, no
     * entry of the dead server's disk spoke of it, and after a crash of this one the late copy was new.
     */
    @Test
    void aRecordThatOnlyThisServersMemoryKnowsToBeAcknowledgedLeavesABoundWhereItIsNotTakenOver() {
        run(2, 0);
        assertEquals(RpcVerdict.REPLAY, table.start(call(2, 1)));
        RangeRecovery low = new RangeRecovery(List.of(LOW));
        low.onRecord(record(1, 0, 50));
        low.takeOver(written, table, removals);
        assertEquals(List.of("bound 1"), written.log);
    }

    /** Several entries of one client: the largest ackId of records and bounds counts, in any order. */
    @Test
    void theLargestAckIdOfTheDeadServersDiskCounts() {
        RangeRecovery low = new RangeRecovery(List.of(LOW));
        low.onBound(CLIENT, 4);
        low.onRecord(record(9, 2, 150));
        low.onRecord(record(5, 0, 50));
        low.onBound(CLIENT, 3);
        low.takeOver(written, table, removals);
        assertEquals(List.of("record 5", "bound 4"), written.log);
    }

    @Test
    void whatAcknowledgesNothingLeavesNoBound() {
        RangeRecovery low = new RangeRecovery(List.of(LOW));
        low.onRecord(record(1, 0, 50));
        low.takeOver(written, table, removals);
        assertEquals(List.of("record 1"), written.log);
        assertTrue(low.isMine(1, 50));
        assertFalse(low.isMine(1, 150));
    }

    @Test
    void aBoundOfThisServerIsNotLowered() {
        table.recoverBound(CLIENT, 8);
        RangeRecovery low = new RangeRecovery(List.of(LOW));
        low.onRecord(record(7, 5, 50));
        low.takeOver(written, table, removals);
        assertEquals(List.of("bound 8"), written.log);
        assertEquals(8, table.ackId(CLIENT));
    }

    /** The simulator found it: records that came with a range went with an older removal of their client. */
    @Test
    void whatWasToBeRemovedBeforeGoesBeforeTheRangeComes() {
        removals.forgotten(CLIENT);
        RangeRecovery low = new RangeRecovery(List.of(LOW));
        low.onRecord(record(7, 0, 50));
        low.takeOver(written, table, removals);
        assertEquals(List.of("remove all", "record 7"), written.log);
        assertEquals(RpcVerdict.REPLAY, table.start(call(7, 0)));
        assertEquals(0, removals.size());
    }

    private static final class Written implements RpcLogBatch {
        final List<String> log = new ArrayList<>();

        @Override
        public void removeRecord(RpcId id) {
            log.add("remove " + id.number());
        }

        @Override
        public void putBound(LeaseId client, long ackId) {
            log.add("bound " + ackId);
        }

        @Override
        public void removeClient(LeaseId client) {
            log.add("remove all");
        }

        @Override
        public void putRecord(RpcRecord record) {
            log.add("record " + record.id().number());
        }
    }
}
