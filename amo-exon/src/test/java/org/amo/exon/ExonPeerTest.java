package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.amo.exon.Frame.Ack;
import org.amo.exon.Frame.RequestSlots;
import org.amo.exon.Frame.Seen;
import org.amo.exon.Frame.Slots;
import org.amo.exon.Frame.Token;
import org.amo.exon.Frame.Unknown;
import org.junit.jupiter.api.Test;

/** What a node answers to single frames, and when: the other end is played by the test, frame by frame. */
class ExonPeerTest {
    private static final NodeId NEAR = new NodeId(6, 1);
    private static final NodeId FAR = new NodeId(6, 2);
    private static final byte[] SECRET = {5};
    private static final long IDLE = 10_000;
    private static final long ABANDON = 1_000_000;
    private static final long NEVER = Long.MAX_VALUE / 4;

    /** First clock value of the node under test, and so the incarnation of its first receive record. */
    private static final long LIFE = 100;

    private static final Address HEARD = new Place("heard");
    private static final Address CONFIGURED = new Place("configured");

    private final List<byte[]> sent = new ArrayList<>();
    private final List<Address> sentTo = new ArrayList<>();
    private final RecordedEffects effects = new RecordedEffects((to, datagram) -> {
        sentTo.add(to);
        // The same datagram may go to two places; the peer is at one.
        if (sent.isEmpty() || !Arrays.equals(sent.get(sent.size() - 1), datagram)) {
            sent.add(datagram);
        }
    });
    private final List<Integer> delivered = effects.delivered;
    private final List<Long> bounds = effects.bounds;
    private final Map<Long, Outcome> outcomes = effects.outcomes;
    private final ScriptedPeer far = new ScriptedPeer(FAR, 1, NEAR, SECRET);
    private long now = 50_000;
    private ExonNode near = node(1 << 20, options());

    private record Place(String name) implements Address {}

    private static ExonOptions.Builder options() {
        return ExonOptions.builder().standbySlots(4, 4).idleMicros(IDLE).abandonMicros(ABANDON);
    }

    private ExonNode node(long reserved, ExonOptions.Builder options) {
        ExonNode node = new AtReceiptNode(NEAR, LIFE, reserved, SECRET, options.build(), effects);
        node.hint(FAR, CONFIGURED);
        return node;
    }

    private void hear(ScriptedPeer peer, Frame... frames) {
        byte[] datagram = peer.datagram(frames);
        near.onDatagram(HEARD, datagram, datagram.length, now);
        assertEquals(0, near.counters().malformed());
        assertEquals(0, near.counters().unauthentic());
    }

    /** The frames of each datagram that the node sends now. */
    private List<List<Frame>> answersTo(Frame... frames) {
        hear(far, frames);
        near.flush(now);
        return taken();
    }

    private List<List<Frame>> tick(long at) {
        now = at;
        near.onTick(now);
        return taken();
    }

    private List<List<Frame>> taken() {
        List<List<Frame>> all =
                sent.stream().map(each -> far.read(each, HEARD, now)).toList();
        sent.clear();
        return all;
    }

    private static <F extends Frame> List<F> only(Class<F> kind, List<List<Frame>> datagrams) {
        return datagrams.stream()
                .flatMap(List::stream)
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    private static Token token(long slot) {
        return new Token(LIFE, slot, 0, 1, new byte[3]);
    }

    private static Ack ack(long from, long end) {
        return new Ack(LIFE, from, end, new long[0]);
    }

    /** The node has opened the slots 1 to 8 of its incarnation {@link #LIFE}. */
    private void openEight() {
        assertEquals(List.of(new Slots(1, LIFE, 8)), only(Slots.class, answersTo(new RequestSlots(1, 8, 1, 0))));
    }

    /** The node has sent so many messages of three bytes, in slots from its first clock value on; the peer's incarnation is 1. */
    private List<List<Frame>> sendTokens(int messages) {
        for (int i = 1; i <= messages; i++) {
            assertTrue(near.send(FAR, i, new byte[3], NEVER, now));
        }
        near.flush(now);
        RequestSlots request = only(RequestSlots.class, taken()).get(0);
        assertEquals(LIFE, request.from());
        List<List<Frame>> tokens = answersTo(new Slots(request.from(), 1, request.count()));
        assertEquals(messages, only(Token.class, tokens).size());
        return tokens;
    }

    @Test
    void anAcknowledgementOfOneTokenWaitsForItsDelayAndThenLeaves() {
        openEight();
        assertEquals(List.of(), answersTo(token(1)));
        assertEquals(List.of(3), delivered);
        long due = now + Path.ACK_DELAY;
        assertEquals(due, near.nextDeadline());
        assertEquals(List.of(), tick(due - 1));
        assertEquals(List.of(ack(0, 2)), only(Ack.class, tick(due)));
        assertEquals(List.of(), tick(due + Path.ACK_DELAY), "once");
    }

    @Test
    void everySecondDatagramWithTokensIsAcknowledgedAtOnceButNotMoreOftenThanTheStreamNeeds() {
        openEight();
        assertEquals(List.of(), answersTo(token(1)));
        now += 10;
        assertEquals(List.of(ack(0, 3)), only(Ack.class, answersTo(token(2))));
        long acknowledged = now;
        now += 10;
        assertEquals(List.of(), answersTo(token(3)));
        now += 10;
        assertEquals(List.of(), answersTo(token(4)));
        assertEquals(acknowledged + 500, near.nextDeadline());
        assertEquals(List.of(), tick(acknowledged + 499));
        assertEquals(List.of(ack(0, 5)), only(Ack.class, tick(acknowledged + 500)));
    }

    @Test
    void aTokenThatCameBeforeIsAcknowledgedAtOnce() {
        openEight();
        answersTo(token(1));
        assertEquals(List.of(ack(0, 2), ack(1, 2)), only(Ack.class, answersTo(token(1))), "all, and that one");
        assertEquals(1, near.counters().repeated());
        assertEquals(List.of(3), delivered);
    }

    @Test
    void aDatagramThatLeavesAnywayTakesAnAcknowledgementAlongAMillisecondAfterTheLast() {
        openEight();
        answersTo(token(1));
        assertEquals(1, only(Ack.class, answersTo(token(2))).size());
        long acknowledged = now;
        now = acknowledged + 999;
        List<List<Frame>> early = answersTo(token(3), new Slots(1, 1, 0));
        assertEquals(1, only(RequestSlots.class, early).size(), "the answer to a probe");
        assertEquals(List.of(), only(Ack.class, early));
        assertEquals(List.of(), only(Seen.class, early), "it is told with the acknowledgement");
        now = acknowledged + 1_000;
        List<List<Frame>> late = answersTo(new Slots(1, 1, 0));
        assertEquals(List.of(ack(0, 4)), only(Ack.class, late));
        assertEquals(1, only(Seen.class, late).size());
    }

    @Test
    void fourDatagramsTellWhatWasSeen() {
        openEight();
        for (int i = 0; i < 3; i++) {
            now += 100;
            List<Seen> seen = only(Seen.class, answersTo(new Slots(1, 1, 0)));
            assertEquals(List.of(new Seen(i + 2L, 0)), seen);
        }
        assertEquals(List.of(), only(Seen.class, answersTo(new Slots(1, 1, 0))));
    }

    @Test
    void anAcknowledgementTellsTheHighestHolesThatFitInHalfOfADatagram() {
        near = node(1 << 20, options().datagramBytes(256).maxMessageBytes(60));
        answersTo(new RequestSlots(1, 200, 1, 0));
        for (int slot = 2; slot <= 120; slot += 2) {
            hear(far, token(slot));
        }
        near.flush(now);
        byte[] datagram = sent.get(0);
        assertTrue(datagram.length <= 256, () -> datagram.length + " bytes");
        Ack told = only(Ack.class, taken()).get(0);
        assertEquals(121, told.end());
        int holes = told.holes().length / 2;
        assertTrue(holes >= 7 && holes <= 14, told::toString);
        assertEquals(119, told.holes()[0]);
        assertEquals(119 - 2L * (holes - 1), told.from(), "from the lowest hole that is told");
        assertEquals(told.from(), told.holes()[2 * holes - 2]);
        assertTrue(AckTest.covers(told, 120) && !AckTest.covers(told, 119));
    }

    @Test
    void noMoreThan256AnswersWaitAndNoDatagramIsLongerThanItMayBe() {
        for (int i = 0; i < 300; i++) {
            hear(far, new Slots(1, 1, 0));
        }
        near.flush(now);
        assertTrue(sent.stream().allMatch(each -> each.length <= 1_452));
        assertTrue(sent.stream().limit(sent.size() - 1L).allMatch(each -> each.length > 1_200), "they are filled");
        assertEquals(256, only(RequestSlots.class, taken()).size());
        assertEquals(Long.MAX_VALUE, near.nextDeadline(), "nothing is remembered");
        assertEquals(0, near.counters().peers());
    }

    @Test
    void tokensOfWholeMessagesShareFrames() {
        near = node(1 << 20, options().standbySlots(512, 512));
        List<List<Frame>> datagrams = sendTokens(200);
        assertEquals(1, datagrams.size(), "200 messages of 3 bytes, 6 bytes each");
    }

    @Test
    void tokensFillADatagramAndNotMore() {
        near = node(1 << 20, options().standbySlots(512, 512).datagramBytes(400).maxMessageBytes(60));
        for (int i = 1; i <= 20; i++) {
            near.send(FAR, i, new byte[50], NEVER, now);
        }
        near.flush(now);
        RequestSlots request = only(RequestSlots.class, taken()).get(0);
        hear(far, new Slots(request.from(), 1, request.count()));
        near.flush(now);
        assertTrue(sent.stream().allMatch(each -> each.length <= 400));
        assertEquals(5, taken().get(0).stream().filter(Token.class::isInstance).count(), "28 + 50, then 3 + 50 each");
    }

    @Test
    void silenceSendsEveryOtherRetryToTheConfiguredAddress() {
        sendTokens(1);
        sentTo.clear();
        for (int i = 0; i < 4; i++) {
            assertTrue(only(Token.class, tick(near.nextDeadline())).size() > 0);
        }
        assertEquals(List.of(HEARD, CONFIGURED, HEARD, CONFIGURED), sentTo);
    }

    /** A recording of the first datagram, sent from elsewhere, must not take the peer's datagrams away. */
    @Test
    void untilThePeerHasHeardThisNodeItsConfiguredAddressCountsToo() {
        Address elsewhere = new Place("elsewhere");
        byte[] recorded = far.datagram(new RequestSlots(1, 8, 1, 0));
        near.onDatagram(elsewhere, recorded, recorded.length, now);
        near.flush(now);
        assertEquals(List.of(elsewhere, CONFIGURED), sentTo);
        taken();
        sentTo.clear();
        answersTo(new RequestSlots(1, 8, 1, 0));
        assertEquals(List.of(HEARD), sentTo, "its datagram echoes this node's handle");
    }

    /** The peer speaks of a former life of this node, whose packets had higher numbers; or a recording does. */
    @Test
    void aSeenBeyondAllThatWasSentIsNotBelieved() {
        sendTokens(3);
        Ack first = new Ack(1, LIFE, LIFE + 1, new long[0]);
        assertEquals(List.of(), only(Token.class, answersTo(new Seen(1_000_000, 0), first)), "nothing goes twice");
        now += 500;
        answersTo(new Seen(2, 0), new Ack(1, LIFE + 1, LIFE + 2, new long[0]));
        assertEquals(2, outcomes.size());
        assertTrue(near.nextDeadline() < now + 50_000, "the round-trip time is known");
    }

    @Test
    void anAcknowledgementAloneAndAFrameSeenAloneAreUnderstood() {
        sendTokens(2);
        answersTo(new Ack(1, LIFE, LIFE + 1, new long[0]));
        assertEquals(Map.of(1L, Outcome.DELIVERED), outcomes);
        assertTrue(near.nextDeadline() >= now + 100_000, "the first retry, as no round trip is known");
        now += 4_000;
        answersTo(new Seen(3, 0), new Ack(1, LIFE + 1, LIFE + 2, new long[0]));
        assertEquals(Map.of(1L, Outcome.DELIVERED, 2L, Outcome.DELIVERED), outcomes);
    }

    @Test
    void aRequestWhoseAnswerIsLostIsRepeatedWhenItsDatagramWasSeenAtMostEveryMillisecond() {
        near.send(FAR, 1, new byte[3], NEVER, now);
        near.flush(now);
        assertEquals(1, only(RequestSlots.class, taken()).size());
        now += 300;
        assertEquals(1, only(RequestSlots.class, answersTo(new Seen(1, 0))).size());
        long repeated = now;
        now = repeated + 999;
        assertEquals(List.of(), answersTo(new Seen(2, 0)));
        now = repeated + 1_000;
        assertEquals(1, only(RequestSlots.class, answersTo(new Seen(2, 0))).size());
        now = repeated + 3_000;
        assertEquals(List.of(), answersTo(new Seen(2, 0)), "the third request was not seen");
    }

    @Test
    void unknownEndsWhatLeftUnderThatIncarnation() {
        sendTokens(2);
        answersTo(new Unknown(2));
        assertEquals(Map.of(), outcomes);
        answersTo(new Unknown(1));
        assertEquals(Map.of(1L, Outcome.UNKNOWN, 2L, Outcome.UNKNOWN), outcomes);
        assertTrue(near.nextDeadline() >= now + IDLE, "no retry of what is gone");
    }

    @Test
    void aTokenWithoutARecordIsAcknowledgedInThisLifeAndUnknownBeforeIt() {
        List<List<Frame>> answers =
                answersTo(new Token(LIFE, 5, 0, 1, new byte[3]), new Token(LIFE - 1, 6, 0, 1, new byte[3]));
        assertEquals(List.of(ack(5, 6)), only(Ack.class, answers));
        assertEquals(List.of(new Unknown(LIFE - 1)), only(Unknown.class, answers));
        assertEquals(List.of(), delivered);
    }

    @Test
    void aTokenOfAFormerLifeIsUnknownAndLeavesTheRecordAsItIs() {
        openEight();
        List<List<Frame>> answers = answersTo(new Token(LIFE - 1, 3, 0, 1, new byte[3]));
        assertEquals(List.of(new Unknown(LIFE - 1)), only(Unknown.class, answers));
        answersTo(token(3));
        assertEquals(List.of(3), delivered, "its slot is still open");
    }

    @Test
    void probesOfASilentSenderComeLessAndLessOftenAndTheLastOneBeforeItIsAbandoned() {
        openEight();
        long heard = now;
        assertEquals(heard + IDLE + IDLE / 2, near.nextDeadline());
        assertEquals(List.of(), tick(near.nextDeadline() - 1));
        assertEquals(List.of(new Slots(9, LIFE, 0)), only(Slots.class, tick(heard + IDLE + IDLE / 2)));
        assertEquals(heard + IDLE + IDLE, near.nextDeadline());
        assertEquals(1, only(Slots.class, tick(heard + 2 * IDLE)).size());
        assertEquals(heard + IDLE + 2 * IDLE, near.nextDeadline());
        while (near.nextDeadline() < heard + ABANDON) {
            assertTrue(only(Slots.class, tick(near.nextDeadline())).size() <= 1);
        }
        assertEquals(heard + ABANDON, near.nextDeadline());
        assertEquals(1, only(Slots.class, tick(heard + ABANDON)).size(), "the last question");
        assertEquals(heard + ABANDON + IDLE, near.nextDeadline());
        tick(heard + ABANDON + IDLE - 1);
        assertEquals(0, near.counters().abandoned());
        tick(heard + ABANDON + IDLE);
        assertEquals(1, near.counters().abandoned());
        assertEquals(0, near.counters().receiveRecords());
        List<List<Frame>> answers = answersTo(token(1), new Token(LIFE + 1, 1, 0, 1, new byte[3]));
        assertEquals(List.of(new Unknown(LIFE)), only(Unknown.class, answers));
        assertEquals(List.of(new Ack(LIFE + 1, 1, 2, new long[0])), only(Ack.class, answers));
        assertEquals(List.of(), delivered);
    }

    @Test
    void aRecordThatIsWaivedTellsItsLastAcknowledgementFirst() {
        openEight();
        List<List<Frame>> answers = answersTo(token(1), new RequestSlots(9, 0, 9, 0));
        assertEquals(List.of(ack(0, 2)), only(Ack.class, answers));
        assertEquals(List.of(), only(Slots.class, answers), "nothing was asked for");
        assertEquals(0, near.counters().receiveRecords());
        assertEquals(List.of(), tick(now + Path.ACK_DELAY), "not once more");
    }

    @Test
    void nothingIsToldToANewLifeThatConcernsTheFormerOne() {
        openEight();
        hear(far, token(1), new Slots(1, 1, 0));
        near.send(FAR, 1, new byte[3], NEVER, now);
        ScriptedPeer again = new ScriptedPeer(FAR, 500, NEAR, SECRET);
        hear(again, new Slots(1, 500, 0));
        near.flush(now);
        List<List<Frame>> answers =
                sent.stream().map(each -> again.read(each, HEARD, now)).toList();
        assertEquals(List.of(), only(Ack.class, answers));
        assertEquals(
                1, only(RequestSlots.class, answers).size(), "for the message; no answer to the former life's probe");
        assertEquals(0, near.counters().receiveRecords());
        assertEquals(0, near.counters().openSlots());
    }

    @Test
    void aNewLifeEndsWhatLeftForTheFormerOneAndAsksForSlotsForTheRest() {
        sendTokens(1);
        ScriptedPeer again = new ScriptedPeer(FAR, 500, NEAR, SECRET);
        hear(again, new Slots(1, 500, 0));
        assertEquals(Map.of(1L, Outcome.UNKNOWN), outcomes);
        near.flush(now);
        assertTrue(
                near.nextDeadline() > now + 100_000 || near.nextDeadline() <= now + IDLE, "no retry of what is gone");
        List<List<Frame>> answers =
                sent.stream().map(each -> again.read(each, HEARD, now)).toList();
        assertEquals(1, only(RequestSlots.class, answers).size());
        assertEquals(List.of(), only(Token.class, answers));
    }

    @Test
    void aProbeIsAnsweredByARequestWithoutASendRecordAndBySeenWithOne() {
        assertEquals(
                List.of(new RequestSlots(LIFE, 0, LIFE, 0)), only(RequestSlots.class, answersTo(new Slots(1, 1, 0))));
        sendTokens(1);
        List<List<Frame>> answers = answersTo(new Slots(1, 1, 0));
        assertEquals(1, only(Seen.class, answers).size());
        assertEquals(List.of(), only(RequestSlots.class, answers));
    }

    @Test
    void slotsWithoutASendRecordRaiseTheClockUpToItsBound() {
        near = node(1_000, options());
        RequestSlots waiver = new RequestSlots(205, 0, 205, 0);
        assertEquals(List.of(waiver), only(RequestSlots.class, answersTo(new Slots(200, 1, 5))));
        assertEquals(List.of(waiver), only(RequestSlots.class, answersTo(new Slots(1_000, 1, 1))));
        assertEquals(
                List.of(new RequestSlots(1_000, 0, 1_000, 0)),
                only(RequestSlots.class, answersTo(new Slots(999, 1, 1))));
    }

    @Test
    void noMoreRecordsAreMadeThanMayBe() {
        near = node(1 << 20, options().maxRecords(1));
        openEight();
        ScriptedPeer third = new ScriptedPeer(new NodeId(6, 3), 1, NEAR, SECRET);
        hear(third, new RequestSlots(1, 8, 1, 0));
        assertEquals(1, near.counters().receiveRecords());
        answersTo(new RequestSlots(9, 0, 9, 0));
        hear(third, new RequestSlots(1, 8, 1, 0));
        assertEquals(1, near.counters().receiveRecords(), "the first has gone");
        assertEquals(8, near.counters().openSlots());
    }

    @Test
    void aSenderThatWaitsForRoomGetsItWhenAQuarterIsFree() {
        near = node(1 << 20, options().maxSlots(8, 8).maxMessageBytes(60));
        openEight();
        assertFalse(near.wantsRoom());
        for (int slot = 1; slot <= 8; slot++) {
            hear(far, token(slot));
        }
        assertEquals(List.of(new Slots(9, LIFE, 0)), only(Slots.class, answersTo(new RequestSlots(9, 3, 9, 0))));
        assertTrue(near.wantsRoom());
        near.onTaken(1, now);
        near.flush(now);
        assertEquals(List.of(), only(Slots.class, taken()));
        near.onTaken(1, now);
        near.flush(now);
        assertEquals(List.of(new Slots(9, LIFE, 2)), only(Slots.class, taken()));
        assertTrue(near.wantsRoom(), "one is still wanted");
        near.onTaken(2, now);
        near.flush(now);
        assertEquals(List.of(new Slots(11, LIFE, 1)), only(Slots.class, taken()));
        assertFalse(near.wantsRoom());
    }

    @Test
    void messagesThatWaitForTheClockAskForSlotsWhenItsBoundIsStored() {
        near = node(LIFE + 3, options().clockRange(4));
        for (int i = 1; i <= 6; i++) {
            near.send(FAR, i, new byte[3], NEVER, now);
        }
        near.flush(now);
        RequestSlots request = only(RequestSlots.class, taken()).get(0);
        assertEquals(3, request.count());
        assertEquals(3, only(Token.class, answersTo(new Slots(LIFE, 1, 3))).size());
        assertTrue(bounds.size() > 0 && bounds.get(0) > LIFE + 3, bounds::toString);
        assertEquals(1, bounds.stream().distinct().count(), bounds::toString);
        near.onClockReserved(bounds.get(0), now);
        near.flush(now);
        List<RequestSlots> asked = only(RequestSlots.class, taken());
        assertEquals(1, asked.size());
        assertEquals(LIFE + 3, asked.get(0).from());
        near.onClockReserved(1 << 20, now);
        assertEquals(Collections.emptyList(), taken(), "sent by flush alone");
    }

    @Test
    void aSendRecordWithoutWorkIsClosedAfterItsTime() {
        sendTokens(1);
        now += 100;
        answersTo(new Ack(1, LIFE, LIFE + 1, new long[0]));
        long worked = now;
        assertEquals(worked + IDLE, near.nextDeadline());
        tick(worked + IDLE - 1);
        assertEquals(1, near.counters().sendRecords());
        List<RequestSlots> closing = only(RequestSlots.class, tick(worked + IDLE));
        assertEquals(1, closing.size());
        assertEquals(0, closing.get(0).count());
        assertEquals(closing.get(0).from(), closing.get(0).frontier());
        assertEquals(0, near.counters().sendRecords());
        assertEquals(0, near.counters().peers());
    }

    @Test
    void aDeadlineEndsAMessageAtItsVeryMicrosecond() {
        long deadline = now + 700;
        near.send(FAR, 1, new byte[3], deadline, now);
        near.flush(now);
        taken();
        answersTo(new Slots(LIFE, 1, 5));
        tick(deadline - 1);
        assertEquals(Map.of(), outcomes);
        assertEquals(deadline, near.nextDeadline());
        tick(deadline);
        assertEquals(Map.of(1L, Outcome.UNKNOWN), outcomes);
        assertEquals(List.of(), only(Token.class, tick(deadline + 400_000)), "it is not sent again");
    }
}
