package org.amo.replication.order.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.amo.core.order.Member;
import org.junit.jupiter.api.Test;

/** Each way in which the lead goes to another member, or does not. */
final class LeadTransferTest {
    private static final Configuration THREE = new Configuration(0, Member.parseList("a=h:1/2,b=h:3/4,c=h:5/6"));

    private final Members members = new Members();
    private final LeadTransfer transfer = new LeadTransfer("a", members, () -> members.nanos);

    @Test
    void theMemberLeadsOnceItHasTheWholeLogAndIsElected() throws Exception {
        CompletableFuture<Void> done = transfer.to("b", THREE, true);
        assertTrue(transfer.isUnderWay(), "nothing is appended any more");
        members.turn(10_000_000);
        assertEquals(List.of(), members.elected, "it lacks entries");
        members.caughtUp = true;
        members.turn(10_000_000);
        assertEquals(List.of("b"), members.elected);
        assertFalse(done.isDone(), "there is no leader yet");
        members.leader = "b";
        members.turn(10_000_000);
        done.get();
        assertFalse(transfer.isUnderWay());
    }

    @Test
    void aMemberThatLagsForLongGetsNoLeadAndTheLeaderGoesOn() {
        CompletableFuture<Void> done = transfer.to("b", THREE, true);
        members.turn(900_000_000);
        assertTrue(transfer.isUnderWay());
        members.turn(200_000_000);
        assertEquals("member 'b' lags; wait until its position in ./amo status is that of the leader", failure(done));
        assertEquals(List.of(), members.elected);
        assertFalse(transfer.isUnderWay());
    }

    @Test
    void anotherMemberOrNoneMayBeElected() {
        members.caughtUp = true;
        CompletableFuture<Void> done = transfer.to("b", THREE, true);
        members.leader = "c";
        members.turn(10_000_000);
        assertEquals("the members elected c; try again", failure(done));

        members.leader = "a";
        CompletableFuture<Void> none = transfer.to("b", THREE, true);
        members.turn(3_900_000_000L);
        assertTrue(transfer.isUnderWay());
        members.turn(200_000_000);
        assertEquals("the members elected no leader yet; try again", failure(none));
        assertFalse(transfer.isUnderWay());
    }

    @Test
    void aLeaderThatLosesTheLeadMeanwhileSaysSo() {
        CompletableFuture<Void> done = transfer.to("b", THREE, true);
        members.leader = "c";
        members.turn(10_000_000);
        assertEquals("this member does not lead any more; ask the leader", failure(done));
        assertFalse(transfer.isUnderWay());
    }

    @Test
    void whatCannotBeIsRefusedAtOnce() throws Exception {
        transfer.to("a", THREE, true).get();
        assertEquals("there is no member 'x' in [a, b, c]", failure(transfer.to("x", THREE, true)));
        assertEquals("member 'b' cannot be reached; start it first", failure(transfer.to("b", THREE, false)));
        assertFalse(transfer.isUnderWay());
        CompletableFuture<Void> first = transfer.to("b", THREE, true);
        assertEquals(
                "another change of the leader is in progress; try again when it has ended",
                failure(transfer.to("c", THREE, true)));
        assertFalse(first.isDone());
        members.leader = "c";
        LeadTransfer ofAFollower = new LeadTransfer("a", members, () -> 0);
        assertEquals("this member does not lead; ask the leader", failure(ofAFollower.to("b", THREE, true)));
    }

    private static String failure(CompletableFuture<Void> done) {
        assertTrue(done.isDone());
        return String.valueOf(
                assertThrows(ExecutionException.class, done::get).getCause().getMessage());
    }

    /** The others, with a clock that a test moves. */
    private static final class Members implements LeadTransfer.Effects {
        private final Deque<Runnable> later = new ArrayDeque<>();
        private final List<String> elected = new ArrayList<>();
        private long nanos;
        private boolean caughtUp;
        private String leader = "a";

        /** So much time passes, and whatever waits looks again. */
        void turn(long passing) {
            nanos += passing;
            List<Runnable> due = new ArrayList<>(later);
            later.clear();
            due.forEach(Runnable::run);
        }

        @Override
        public boolean leads() {
            return leader.equals("a");
        }

        @Override
        public String leader() {
            return leader;
        }

        @Override
        public void isCaughtUp(String member, Consumer<Boolean> told) {
            told.accept(caughtUp);
        }

        @Override
        public void elect(String member) {
            elected.add(member);
            leader = "";
        }

        @Override
        public void later(Runnable task) {
            later.add(task);
        }
    }
}
