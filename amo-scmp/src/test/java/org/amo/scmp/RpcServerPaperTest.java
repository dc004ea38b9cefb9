package org.amo.scmp;

import static org.amo.scmp.RpcRig.C;
import static org.amo.scmp.RpcRig.D;
import static org.amo.scmp.RpcRig.NOW;
import static org.amo.scmp.RpcRig.PROVEN;
import static org.amo.scmp.RpcRig.RHO;
import static org.amo.scmp.RpcRig.SECOND;
import static org.amo.scmp.RpcRig.UNPROVEN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Liskov, Shrira and Wroclawski, section 3.1 and figure 3-1. */
class RpcServerPaperTest {
    private static final List<String> NOTHING = List.of();

    /** Figure 3-1 from IDLE through COMPUTING and REPLYING to IDLE, with a duplicate in each state. */
    @Test
    void theStatesOfFigure31() {
        RpcRig rig = new RpcRig();
        assertEquals(List.of("execute 0"), rig.call(C, NOW, NOW));
        assertEquals(List.of("ACK 0"), rig.call(C, NOW, NOW + 1), "COMPUTING: duplicate CALLs trigger an ACK");
        assertEquals(List.of("REPLY 0 of 5"), rig.executed(C, NOW, 5, NOW + 2));
        assertEquals(List.of("REPLY 0 of 5"), rig.call(C, NOW, NOW + 3), "REPLYING: retransmit stored reply");
        rig.server.onReplyAck(C, NOW);
        assertEquals(0, rig.server.counters().storedReplies());
        assertEquals(NOTHING, rig.call(C, NOW, NOW + 4), "IDLE: the client has it");
        assertEquals(1, rig.server.counters().accepted());
    }

    /** "If a new CALL message is received, the server discards any stored reply." */
    @Test
    void theNextCallFreesTheReply() {
        RpcRig rig = new RpcRig();
        rig.call(C, NOW, NOW);
        rig.executed(C, NOW, 100, NOW);
        assertEquals(100, rig.server.counters().storedReplyBytes());
        assertEquals(List.of("execute 1"), rig.call(C, NOW + 1, NOW));
        assertEquals(0, rig.server.counters().storedReplyBytes());
    }

    /** The two checks that the figure lacks. */
    @Test
    void aLateReplyAckOrDuplicateOfAnEarlierCallDoesNotTouchThePresentOne() {
        RpcRig rig = new RpcRig();
        rig.call(C, NOW, NOW);
        rig.executed(C, NOW, 5, NOW);
        rig.call(C, NOW + 1, NOW);
        rig.server.onReplyAck(C, NOW);
        assertEquals(List.of("ACK 1"), rig.call(C, NOW + 1, NOW), "still COMPUTING");
        assertEquals(List.of("STALE 0"), rig.call(C, NOW, NOW), "not the answer of another call");
        rig.executed(C, NOW + 1, 6, NOW);
        rig.server.onReplyAck(C, NOW);
        assertEquals(List.of("REPLY 1 of 6"), rig.call(C, NOW + 1, NOW));
        assertEquals(List.of("STALE 0"), rig.call(C, NOW, NOW));
    }

    /** The client gave a slow call up and began another: the first one's end is not the second one's reply. */
    @Test
    void theEndOfAnEarlierExecutionIsNotThePresentCallsReply() {
        RpcRig rig = new RpcRig();
        rig.call(C, NOW, NOW);
        rig.call(C, NOW + 1, NOW);
        assertEquals(NOTHING, rig.executed(C, NOW, 5, NOW));
        assertEquals(List.of("REPLY 1 of 6"), rig.executed(C, NOW + 1, 6, NOW));
        assertEquals(0, rig.server.counters().computing());
    }

    /** S17: "COMPUTING connection entries are never deleted." Ten minutes of execution, then a duplicate. */
    @Test
    void aCallThatComputesForTenMinutesIsNotExecutedAgain() {
        RpcRig rig = new RpcRig();
        rig.call(C, NOW, NOW);
        long later = NOW + 2 * RHO;
        assertEquals(0, rig.server.collect(later));
        assertEquals(List.of("ACK 0"), rig.truncated(PROVEN, C, NOW, later));
        assertEquals(List.of("ACK 0"), rig.call(C, NOW, later));
        assertEquals(List.of("REPLY 0 of 5"), rig.executed(C, NOW, 5, later));
        assertEquals(0, rig.server.collect(later + RHO), "the reply is not older than rho'");
        assertEquals(List.of("REPLY 0 of 5"), rig.call(C, NOW, later + RHO));
        assertEquals(1, rig.server.collect(later + RHO + 1));
        assertEquals(List.of("STALE 0"), rig.call(C, NOW, later + RHO + 1));
        assertEquals(1, rig.server.counters().accepted());
    }

    /** T-S5: with a client clock ahead the reply is old before the call's timestamp is. */
    @Test
    void anEntryGoesOnlyWhenItsCallIsOldToo() {
        RpcRig rig = new RpcRig();
        long ahead = NOW + 9 * SECOND;
        rig.call(C, ahead, NOW);
        rig.executed(C, ahead, 5, NOW);
        assertEquals(0, rig.server.collect(NOW + RHO + 1), "upper would rise beyond G.time - rho");
        assertEquals(1, rig.server.collect(ahead + RHO));
        assertEquals(ahead, rig.server.upperMicros(0));
    }

    /** S17: "We do not remove connection table entries unless the table is almost full." */
    @Test
    void oldEntriesStayUntilTheTableIsNearlyFull() {
        RpcRig rig = new RpcRig(
                RpcRig.options(ScmpOptions.builder().maxConnections(4).collectAbove(1)));
        rig.call(C, NOW, NOW);
        rig.executed(C, NOW, 5, NOW);
        long later = NOW + 3 * RHO;
        rig.tick(later);
        assertEquals(1, rig.server.counters().connections());
        rig.tick(later + 3 * SECOND);
        assertEquals(List.of("execute " + (later - NOW)), rig.call(D, later, later + 3 * SECOND));
        assertEquals(1, rig.server.counters().connections(), "the second found the first one old");
    }

    /** T-S8: "Subsequent retransmissions contain only the connection and call ids": without its arguments a call cannot run. */
    @Test
    void aRestartedServerAnswersATruncatedRetransmissionWithUnknown() {
        RpcRig rig = new RpcRig();
        rig.call(C, NOW, NOW);
        assertEquals(List.of("ACK 0"), rig.truncated(PROVEN, C, NOW, NOW));
        RpcRig restarted = rig.restarted(NOW + SECOND);
        assertEquals(List.of("UNKNOWN_CALL 0"), restarted.truncated(PROVEN, C, NOW, NOW + SECOND));
        assertEquals(List.of("STALE 0"), restarted.call(C, NOW, NOW + SECOND), "T-S9: no client waits in vain");
        assertEquals(0, restarted.server.counters().accepted());
    }

    @Test
    void refusalsLeaveNoTrace() {
        RpcRig rig = new RpcRig(RpcRig.options(ScmpOptions.builder()).toBuilder()
                .maxComputing(1)
                .build());
        assertEquals(List.of("NO_SUCH_SERVICE 0"), rig.call(PROVEN, C, NOW, 9, NOW));
        assertEquals(List.of("TOO_EARLY 10000001"), rig.call(C, NOW + 10 * SECOND + 1, NOW));
        assertEquals(0, rig.server.counters().connections());
        assertEquals(List.of("execute 0"), rig.call(C, NOW, NOW), "the same id, after a refusal");
        assertEquals(List.of("OVERLOADED 1"), rig.call(D, NOW + 1, NOW));
        rig.executed(C, NOW, 5, NOW);
        assertEquals(List.of("execute 1"), rig.call(D, NOW + 1, NOW), "its retransmission finds room");
    }

    @Test
    void storedRepliesBeyondTheBudgetRefuseNewCallsAndNoneIsDropped() {
        RpcRig rig = new RpcRig(RpcRig.options(ScmpOptions.builder()).toBuilder()
                .maxReplyBytes(100)
                .build());
        rig.call(C, NOW, NOW);
        rig.executed(C, NOW, 100, NOW);
        assertEquals(List.of("OVERLOADED 0"), rig.call(D, NOW, NOW));
        assertEquals(List.of("REPLY 0 of 100"), rig.call(C, NOW, NOW));
        assertEquals(List.of("execute 1"), rig.call(C, NOW + 1, NOW), "its own next call frees what it needs");
    }

    /** Calls under way will have replies, which nothing may drop: 10,000 of them must not end with 650 MB. */
    @Test
    void aCallReservesRoomForItsReplyUntilItEnds() {
        RpcRig rig = new RpcRig(RpcRig.options(ScmpOptions.builder()).toBuilder()
                .maxReplyBytes(100)
                .reservedReplyBytes(60)
                .build());
        assertEquals(List.of("execute 0"), rig.call(C, NOW, NOW));
        assertEquals(List.of("execute 0"), rig.call(D, NOW, NOW), "the last may go beyond the limit, by one reply");
        ConnectionId third = new ConnectionId(1, 2, 5);
        assertEquals(List.of("OVERLOADED 0"), rig.call(third, NOW, NOW));
        rig.executed(C, NOW, 60, NOW);
        assertEquals(List.of("OVERLOADED 0"), rig.call(third, NOW, NOW), "its reply takes what it had reserved");
        rig.server.onReplyAck(C, NOW);
        assertEquals(List.of("execute 0"), rig.call(third, NOW, NOW));
        assertThrows(IllegalArgumentException.class, () -> RpcServerOptions.builder()
                .reservedReplyBytes(RpcDatagrams.MAX_BODY + 1)
                .build());
    }

    @Test
    void aFullTableRefusesNewConnectionsAndServesOldOnes() {
        RpcRig rig = new RpcRig(RpcRig.options(ScmpOptions.builder().maxConnections(1)));
        rig.call(C, NOW, NOW);
        assertEquals(List.of("OVERLOADED 0"), rig.call(D, NOW, NOW));
        assertEquals(0, rig.server.upperMicros(0), "room is not made by raising upper");
        assertEquals(List.of("execute 1"), rig.call(C, NOW + 1, NOW));
    }

    @Test
    void anUnprovenSenderGetsAReplyNoLargerThanWhatItSent() {
        RpcRig rig = new RpcRig();
        rig.call(UNPROVEN, C, NOW, 1, NOW);
        assertEquals(List.of("HELD 0 of 11"), rig.executed(C, NOW, 11, NOW));
        assertEquals(List.of("HELD 0 of 11"), rig.truncated(UNPROVEN, C, NOW, NOW));
        assertEquals(List.of("REPLY 0 of 11"), rig.truncated(() -> 11, C, NOW, NOW));
    }

    @Test
    void nothingIsAcceptedBeforeTheNewLatestIsStored() {
        RpcRig rig = new RpcRig();
        long crashed = NOW + SECOND;
        RpcRig restarted = rig.restarted(crashed);
        long later = crashed + 9 * SECOND + 1;
        assertEquals(List.of("execute " + (later - NOW)), restarted.call(C, later, later), "sent after crash + beta");
        assertTrue(restarted.stored >= rig.stored);
    }
}
