package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.amo.base.ClientId;
import org.amo.core.reply.RecordMemory;
import org.amo.core.reply.ReplyStore;
import org.amo.core.reply.RowPages;
import org.amo.core.reply.Shares;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;

/** A replica whose replies are kept elsewhere, with room for one. */
final class ReplyStoreTest {
    private final Map<Long, byte[]> kept = new HashMap<>();
    private final ReplicaRig rig = ReplicaRig.started("a", "a", new OneReply());

    private final class OneReply implements ReplyStore {
        @Override
        public boolean put(ClientId client, long number, byte[] reply) {
            return kept.isEmpty() && kept.put(number, reply) == null;
        }

        @Override
        public byte[] get(ClientId client, long number) {
            return Optional.ofNullable(kept.get(number)).orElseThrow();
        }

        @Override
        public int remove(ClientId client, long number) {
            return Optional.ofNullable(kept.remove(number)).orElseThrow().length;
        }

        @Override
        public void clear() {
            kept.clear();
        }

        @Override
        public boolean isFull() {
            return !kept.isEmpty();
        }
    }

    @Test
    void aRepeatedCallFindsItsReplyInTheStore() {
        Request first = call(1);
        rig.copy("again", first);
        assertEquals("reply to op1", rig.answer("again"));
        assertEquals(1, rig.executed.size());
        assertEquals(1, kept.size());
    }

    @Test
    void aFullStoreOrdersNoNewRequestAndForgetsNoReply() {
        Request first = call(1);
        rig.copy("second", rig.request(2));
        assertEquals("OVERLOADED", rig.answer("second"));
        assertTrue(rig.submitted.isEmpty(), "refused before it is ordered");
        rig.copy("again", first);
        assertEquals("reply to op1", rig.answer("again"));
    }

    @Test
    void aMemberWithoutRoomForTheRowsOfNewClientsOrdersNoNewRequest() {
        AtomicBoolean full = new AtomicBoolean(true);
        RowPages rows = new RowPages() {
            @Override
            public ByteBuffer page(int bytes) {
                return ByteBuffer.allocate(bytes);
            }

            @Override
            public boolean isFull() {
                return full.get();
            }
        };
        ReplicaRig withRows = ReplicaRig.startedWith(new RecordMemory(1, ReplyStore.heap(), rows, Shares::new));
        withRows.copy("first", withRows.request(1));
        assertEquals("OVERLOADED", withRows.answer("first"));
        assertTrue(withRows.submitted.isEmpty(), "refused before it is ordered");
        full.set(false);
        call(withRows, 2);
    }

    @Test
    void anAcknowledgementThatComesWithARefusedRequestStillMakesRoom() {
        call(1);
        rig.copy("refused", rig.request(2), FinishedNumbers.of(1));
        assertEquals("OVERLOADED", rig.answer("refused"));
        rig.now += 2_000;
        rig.tick();
        rig.deliverNext();
        assertTrue(kept.isEmpty());
        call(2);
        assertEquals(1, kept.size());
    }

    @Test
    void whatOthersOrderMeanwhileIsExecutedAndItsReplyStaysOnTheHeap() {
        call(1);
        Request second = rig.request(2);
        rig.deliverOf("b", 1, second);
        rig.executeAll();
        assertEquals(1, kept.size());
        rig.copy("copy", second);
        assertEquals("reply to op2", rig.answer("copy"));
    }

    @Test
    void aSnapshotHoldsTheRepliesAndFillsTheStoreOfWhoTakesIt() {
        Request first = call(1);
        byte[] snapshot = rig.replica.snapshots().take();
        kept.clear();
        ReplicaRig other = ReplicaRig.started("b", "a", new OneReply());
        other.replica.snapshots().install(snapshot, other.now);
        assertEquals(1, kept.size());
        other.copy("copy", first);
        assertEquals("reply to op1", other.answer("copy"));
    }

    @Test
    void aSnapshotTakesThePlaceOfAllRepliesInTheStore() {
        call(1);
        byte[] snapshot = rig.replica.snapshots().take();
        kept.clear();
        ReplicaRig other = ReplicaRig.started("b", "a", new OneReply());
        call(other, 2);
        assertEquals(Set.of(2L), kept.keySet());
        other.replica.snapshots().install(snapshot, other.now);
        assertEquals(Set.of(1L), kept.keySet());
    }

    /** It certainly did not run, so its number is acknowledged like that of an answered call. */
    @Test
    void thePlainCallAfterARefusedOneAcknowledgesIt() {
        call(1);
        rig.plain("refused", "refused");
        assertEquals("OVERLOADED", rig.answer("refused"));
        rig.replica.onFinished(ReplicaRig.C, FinishedNumbers.of(1), rig.now);
        rig.deliverNext();
        rig.plain("next", "next");
        assertEquals(
                FinishedNumbers.of(1),
                rig.submitted.element().entry().items().get(0).finished());
    }

    @Test
    void aClientMayTakeAllThatIsLeftOfTheHeapsPart() {
        int replyBytes = "reply to op1".length();
        ReplicaRig onHeap = ReplicaRig.started(
                "a", "a", RecordMemory.heap(1, 4L * replyBytes, Long.MAX_VALUE).replies());
        call(onHeap, 1);
        call(onHeap, 2);
        call(onHeap, 3);
        onHeap.copy("fourth", onHeap.request(4));
        assertEquals("OVERLOADED", onHeap.answer("fourth"));
    }

    @Test
    void aClientWhoseRepliesTakeMoreThanIsLeftOfTheHeapsPartIsRefused() {
        int replyBytes = "reply to op1".length();
        ReplicaRig onHeap = ReplicaRig.started(
                "a",
                "a",
                RecordMemory.heap(1, 5 * replyBytes - 1, Long.MAX_VALUE).replies());
        Request first = call(onHeap, 1);
        call(onHeap, 2);
        call(onHeap, 3);
        onHeap.copy("fourth", onHeap.request(4));
        assertEquals("OVERLOADED", onHeap.answer("fourth"));
        assertTrue(onHeap.submitted.isEmpty(), "refused before it is ordered");
        onHeap.copy("again", first);
        assertEquals("reply to op1", onHeap.answer("again"));
        onHeap.copy("other client", onHeap.request(new ClientId(9, 9), 1, "op1"));
        onHeap.deliverNext();
        onHeap.executeAll();
        assertEquals("reply to op1", onHeap.answer("other client"));
        onHeap.copy("acknowledges", onHeap.request(5), FinishedNumbers.of(3));
        onHeap.deliverNext();
        onHeap.executeAll();
        assertEquals("reply to op5", onHeap.answer("acknowledges"));
    }

    @Test
    void aForeignClientWhoseRepliesTakeMoreThanIsLeftIsRefusedToo() {
        int replyBytes = "reply to op1".length();
        ReplicaRig onHeap = ReplicaRig.started(
                "a",
                "a",
                RecordMemory.heap(1, 5 * replyBytes - 1, Long.MAX_VALUE).replies());
        for (int number = 1; number <= 3; number++) {
            onHeap.copy("call" + number, foreign(onHeap, number));
            onHeap.deliverNext();
            onHeap.executeAll();
            assertEquals("reply to op" + number, onHeap.answer("call" + number));
        }
        onHeap.copy("fourth", foreign(onHeap, 4));
        assertEquals("OVERLOADED", onHeap.answer("fourth"));
        assertTrue(onHeap.submitted.isEmpty(), "refused before it is ordered");
        call(onHeap, 1);
    }

    @Test
    void aReplyToAForeignClientGoesToTheStoreUntilItsTimeIsUp() {
        Request first = foreign(rig, 1);
        rig.copy("first", first);
        rig.deliverNext();
        rig.executeAll();
        assertEquals(1, kept.size());
        rig.copy("again", first);
        assertEquals("reply to op1", rig.answer("again"));
        assertEquals(1, rig.executed.size());
        byte[] snapshot = rig.replica.snapshots().take();
        assertArrayEquals(snapshotWithoutStore(first), snapshot, "equal at a member that keeps it on the heap");
        rig.copy("full", foreign(rig, 2));
        assertEquals("OVERLOADED", rig.answer("full"));
        rig.now += 10_000 + ReplicaRig.PARAMETERS.skewMillis() + 1;
        rig.deliverOf("b", 1, rig.request(1));
        assertTrue(kept.isEmpty(), "freed at its expiration");
        assertEquals(0, rig.replica.snapshots().keptReplyBytes());
    }

    @Test
    void aSnapshotBringsRepliesToForeignClientsToTheStore() {
        Request first = foreign(rig, 1);
        rig.copy("first", first);
        rig.deliverNext();
        rig.executeAll();
        byte[] snapshot = rig.replica.snapshots().take();
        kept.clear();
        ReplicaRig other = ReplicaRig.started("b", "a", new OneReply());
        other.replica.snapshots().install(snapshot, other.now);
        assertEquals(1, kept.size());
        other.copy("copy", first);
        assertEquals("reply to op1", other.answer("copy"));
    }

    private static byte[] snapshotWithoutStore(Request first) {
        ReplicaRig plain = ReplicaRig.started("a", "a");
        plain.copy("first", first);
        plain.deliverNext();
        plain.executeAll();
        return plain.replica.snapshots().take();
    }

    /** As a client of another ORB sends it: its timestamp follows from its expiration time. */
    private static Request foreign(ReplicaRig rig, int number) {
        long expiration = rig.groupTime() + 10_000;
        return new Request(
                new RequestId(RequestId.Space.FOREIGN, new ClientId(3, 3), number),
                expiration - ReplicaRig.PARAMETERS.retentionMillis(),
                expiration,
                number,
                false,
                ("op" + number).getBytes(StandardCharsets.UTF_8));
    }

    private Request call(long number) {
        return call(rig, number);
    }

    private static Request call(ReplicaRig rig, long number) {
        Request request = rig.request(number);
        rig.copy("call" + number, request);
        rig.deliverNext();
        rig.executeAll();
        assertEquals("reply to op" + number, rig.answer("call" + number));
        return request;
    }
}
