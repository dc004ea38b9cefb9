package org.amo.replication.service;

import java.io.IOException;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.base.PeerSocket;
import org.amo.core.client.AttemptedCall;
import org.amo.core.client.AwaitedDatagram;
import org.amo.core.client.ClientCall;
import org.amo.core.client.ClientSession;
import org.amo.core.client.Step;
import org.amo.core.datagram.CallDatagrams;
import org.amo.core.datagram.ClientDatagrams;
import org.amo.core.order.Member;
import org.amo.core.request.Answer;
import org.amo.replication.rpc.RpcKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only call of a client, which its caller's thread sends as a datagram and waits for: no connection, no event loop and no thread are
 * made for it. If no datagram brings its outcome, it goes on over a connection under its {@link #identity}. A reply is acknowledged at once,
 * since the client ends with it.
 *
 * <p>One thread owns it. Nothing survives a crash.
 */
final class OneCall {
    private static final Logger LOG = LoggerFactory.getLogger(OneCall.class);

    private final String group;
    private final ClientDatagrams datagrams;
    private final ClientSession session;
    private final AttemptedCall call;

    /** Counts this client's datagrams. */
    private long sent;

    /** @param client drawn for this call alone */
    OneCall(String group, ClientId client, Optional<RpcKey> key, long timeoutMillis) {
        this.group = group;
        this.datagrams = new ClientDatagrams(client, group, key.map(RpcKey::datagrams), () -> ++sent);
        this.session = new ClientSession(client);
        this.call = new AttemptedCall(session, false, timeoutMillis, AttemptedCall.GRACE_MILLIS, ClientLoop.now());
    }

    /** Under it the call goes on. */
    ClientCall.Identity identity() {
        return call.takeNumber(ClientLoop.now(), System.currentTimeMillis()).identity();
    }

    /** On the clock of {@link ClientLoop#now}. */
    long endMillis() {
        return call.endMillis();
    }

    /**
     * Calls that member, and waits for some hundred milliseconds at most.
     *
     * @return the reply; empty if the call goes on
     * @throws AmoException if there is another outcome
     */
    Optional<byte[]> call(Member member, byte[] request) {
        AwaitedDatagram attempt = new AwaitedDatagram(
                session, call, request, AttemptedCall.ATTEMPT_MILLIS, ClientLoop.now(), System.currentTimeMillis());
        boolean left = false;
        try (PeerSocket socket = new PeerSocket(member.host(), member.clientPort(), CallDatagrams.MAX_BYTES)) {
            do {
                left = true;
                socket.send(datagrams.call(attempt.attempt()));
                Optional<CallDatagrams.Answered> answered = await(socket, attempt);
                if (answered.isPresent()) {
                    return onAnswered(socket, attempt, answered.get());
                }
            } while (attempt.leavesAgain(ClientLoop.now()));
        } catch (IOException unreachable) {
            LOG.debug("a first call of group {} by datagram to {} failed", group, member, unreachable);
        }
        return onNext(attempt.onLost(left, ClientLoop.now()).step());
    }

    /** Waits for the answer until the same attempt is to leave again. */
    private Optional<CallDatagrams.Answered> await(PeerSocket socket, AwaitedDatagram attempt) throws IOException {
        return socket.await(() -> attempt.waitsUntilMillis() - ClientLoop.now(), datagram -> datagrams
                .answer(datagram)
                .filter(each -> each.copy() == attempt.attempt().copy()));
    }

    private Optional<byte[]> onAnswered(PeerSocket socket, AwaitedDatagram attempt, CallDatagrams.Answered answered) {
        if (answered.answer().isEmpty()) {
            boolean stays = answered.form() == CallDatagrams.Form.BY_CONNECTION;
            return onNext(attempt.onTurnedAway(stays, ClientLoop.now()).step());
        }
        Answer answer = answered.answer().get();
        Step step = attempt.onAnswer(answer, ClientLoop.now(), System.currentTimeMillis())
                .step();
        if (step.kind() != Step.Kind.REPLY) {
            return onNext(step);
        }
        call.finish(Step.Kind.REPLY);
        acknowledge(socket, attempt.attempt().timestampMillis());
        return Optional.of(answer.reply());
    }

    /** If it is lost, the group keeps the reply until its deadline. */
    private void acknowledge(PeerSocket socket, long timestampMillis) {
        try {
            Optional<byte[]> datagram = datagrams.finished(timestampMillis, session.carry(ClientLoop.now()));
            if (datagram.isPresent()) {
                socket.send(datagram.get());
            }
        } catch (IOException lost) {
            LOG.debug("an acknowledgement to group {} is lost", group, lost);
        }
    }

    private Optional<byte[]> onNext(Step step) {
        return switch (step.kind()) {
            case NOT_EXECUTED ->
                throw new AmoNotExecutedException(
                        "call " + call.id() + " of group " + group + " was not executed"
                                + step.reason().map(why -> ": " + why).orElse(""),
                        step.reason());
            case UNKNOWN ->
                throw new AmoUnknownException(
                        "call " + call.id() + " of group " + group + " ran once or not at all; its outcome is unknown");
            case REPLY, SEND_AGAIN, WAIT -> Optional.empty();
        };
    }
}
