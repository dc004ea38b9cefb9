package org.amo.benchmarks.scmp;

import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.client.Attempt;
import org.amo.core.datagram.CallDatagrams;
import org.amo.core.datagram.DatagramCipher;
import org.amo.core.request.Answer;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;

/**
 * The datagrams of clients that make one call each. All of them share a cipher: an object of the library for each client would itself be
 * measured. One thread owns it.
 */
final class OneCallDatagrams {
    private static final long LIFE_MILLIS = 10_000;
    private static final long ATTEMPT = 1;
    private static final byte[] NO_SALT = {};

    private final String group;
    private final DatagramCipher cipher;
    private long numbers;

    /** @param secret 64 hexadecimal digits */
    OneCallDatagrams(String group, String secret) {
        this.group = group;
        this.cipher = new DatagramCipher(Optional.of(DatagramCipher.keys(DatagramCipher.groupKey(group, secret))));
    }

    /** The first attempt of a client's only call, as a datagram that never left before. */
    byte[] call(ClientId client, long timestampMillis, byte[] body) {
        Attempt attempt = new Attempt(
                ATTEMPT,
                RequestId.own(client, 1),
                timestampMillis,
                timestampMillis + LIFE_MILLIS,
                false,
                FinishedNumbers.NONE,
                body);
        CallDatagrams.Head head = head(CallDatagrams.CALL, client);
        int least = CallDatagrams.LEAST_CALL_BYTES - head.bytes() - cipher.tagBytes();
        return cipher.seal(head, CallDatagrams.call(group, attempt, FinishedNumbers.NONE, least));
    }

    /** The client's acknowledgement of the reply. */
    byte[] finished(ClientId client, long timestampMillis) {
        return cipher.seal(
                head(CallDatagrams.FINISHED, client),
                CallDatagrams.finished(group, client, timestampMillis, FinishedNumbers.of(1)));
    }

    private CallDatagrams.Head head(int kind, ClientId client) {
        return new CallDatagrams.Head(kind, cipher.isKeyed(), client, ++numbers, NO_SALT);
    }

    /**
     * What a member answered under the right seal.
     *
     * @param client whom it answers
     * @param answer empty if it turned the call away
     */
    record Told(ClientId client, Optional<Answer> answer) {
        boolean isReply() {
            return answer.filter(each -> each.kind() == Answer.Kind.REPLY).isPresent();
        }
    }

    /** Empty if these bytes are no answer to a call of {@link #call}. */
    Optional<Told> told(byte[] answer) {
        try {
            return CallDatagrams.readHead(answer)
                    .filter(head -> head.kind() == CallDatagrams.ANSWER)
                    .flatMap(head -> cipher.open(head, answer)
                            .map(CallDatagrams::readAnswer)
                            .filter(answered -> answered.copy() == ATTEMPT)
                            .map(answered -> new Told(head.client(), answered.answer())));
        } catch (MalformedFrameException e) {
            return Optional.empty();
        }
    }
}
