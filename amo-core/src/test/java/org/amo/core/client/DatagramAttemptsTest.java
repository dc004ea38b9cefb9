package org.amo.core.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.amo.base.ClientId;
import org.amo.core.client.GroupClient.Datagrams;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;

/** Attempts that leave without a connection. */
class DatagramAttemptsTest {
    private static final long WALL = 1_000_000;
    private static final long UPPER = 500_000;
    private static final byte[] BODY = {1};

    private final RecordedEffects effects = new RecordedEffects();
    private final List<String> done = effects.done;
    private final List<String> ways = effects.ways;
    private final List<Attempt> sent = effects.sent;
    private final List<FinishedNumbers> acknowledged = effects.acknowledged;
    private long now;
    private GroupClient<String> client = client(Datagrams.FIRST, 3);

    private GroupClient<String> client(Datagrams datagrams, int members) {
        return new GroupClient<>(
                new ClientSession(new ClientId(1, 2)), members, 0, AttemptedCall.ATTEMPT_MILLIS, datagrams, effects);
    }

    @Test
    void aFirstCallIsOneDatagramStampedByTheWallClockAndOpensNoConnection() {
        call("x");
        assertEquals(List.of("udp 0"), ways);
        assertEquals(WALL, sent.get(0).timestampMillis());
        reply(0, 0);
        assertEquals(List.of("x ok"), done);
        assertEquals(List.of("udp 0"), ways);
    }

    @Test
    void acknowledgementsOfAClientWithoutAConnectionLeaveAsADatagramAfterASecondOrAtItsEnd() {
        call("x");
        reply(0, 0);
        tick(999);
        assertEquals(List.of("udp 0"), ways);
        tick(1);
        assertEquals(List.of("udp 0", "udp ack 0"), ways);
        assertEquals(1, acknowledged.get(0).floor());
        client.onClose(now, WALL);
        assertEquals(1, acknowledged.size());

        client = client(Datagrams.FIRST, 3);
        call("y");
        reply(0, 1);
        client.onClose(now, WALL);
        assertEquals(2, acknowledged.size());
    }

    @Test
    void anUnansweredDatagramIsSentAgainAsTheSameAttemptAndThenFollowedByTcpToAnotherMember() {
        call("x");
        tick(DatagramChoice.FIRST_MILLIS);
        assertEquals(List.of("udp 0", "udp 0"), ways);
        assertEquals(sent.get(0).copy(), sent.get(1).copy());
        tick(2 * DatagramChoice.FIRST_MILLIS);
        assertTrue(ways.contains("connect 1"), ways.toString());
        client.onConnected(1, UPPER, now, WALL);
        Attempt moved = sent.get(sent.size() - 1);
        assertEquals("tcp 1", ways.get(ways.size() - 1));
        assertEquals(sent.get(0).id(), moved.id(), "a moved attempt has the same number");
        assertEquals(sent.get(0).timestampMillis(), moved.timestampMillis());
        assertEquals(sent.get(0).deadlineMillis(), moved.deadlineMillis());
        assertNotEquals(sent.get(0).copy(), moved.copy());
        // The answer to the datagram still counts, and ends the call.
        reply(0, 0);
        assertEquals(List.of("x ok"), done);
    }

    @Test
    void aGroupOfOneMemberIsAskedByTcpAfterASilentDatagram() {
        client = client(Datagrams.FIRST, 1);
        call("x");
        tick(3 * DatagramChoice.FIRST_MILLIS);
        assertTrue(ways.contains("connect 0"), ways.toString());
    }

    @Test
    void theSecondCallOpensAConnectionAndLaterOnesUseIt() {
        call("x");
        reply(0, 0);
        call("y");
        assertEquals(List.of("udp 0", "udp 0", "connect 0"), ways);
        reply(0, 1);
        client.onConnected(0, UPPER, now, WALL);
        call("z");
        assertEquals("tcp 0", ways.get(ways.size() - 1));
    }

    @Test
    void aCallBesideADatagramThatIsOutWaitsForAConnection() {
        call("x");
        call("y");
        assertEquals(List.of("udp 0", "connect 0"), ways);
        client.onConnected(0, UPPER, now, WALL);
        assertEquals(List.of("udp 0", "connect 0", "tcp 0"), ways);
    }

    @Test
    void aLargeRequestGoesByTcp() {
        client.onCall("large", BODY, false, 10_000, now, WALL);
        assertEquals(List.of("connect 0"), ways);
    }

    @Test
    void aClosedPortIsLeftAtOnceAndNoDatagramFollows() {
        call("x");
        client.onDatagramsRefused(0, now, WALL);
        assertEquals(List.of("udp 0", "connect 1"), ways);
        client.onConnected(1, UPPER, now, WALL);
        reply(1, 1);
        client.onDisconnected(1, now, WALL);
        call("y");
        assertEquals("connect 2", ways.get(ways.size() - 1));
        assertEquals(1, ways.stream().filter(way -> way.startsWith("udp")).count(), ways.toString());
    }

    @Test
    void aReplyThatIsTooLargeIsAskedForOverAConnectionToTheSameMemberUnderTheSameNumber() {
        call("x");
        client.onDatagramTurnedAway(0, sent.get(0).copy(), true, now, WALL);
        tick(5);
        client.onConnected(0, UPPER, now, WALL);
        assertEquals(List.of("udp 0", "connect 0", "tcp 0"), ways);
        assertEquals(sent.get(0).id(), sent.get(1).id());
    }

    @Test
    void aMemberThatStopsIsLeftForTheNext() {
        call("x");
        client.onDatagramTurnedAway(0, sent.get(0).copy(), false, now, WALL);
        tick(5);
        assertEquals(List.of("udp 0", "connect 1"), ways);
    }

    @Test
    void aRefusalOfADatagramProvesNothingSinceItMayArriveAgain() {
        client.onCall("x", BODY, false, 100, now, WALL);
        refuse(0, 0, Refusal.OVERLOADED);
        assertEquals(List.of(), done, "another arrival of it may find room");
        for (int member = 0; member < 3; member++) {
            client.onConnected(member, UPPER, now, WALL);
        }
        tick(5);
        while (now <= 100) {
            // The last attempt that left, over a connection, is refused, too.
            refuse(0, sent.size() - 1, Refusal.OVERLOADED);
            now = client.nextDeadline();
            client.onTick(now, WALL);
        }
        assertEquals(1, sent.stream().map(Attempt::id).distinct().count(), "no new number without proof");
        assertEquals(List.of(), done);
        refuse(0, sent.size() - 1, Refusal.EXPIRED);
        assertEquals(List.of("x not executed Optional[EXPIRED]"), done);
    }

    @Test
    void aNumberThatFollowsAnExpiredDatagramIsJudgedByItsOwnAttempts() {
        call("x");
        refuse(0, 0, Refusal.EXPIRED);
        client.onConnected(0, UPPER, now, WALL);
        tick(200);
        assertEquals(2, sent.get(1).id().number(), "none of the first number ran or will");
        refuse(0, 1, Refusal.STALE);
        assertEquals(3, sent.get(2).id().number());
    }

    @Test
    void aStaleDatagramIsUnknown() {
        call("x");
        refuse(0, 0, Refusal.STALE);
        assertEquals(List.of("x unknown Optional[STALE]"), done);
    }

    @Test
    void aRefusalOverTcpAccountsForANumberThatNeverLeftAsADatagram() {
        call("x");
        reply(0, 0);
        client.onConnected(0, UPPER, now, WALL);
        call("y");
        refuse(0, 1, Refusal.STALE);
        assertEquals(3, sent.size());
        assertEquals(3, sent.get(2).id().number(), "a new number: the refused one did not run and will not");
    }

    @Test
    void aClientOfDatagramsAloneAsksAnotherMemberByOneAndIsNotHurriedByClosedPorts() {
        client = client(Datagrams.ALWAYS, 2);
        call("x");
        client.onDatagramsRefused(0, now, WALL);
        assertEquals(List.of("udp 0", "udp 1"), ways);
        for (int again = 0; again < 100; again++) {
            client.onDatagramsRefused(again % 2, now, WALL);
        }
        assertEquals(List.of("udp 0", "udp 1"), ways);
    }

    @Test
    void theIntervalFollowsTheMeasuredRoundTripAndDoubles() {
        client = client(Datagrams.ALWAYS, 1);
        call("x");
        now += 40;
        reply(0, 0);
        call("y");
        tick(40 + 4 * 20 - 1);
        assertEquals(2, sent.size());
        tick(1);
        assertEquals(3, sent.size());
        tick(239);
        assertEquals(3, sent.size());
        tick(1);
        assertEquals(4, sent.size());
    }

    @Test
    void anAttemptThatLeftTwiceMeasuresNothing() {
        client = client(Datagrams.ALWAYS, 1);
        call("x");
        tick(DatagramChoice.FIRST_MILLIS);
        now += 250;
        reply(0, 0);
        call("y");
        tick(DatagramChoice.FIRST_MILLIS);
        assertEquals(4, sent.size());
    }

    @Test
    void aLateAnswerToAnEndedCallTellsTheTimeAlone() {
        client.onCall("x", BODY, false, 100, now, WALL);
        tick(10_000);
        assertEquals(List.of("x unknown Optional.empty"), done);
        reply(0, 0);
        assertEquals(List.of("x unknown Optional.empty"), done);
        assertEquals(0, client.openCalls());
    }

    private void call(String caller) {
        client.onCall(caller, BODY, false, 10_000, now, WALL);
    }

    private void reply(int member, int index) {
        client.onAnswer(member, sent.get(index).copy(), Answer.reply(BODY, WALL + now, UPPER), now, WALL);
    }

    private void refuse(int member, int index, Refusal refusal) {
        client.onAnswer(member, sent.get(index).copy(), Answer.refused(refusal, WALL + now, UPPER), now, WALL);
    }

    private void tick(long millis) {
        now += millis;
        client.onTick(now, WALL + now);
    }
}
