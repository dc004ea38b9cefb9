package org.amo.replication.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.amo.base.ClientId;
import org.amo.base.SecretRing;
import org.amo.base.observe.Reading;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.client.Attempt;
import org.amo.core.datagram.CallDatagrams;
import org.amo.core.datagram.DatagramCipher;
import org.amo.core.replica.ObservedReplica;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.ProcessEnd;
import org.amo.replication.rpc.DatagramServer.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A member's reaction to datagrams, without a socket. */
@Timeout(30)
class DatagramServerTest {
    private static final String SECRET = "00112233445566778899aabbccddeeff".repeat(2);
    private static final ClientId CLIENT = new ClientId(1, 2);
    private static final InetSocketAddress HOME = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    private static final InetSocketAddress ELSEWHERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 2);
    private static final long NOW = 1_700_000_000_000L;
    private static final int MOST_BYTES = 65_507;
    private static final long UPPER = NOW - 300_000;

    private final HeldService service = new HeldService();
    private final RpcKey key = RpcKey.of("bank", SECRET);
    private final DatagramCipher client =
            new DatagramCipher(Optional.of(key.first().datagrams()));
    private final List<Sent> sent = new ArrayList<>();
    private final ServerInHand server = new ServerInHand(Optional.of(key));
    private long number;

    private record Sent(byte[] datagram, InetSocketAddress to) {}

    /** Sends into a list, and runs everything at once. */
    private class ServerInHand extends DatagramServer {
        private final EmbeddedChannel socket = new EmbeddedChannel(new ChannelInboundHandlerAdapter());

        ServerInHand(Optional<RpcKey> groupKey) {
            this(groupKey, body -> OptionalLong.of(1));
        }

        ServerInHand(Optional<RpcKey> groupKey, Function<byte[], OptionalLong> fingerprints) {
            super(
                    FrameServerOptions.builder("bank", "a", body -> 1)
                            .key(groupKey)
                            .udp(true)
                            .build(),
                    service,
                    ProcessEnd.atOnce(),
                    fingerprints);
            time(NOW, UPPER);
        }

        @Override
        void inLoop(Runnable task) {
            task.run();
        }

        @Override
        void transmit(byte[] datagram, InetSocketAddress to) {
            sent.add(new Sent(datagram, to));
        }

        /** As the socket does. */
        void read(byte[] datagram) {
            DatagramPacket packet = new DatagramPacket(Unpooled.wrappedBuffer(datagram), ELSEWHERE, HOME);
            channelRead(socket.pipeline().firstContext(), packet);
            submitGathered();
            assertTrue(packet.refCnt() == 0 || datagram.length == 0, "its memory is free again");
        }

        Outcome comes(byte[] datagram, InetSocketAddress from) {
            Outcome outcome = onDatagram(from, datagram);
            submitGathered();
            return outcome;
        }
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void aCallIsHandedToTheReplicaAndAnsweredAtItsAddress() {
        assertEquals(Outcome.TAKEN, server.comes(call(attempt(NOW), 0), HOME));
        assertEquals(1, service.arrived.get());
        assertEquals(Principal.UNKNOWN, service.senders.remove(), "an address that proves nothing is charged nothing");
        service.answerAll();
        assertEquals(HOME, sent.get(0).to());
        assertEquals(Answer.Kind.REPLY, answer(0).answer().orElseThrow().kind());
        assertEquals(5, answer(0).copy());
    }

    @Test
    void theSameAttemptFromAnotherAddressIsAnsweredThereByTheReplicaAndNotFromHere() {
        server.comes(call(attempt(NOW), 0), HOME);
        service.answerAll();
        assertEquals(Outcome.TAKEN, server.comes(call(attempt(NOW), 0), ELSEWHERE));
        assertEquals(2, service.arrived.get(), "the replica alone knows replies");
        service.answerAll();
        assertEquals(ELSEWHERE, sent.get(1).to());
        // Another client at the first address gets no reply of the first one.
        assertEquals(1, sent.stream().filter(each -> each.to().equals(HOME)).count());
    }

    @Test
    void nothingReachesTheReplicaWithoutTheSeal() {
        byte[] good = call(attempt(NOW), 0);
        for (int bit = 0; bit < 8 * good.length; bit++) {
            byte[] flipped = good.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertTrue(isDropped(flipped), "bit " + bit);
        }
        assertTrue(isDropped(new DatagramCipher(
                        Optional.of(GroupKey.of("bank", "ff".repeat(32)).datagrams()))
                .seal(head(CallDatagrams.CALL, true), content(attempt(NOW), 0))));
        assertEquals(
                Outcome.UNSEALED,
                server.comes(
                        new DatagramCipher(Optional.empty())
                                .seal(head(CallDatagrams.CALL, false), content(attempt(NOW), 0)),
                        HOME));
        assertEquals(0, service.arrived.get());
        assertEquals(0, service.acknowledged.get());
        assertEquals(List.of(), sent, "a stranger is not answered");
        assertEquals(Outcome.TAKEN, server.comes(good, HOME), "nothing was remembered of the forgeries");
    }

    @Test
    void whileTwoSecretsAreAcceptedACallIsAnsweredUnderItsOwnAndOnce() {
        String other = "ee".repeat(32);
        SecretRing ring = SecretRing.of(SECRET);
        ServerInHand exchanging = new ServerInHand(Optional.of(RpcKey.of("bank", ring)));
        DatagramCipher next =
                new DatagramCipher(Optional.of(GroupKey.of("bank", other).datagrams()));
        try {
            byte[] underNext = next.seal(head(CallDatagrams.CALL, true), content(attempt(NOW), 0));
            assertEquals(Outcome.FORGED, exchanging.comes(underNext, HOME));
            ring.change("amo secrets\n" + other + "\n" + SECRET);
            byte[] underOld = call(attempt(NOW), 0);
            assertEquals(Outcome.TAKEN, exchanging.comes(underOld, HOME));
            assertEquals(Outcome.TAKEN, exchanging.comes(underNext, HOME));
            assertEquals(Outcome.REPEATED, exchanging.comes(underOld, HOME));
            assertEquals(Outcome.REPEATED, exchanging.comes(underNext, HOME));
            service.answerAll();
            assertEquals(Answer.Kind.REPLY, answer(0).answer().orElseThrow().kind());
            byte[] answer = sent.get(1).datagram();
            assertTrue(next.open(CallDatagrams.readHead(answer).orElseThrow(), answer)
                    .isPresent());
            ring.change(other);
            assertEquals(Outcome.FORGED, exchanging.comes(call(attempt(NOW), 0), HOME));
            assertEquals(Outcome.REPEATED, exchanging.comes(underNext, HOME));
        } finally {
            exchanging.close();
        }
    }

    private boolean isDropped(byte[] datagram) {
        return EnumSet.of(Outcome.FORGED, Outcome.UNSEALED, Outcome.MALFORMED, Outcome.VERSION)
                .contains(server.comes(datagram, HOME));
    }

    /** As the socket brings them: what begins like a call, too. */
    @Test
    void datagramsOfEveryLengthAreDroppedForTheirLengthOrTheirSeal() {
        byte[] longest = Arrays.copyOf(call(attempt(NOW), 0), MOST_BYTES);
        for (int length = 0; length <= MOST_BYTES; length++) {
            server.read(Arrays.copyOf(longest, length));
        }
        // One of them is the call itself.
        assertEquals(1, server.counts().get("TAKEN"));
        assertEquals(31L + MOST_BYTES - CallDatagrams.MAX_BYTES, server.counts().get("LENGTH"));
        assertEquals(CallDatagrams.MAX_BYTES - 31L, server.counts().get("FORGED"));
        assertEquals(0, sent.size(), "a stranger is not answered");
    }

    @Test
    void otherVersionsAndProtocolsAreCountedApartFromForgeries() {
        byte[] other = call(attempt(NOW), 0);
        other[4] = 2;
        assertEquals(Outcome.VERSION, server.comes(other, HOME));
        other[4] = 1;
        other[0] = 'X';
        assertEquals(Outcome.VERSION, server.comes(other, HOME));
        other[0] = 'A';
        other[5] = CallDatagrams.ANSWER;
        assertEquals(Outcome.MALFORMED, server.comes(other, HOME), "no member answers a member");
    }

    @Test
    void aClockThatIsAnHourBehindCostsNoEntryAndOneThatIsAheadIsTheGroupsToRefuse() {
        assertEquals(Outcome.STALE, server.comes(call(attempt(NOW - 3_600_000), 0), HOME));
        assertEquals(0, service.arrived.get());
        assertEquals(
                Optional.of(Refusal.STALE), answer(0).answer().orElseThrow().refusal());
        assertEquals(Outcome.TAKEN, server.comes(call(attempt(NOW + 3_600_000), 0), HOME));
        assertEquals(1, service.arrived.get(), "TOO_EARLY is decided in the order");
    }

    @Test
    void theMetricsHaveEveryOutcomeBeforeItsFirstDatagram() {
        ObservedReplica member = new ObservedReplica("bank", "a", List.of(), Optional::empty, peer -> "");
        Set<String> told = member.readings().stream()
                .filter(reading -> reading.name().equals("amo_replica_datagrams_total"))
                .map(Reading::labels)
                .map(labels -> labels.get("outcome"))
                .collect(Collectors.toSet());
        assertEquals(server.counts().keySet(), told);
    }

    @Test
    void aClientSpeaksForItselfAlone() {
        CallDatagrams.Head other = new CallDatagrams.Head(CallDatagrams.CALL, true, new ClientId(3, 4), 1, new byte[0]);
        byte[] lent = client.seal(other, content(attempt(NOW), 0));
        assertEquals(Outcome.MALFORMED, server.comes(lent, HOME));
        assertEquals(0, service.arrived.get());
    }

    @Test
    void aDatagramThatComesTwiceIsHandedOnOnceAndARetransmissionIsNotTakenForIt() {
        byte[] first = call(attempt(NOW), 0);
        assertEquals(Outcome.TAKEN, server.comes(first, HOME));
        assertEquals(Outcome.REPEATED, server.comes(first, ELSEWHERE));
        assertEquals(Outcome.TAKEN, server.comes(call(attempt(NOW), 0), HOME));
        assertEquals(2, service.arrived.get());
    }

    @Test
    void aRecordingOfLongAgoCostsNoEntryOfTheOrder() {
        long old = UPPER - 3 * 86_400_000L;
        assertEquals(Outcome.STALE, server.comes(call(attempt(old), 0), HOME));
        assertEquals(0, service.arrived.get());
        assertEquals(
                Optional.of(Refusal.STALE), answer(0).answer().orElseThrow().refusal());
        // Behind the bound, but its number may be live: the replica has to tell.
        Attempt patient = attempt(UPPER, NOW + 1);
        assertEquals(Outcome.TAKEN, server.comes(call(patient, 0), HOME));
        assertEquals(Outcome.STALE, server.comes(finished(UPPER), HOME));
        assertEquals(0, service.acknowledged.get());
        assertEquals(Outcome.TAKEN, server.comes(finished(UPPER + 1), HOME));
        assertEquals(1, service.acknowledged.get());
    }

    @Test
    void noAnswerHasMoreThanThreeTimesTheBytesOfItsDatagram() {
        for (int body : new int[] {0, 100, 600, 1_000}) {
            for (int replyBytes : new int[] {0, 200, 300, 900, 1_080, 1_100, 1_110, 1_120, 1_200, 70_000}) {
                sent.clear();
                service.replyBytes = replyBytes;
                byte[] datagram = call(attempt(NOW), body);
                server.comes(datagram, HOME);
                service.answerAll();
                byte[] reply = sent.get(0).datagram();
                assertTrue(
                        reply.length <= Math.min(CallDatagrams.MAX_BYTES, 3 * datagram.length),
                        datagram.length + " bytes get " + reply.length);
                boolean whole = answer(0).form() == CallDatagrams.Form.ANSWERED;
                assertEquals(whole, replyBytes <= 1_080 || reply.length > 1_160, body + " " + replyBytes);
            }
        }
        sent.clear();
        service.replyBytes = 300;
        byte[] bare = client.seal(
                head(CallDatagrams.CALL, true), CallDatagrams.call("bank", attempt(NOW), FinishedNumbers.NONE, 0));
        server.comes(bare, HOME);
        service.answerAll();
        assertTrue(sent.get(0).datagram().length <= 3 * bare.length);
        assertEquals(CallDatagrams.Form.BY_CONNECTION, answer(0).form(), "a short datagram gets a short answer");
    }

    /** As a CORBA member says of objects that it has to ask JacORB about, and of bytes that are no request. */
    @Test
    void aRequestThatComesOverAConnectionAloneIsSentThereAndABrokenOneIsDropped() {
        AtomicInteger asked = new AtomicInteger();
        ServerInHand choosy = new ServerInHand(Optional.of(key), body -> {
            asked.incrementAndGet();
            if (body.length == 3) {
                throw new MalformedFrameException("no request");
            }
            return body.length == 2 ? OptionalLong.empty() : OptionalLong.of(9);
        });
        try {
            byte[] forged = call(attempt(NOW), 3);
            forged[forged.length - 1] ^= 1;
            assertEquals(Outcome.FORGED, choosy.comes(forged, HOME));
            assertEquals(0, asked.get(), "nothing is asked before the seal is checked");
            assertEquals(Outcome.TURNED_AWAY, choosy.comes(call(attempt(NOW), 2), HOME));
            assertEquals(CallDatagrams.Form.BY_CONNECTION, answer(0).form());
            assertEquals(Outcome.MALFORMED, choosy.comes(call(attempt(NOW), 3), HOME));
            assertEquals(0, service.arrived.get());
            assertEquals(1, sent.size());
            assertEquals(Outcome.TAKEN, choosy.comes(call(attempt(NOW), 1), HOME));
            assertEquals(1, service.arrived.get());
        } finally {
            choosy.close();
        }
    }

    @Test
    void beyondItsRoomAMemberRefuses() {
        for (int call = 0; call < DatagramServer.MOST_CALLS; call++) {
            assertEquals(Outcome.TAKEN, server.comes(call(attempt(NOW), 0), HOME));
        }
        assertEquals(Outcome.OVERLOADED, server.comes(call(attempt(NOW), 0), HOME));
        assertEquals(Outcome.OVERLOADED, server.comes(finished(NOW), HOME));
        assertEquals(
                Optional.of(Refusal.OVERLOADED),
                answer(0).answer().orElseThrow().refusal());
        service.answerAll();
        assertEquals(Outcome.TAKEN, server.comes(call(attempt(NOW), 0), HOME));
    }

    @Test
    void aMemberThatStopsAnswersItsCallsAndSendsOthersElsewhere() {
        server.comes(call(attempt(NOW), 0), HOME);
        assertEquals(false, server.drain().isDone());
        assertEquals(Outcome.DRAINING, server.comes(call(attempt(NOW), 0), HOME));
        assertEquals(CallDatagrams.Form.ELSEWHERE, answer(0).form());
        service.answerAll();
        assertTrue(server.drain().isDone());
    }

    @Test
    void aServiceThatFailsIsAnsweredUnknown() {
        service.fails = true;
        server.comes(call(attempt(NOW), 0), HOME);
        assertEquals(Answer.Kind.UNKNOWN, answer(0).answer().orElseThrow().kind());
    }

    @Test
    void aGroupWithoutASecretTellsOtherGroupsByTheirNames() {
        ServerInHand open = new ServerInHand(Optional.empty());
        DatagramCipher none = new DatagramCipher(Optional.empty());
        try {
            byte[] stray = none.seal(
                    head(CallDatagrams.CALL, false),
                    CallDatagrams.call("other", attempt(NOW), FinishedNumbers.NONE, 300));
            assertEquals(Outcome.OTHER_GROUP, open.comes(stray, HOME));
            assertEquals(Outcome.UNSEALED, open.comes(call(attempt(NOW), 0), HOME));
            assertEquals(
                    Outcome.TAKEN,
                    open.comes(none.seal(head(CallDatagrams.CALL, false), content(attempt(NOW), 0)), HOME));
        } finally {
            open.close();
        }
    }

    private CallDatagrams.Head head(int kind, boolean sealed) {
        return new CallDatagrams.Head(kind, sealed, CLIENT, ++number, new byte[0]);
    }

    private static Attempt attempt(long timestamp) {
        return attempt(timestamp, timestamp + 10_000);
    }

    private static Attempt attempt(long timestamp, long deadline) {
        return new Attempt(
                5, RequestId.own(CLIENT, 1), timestamp, deadline, false, FinishedNumbers.NONE, new byte[] {1});
    }

    private byte[] call(Attempt attempt, int body) {
        return client.seal(head(CallDatagrams.CALL, true), content(attempt, body));
    }

    private byte[] content(Attempt attempt, int body) {
        Attempt whole = new Attempt(
                attempt.copy(),
                attempt.id(),
                attempt.timestampMillis(),
                attempt.deadlineMillis(),
                false,
                attempt.finished(),
                new byte[body]);
        return CallDatagrams.call("bank", whole, FinishedNumbers.NONE, CallDatagrams.LEAST_CALL_BYTES - 47);
    }

    private byte[] finished(long timestamp) {
        return client.seal(
                head(CallDatagrams.FINISHED, true),
                CallDatagrams.finished("bank", CLIENT, timestamp, FinishedNumbers.of(1)));
    }

    private CallDatagrams.Answered answer(int index) {
        byte[] datagram = sent.get(index).datagram();
        return CallDatagrams.readAnswer(
                client.open(CallDatagrams.readHead(datagram).orElseThrow(), datagram)
                        .orElseThrow());
    }
}
