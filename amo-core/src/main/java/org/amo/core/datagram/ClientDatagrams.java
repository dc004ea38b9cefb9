package org.amo.core.datagram;

import java.util.Optional;
import java.util.function.LongSupplier;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.Seal;
import org.amo.core.client.Attempt;
import org.amo.core.sack.FinishedNumbers;

/**
 * The datagrams between one client and the members of one group: writes and seals calls and acknowledgements, and opens answers. Sends
 * nothing. One thread owns it.
 */
public final class ClientDatagrams {
    private static final byte[] NO_SALT = {};

    private final ClientId client;
    private final String group;
    private final DatagramCipher cipher;
    private final LongSupplier numbers;

    /**
     * @param client the sender; no other process sends datagrams in its name
     * @param keys of {@link DatagramCipher#keys}; empty for a group without a secret
     * @param numbers counts the client's datagrams: never the same number twice
     */
    public ClientDatagrams(ClientId client, String group, Optional<Seal> keys, LongSupplier numbers) {
        this.client = client;
        this.group = group;
        this.cipher = new DatagramCipher(keys);
        this.numbers = numbers;
    }

    /** Whether a request of so many bytes fits a datagram. */
    public static boolean fits(int bodyBytes) {
        return bodyBytes <= CallDatagrams.MAX_BODY_BYTES;
    }

    /** The datagram of an attempt, another one at each call. */
    public byte[] call(Attempt attempt) {
        CallDatagrams.Head head = head(CallDatagrams.CALL);
        int beside = head.bytes() + cipher.tagBytes();
        int least = CallDatagrams.LEAST_CALL_BYTES - beside;
        byte[] content = CallDatagrams.call(group, attempt, attempt.finished(), least);
        if (beside + content.length > CallDatagrams.MAX_BYTES) {
            // Many ranges of acknowledgements: the group forgets these calls at their deadlines.
            content = CallDatagrams.call(group, attempt, FinishedNumbers.NONE, least);
        }
        return cipher.seal(head, content);
    }

    /** The datagram of acknowledgements alone; empty if they are too many for one. */
    public Optional<byte[]> finished(long timestampMillis, FinishedNumbers finished) {
        CallDatagrams.Head head = head(CallDatagrams.FINISHED);
        byte[] content = CallDatagrams.finished(group, client, timestampMillis, finished);
        return head.bytes() + cipher.tagBytes() + content.length <= CallDatagrams.MAX_BYTES
                ? Optional.of(cipher.seal(head, content))
                : Optional.empty();
    }

    /** The answer in a datagram; empty if no member of the group sent it to this client. */
    public Optional<CallDatagrams.Answered> answer(byte[] datagram) {
        try {
            return CallDatagrams.readHead(datagram)
                    .filter(head ->
                            head.kind() == CallDatagrams.ANSWER && head.client().equals(client))
                    .flatMap(head -> cipher.open(head, datagram))
                    .map(CallDatagrams::readAnswer);
        } catch (MalformedFrameException e) {
            return Optional.empty();
        }
    }

    private CallDatagrams.Head head(int kind) {
        return new CallDatagrams.Head(kind, cipher.isKeyed(), client, numbers.getAsLong(), NO_SALT);
    }
}
