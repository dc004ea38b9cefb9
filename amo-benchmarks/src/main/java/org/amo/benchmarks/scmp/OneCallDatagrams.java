package org.amo.benchmarks.scmp;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.base.wire.AesGcm;
import org.amo.base.wire.Seal;
import org.amo.base.wire.Secrets;
import org.amo.base.wire.WireWriter;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;

/**
 * The datagrams of clients that make one call each, by docs/wire/first-call.md: a client of the library would itself be measured. One
 * thread owns it.
 */
final class OneCallDatagrams {
    private static final int MAGIC = 0x414D_4F55;
    private static final int CLIENT_AT = 7;
    private static final int NUMBER_AT = 23;
    private static final int HEAD_BYTES = 31;
    private static final int SALT_BYTES = 16;
    private static final int LEAST_BYTES = 400;
    private static final int CALL = 1;
    private static final int FINISHED = 2;
    private static final long LIFE_MILLIS = 10_000;

    private final String group;
    private final Seal keys;
    private final AesGcm cipher = new AesGcm();
    private long numbers;

    /** @param secret 64 hexadecimal digits */
    OneCallDatagrams(String group, String secret) {
        this.group = group;
        this.keys = Seal.ofKey(Secrets.key(secret, "amo rpc " + group)).derive("amo call 1");
    }

    /** The first attempt of a client's only call, as a datagram that never left before. */
    byte[] call(ClientId client, long timestampMillis, byte[] body) {
        RequestContext.Call call = new RequestContext.Call(1, timestampMillis, timestampMillis + LIFE_MILLIS);
        WireWriter content = new WireWriter(LEAST_BYTES);
        content.text(group);
        content.varint(1);
        content.u8(0);
        content.blob(new RequestContext(client, Optional.of(call), FinishedNumbers.NONE).encode());
        content.blob(body);
        int least = LEAST_BYTES - HEAD_BYTES - AesGcm.TAG_BYTES;
        return sealed(CALL, client, Arrays.copyOf(content.take(), Math.max(least, content.size())));
    }

    /** The client's acknowledgement of the reply. */
    byte[] finished(ClientId client, long timestampMillis) {
        WireWriter content = new WireWriter(64);
        content.text(group);
        content.i64(timestampMillis);
        content.blob(new RequestContext(client, Optional.empty(), FinishedNumbers.of(1)).encode());
        return sealed(FINISHED, client, content.toBytes());
    }

    private byte[] sealed(int kind, ClientId client, byte[] content) {
        long number = ++numbers;
        WireWriter head = new WireWriter(HEAD_BYTES);
        head.i32(MAGIC);
        head.u8(1);
        head.u8(kind);
        head.u8(1);
        head.clientId(client);
        head.i64(number);
        byte[] datagram = Arrays.copyOf(head.take(), HEAD_BYTES + content.length + AesGcm.TAG_BYTES);
        byte[] key = keys.hash("to member", bytes(client));
        cipher.seal(AesGcm.key(key), number, content, 0, content.length, datagram, HEAD_BYTES);
        return datagram;
    }

    /** The client of an answer. */
    static ClientId clientOf(byte[] answer) {
        ByteBuffer head = ByteBuffer.wrap(answer);
        return new ClientId(head.getLong(CLIENT_AT), head.getLong(CLIENT_AT + Long.BYTES));
    }

    /** Whether an answer has the reply to the first attempt of its client, under the right seal. */
    boolean isReply(byte[] answer) {
        int header = HEAD_BYTES + SALT_BYTES;
        if (answer.length < header + AesGcm.TAG_BYTES) {
            return false;
        }
        byte[] salt = Arrays.copyOfRange(answer, HEAD_BYTES, header);
        byte[] key = keys.hash("to client", bytes(clientOf(answer)), salt);
        long number = ByteBuffer.wrap(answer).getLong(NUMBER_AT);
        Optional<byte[]> content = cipher.open(AesGcm.key(key), number, answer, 0, answer.length, header);
        // Form 0, attempt 1, kind 0: a reply.
        return content.filter(fields -> fields.length > 2 && fields[0] == 0 && fields[1] == 1 && fields[2] == 0)
                .isPresent();
    }

    private static byte[] bytes(ClientId client) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(client.high())
                .putLong(client.low())
                .array();
    }
}
