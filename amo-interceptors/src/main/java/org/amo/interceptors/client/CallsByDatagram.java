package org.amo.interceptors.client;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.ClientId;
import org.amo.base.PeerSocket;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.client.AttemptedCall;
import org.amo.core.client.AwaitedDatagram;
import org.amo.core.datagram.CallDatagrams;
import org.amo.core.datagram.ClientDatagrams;
import org.amo.core.datagram.DatagramCipher;
import org.amo.core.request.Answer;
import org.amo.core.sack.FinishedNumbers;
import org.amo.interceptors.CapturedReply;
import org.amo.interceptors.jacorb.MemberAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the first calls of one ORB as datagrams, and waits for their answers in the threads of their callers. There is no connection,
 * no event loop and no thread: for one call, each of them takes longer than the call. The system lets a socket that is bound to a member
 * receive from that member alone, and tells it of a closed port.
 *
 * <p>Any thread. {@link AwaitedDatagram} decides when a datagram leaves again.
 */
final class CallsByDatagram {
    private static final Logger LOG = LoggerFactory.getLogger(CallsByDatagram.class);

    private final ClientId client;
    private final String secret;

    /** Of all groups together: no two of this client have the same number. */
    private final AtomicLong datagrams = new AtomicLong();

    private final Map<String, byte[]> groupKeys = new ConcurrentHashMap<>();
    private final AtomicBoolean told = new AtomicBoolean();

    /**
     * The end of an attempt that left as a datagram.
     *
     * @param reply present if the next step is REPLY
     */
    record Ended(AttemptedCall.Next next, Optional<CapturedReply> reply) {}

    private CallsByDatagram(ClientId client, String secret) {
        this.client = client;
        this.secret = secret;
    }

    /** Those of an ORB; empty if its first calls go over IIOP. */
    static Optional<CallsByDatagram> of(ClientSettings settings, ClientId client) {
        if (settings.firstCallByDatagram() && settings.secret().isEmpty()) {
            LOG.warn(
                    "amo client: first calls go over IIOP, since there is no secret; name the group's by amo.secretFile");
        }
        return settings.firstCallByDatagram()
                ? settings.secret().map(secret -> new CallsByDatagram(client, secret))
                : Optional.empty();
    }

    /** Makes one attempt of the call at that member. Waits for its end, some hundred milliseconds at most. */
    Ended call(LogicalCall call, MemberAddress member, String group, byte[] body, long attemptMillis) {
        ClientDatagrams ofGroup = datagrams(group);
        AwaitedDatagram sent = call.sendDatagram(body, attemptMillis);
        boolean left = false;
        try (PeerSocket socket = open(member)) {
            do {
                left = true;
                socket.send(ofGroup.call(sent.attempt()));
                Optional<CallDatagrams.Answered> answered = await(socket, ofGroup, sent);
                if (answered.isPresent()) {
                    return ended(call, sent, answered.get());
                }
            } while (sent.leavesAgain(Clock.nowMillis()));
            tellOfSilence(member);
        } catch (IOException unreachable) {
            LOG.debug("amo client: a first call by datagram to {} failed", member, unreachable);
        } catch (MalformedFrameException otherVersion) {
            LOG.warn("amo client: cannot read the answer of a member: {}", otherVersion.getMessage());
        }
        boolean mayHaveLeft = left;
        return new Ended(call.ended((core, now, wall) -> sent.onLost(mayHaveLeft, now)), Optional.empty());
    }

    /** Sends acknowledgements alone. Nothing tells whether they arrive. */
    void acknowledge(MemberAddress member, String group, long timestampMillis, FinishedNumbers finished) {
        Optional<byte[]> datagram = datagrams(group).finished(timestampMillis, finished);
        if (datagram.isPresent()) {
            try (PeerSocket socket = open(member)) {
                socket.send(datagram.get());
            } catch (IOException lost) {
                LOG.debug("amo client: acknowledgements to {} are lost", member, lost);
            }
        }
    }

    private ClientDatagrams datagrams(String group) {
        byte[] key = groupKeys.computeIfAbsent(group, name -> DatagramCipher.groupKey(name, secret));
        return new ClientDatagrams(client, group, Optional.of(DatagramCipher.keys(key)), datagrams::incrementAndGet);
    }

    private static PeerSocket open(MemberAddress member) throws IOException {
        return new PeerSocket(member.host(), member.port(), CallDatagrams.MAX_BYTES);
    }

    /** Waits for the answer until the same attempt is to leave again. */
    private static Optional<CallDatagrams.Answered> await(
            PeerSocket socket, ClientDatagrams ofGroup, AwaitedDatagram sent) throws IOException {
        return socket.await(() -> sent.waitsUntilMillis() - Clock.nowMillis(), datagram -> ofGroup.answer(datagram)
                .filter(each -> each.copy() == sent.attempt().copy()));
    }

    private static Ended ended(LogicalCall call, AwaitedDatagram sent, CallDatagrams.Answered answered) {
        if (answered.answer().isEmpty()) {
            boolean stays = answered.form() == CallDatagrams.Form.BY_CONNECTION;
            return new Ended(call.ended((core, now, wall) -> sent.onTurnedAway(stays, now)), Optional.empty());
        }
        Answer answer = answered.answer().get();
        // Read first: a reply that this version cannot read is asked for over IIOP.
        Optional<CapturedReply> reply = answer.kind() == Answer.Kind.REPLY
                ? Optional.of(CapturedReply.decode(answer.reply()))
                : Optional.empty();
        return new Ended(call.ended((core, now, wall) -> sent.onAnswer(answer, now, wall)), reply);
    }

    private void tellOfSilence(MemberAddress member) {
        if (told.compareAndSet(false, true)) {
            LOG.warn(
                    "amo client: {} did not answer the first call by datagram, which goes on over IIOP; the secret may be"
                            + " another one, or a firewall drops datagrams to that UDP port",
                    member);
        }
    }
}
