package org.amo.lab.attack;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;
import javax.crypto.SecretKey;
import org.amo.base.ClientId;
import org.amo.base.wire.AesGcm;
import org.amo.base.wire.Seal;
import org.amo.base.wire.Secrets;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Answer;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;
import org.amo.core.wire.RequestFields;
import org.amo.replication.service.AmoReplica;

/** A connection of a Java client made of bytes (docs/wire/rpc.md), which can be held to no rule. One thread owns it. */
final class RpcWire {
    static final int MAX_BYTES = (64 << 20) + (48 << 10) + 80;

    static final int HELLO = 1;
    static final int WELCOME = 2;
    static final int REQUEST = 4;
    static final int FINISHED = 5;
    static final int ANSWER = 6;
    static final int STATE = 7;
    private static final int TYPED_CALL = 0xA1;
    static final int ASK = 9;
    static final int SALT_BYTES = 16;
    private static final int PROOF_BYTES = 16;
    private static final byte[] PREAMBLE = {'A', 'M', 'O', 'R', 4};

    private final Wire wire;
    private final AesGcm cipher = new AesGcm();
    private final SecretKey toServer;
    private final SecretKey toClient;
    private long sent;
    private long received;

    private RpcWire(Wire wire, SecretKey toServer, SecretKey toClient) {
        this.wire = wire;
        this.toServer = toServer;
        this.toClient = toClient;
    }

    /** The key of the target's group; takes about 0.1 s. */
    static byte[] key(Target target) {
        return key(target.group(), AmoReplica.readSecret(target.secretFile()));
    }

    static byte[] key(String group, String secret) {
        return Secrets.key(secret, "amo rpc " + group);
    }

    /** The preamble and a HELLO. */
    static byte[] hello(Target target, byte[] salt, byte[] proof) {
        return hello(target.group(), salt, proof);
    }

    static byte[] hello(String group, byte[] salt, byte[] proof) {
        WireWriter writer = new WireWriter(64);
        writer.u8(HELLO);
        writer.text(group);
        writer.raw(salt, 0, SALT_BYTES);
        writer.blob(proof);
        byte[] frame = writer.toBytes();
        return ByteBuffer.allocate(PREAMBLE.length + Integer.BYTES + frame.length)
                .put(PREAMBLE)
                .putInt(frame.length)
                .put(frame)
                .array();
    }

    static byte[] proof(byte[] key, byte[] salt) {
        return Arrays.copyOf(derive(key, "hello", salt), PROOF_BYTES);
    }

    /** Greets and is welcome. */
    static RpcWire greet(Target target, byte[] key, byte[] salt, Wire wire) throws IOException {
        wire.send(hello(target, salt, proof(key, salt)));
        wire.in().readFully(new byte[PREAMBLE.length]);
        byte[] frame = new byte[length(wire)];
        wire.in().readFully(frame);
        if (frame[0] != WELCOME) {
            throw new IOException("the member does not welcome this client");
        }
        byte[] serverSalt = Arrays.copyOfRange(frame, 1, 1 + SALT_BYTES);
        return new RpcWire(
                wire,
                AesGcm.key(derive(key, "to server", salt, serverSalt)),
                AesGcm.key(derive(key, "to client", salt, serverSalt)));
    }

    Wire wire() {
        return wire;
    }

    /** A frame with its length and its seal, ready to be sent as the next one. */
    byte[] seal(byte[] frame) {
        byte[] sealed = new byte[frame.length + AesGcm.TAG_BYTES];
        cipher.seal(toServer, sent++, frame, 0, frame.length, sealed, 0);
        return ByteBuffer.allocate(Integer.BYTES + sealed.length)
                .putInt(sealed.length)
                .put(sealed)
                .array();
    }

    RpcWire send(byte[] frame) throws IOException {
        wire.send(seal(frame));
        return this;
    }

    /** The next frame. */
    byte[] receive() throws IOException {
        byte[] sealed = new byte[length(wire)];
        wire.in().readFully(sealed);
        return cipher.open(toClient, received++, sealed, 0, sealed.length, 0)
                .orElseThrow(() -> new IllegalStateException("a frame cannot be opened"));
    }

    /** The bound that the member's first frame tells: timestamps up to it are refused. */
    long receiveBound() throws IOException {
        byte[] frame = receive();
        if (frame[0] != STATE) {
            throw new IOException("the member did not tell its state first");
        }
        WireReader reader = new WireReader("state", frame);
        reader.u8("kind");
        reader.text("leader", 256);
        return reader.i64("upper");
    }

    static byte[] request(long copy, ClientId client, RequestContext.Call call, FinishedNumbers finished, byte[] body) {
        byte[] context = new RequestContext(client, Optional.of(call), finished).encode();
        WireWriter writer = new WireWriter(32 + context.length + body.length);
        writer.u8(REQUEST);
        writer.varint(copy);
        writer.u8(0);
        writer.blob(context);
        writer.raw(body, 0, body.length);
        return writer.toBytes();
    }

    /** Adds 1 to a counter, as a typed client writes it. */
    static byte[] add(String counter) {
        return call("add", "add,String,long:long", arguments -> {
            arguments.u8(1);
            arguments.text(counter);
            arguments.i64(1);
        });
    }

    /**
     * A call of a typed service.
     *
     * @param schema the method with the types of its parameters and its result
     */
    static byte[] call(String method, String schema, Consumer<WireWriter> arguments) {
        WireWriter writer = new WireWriter(64);
        writer.u8(TYPED_CALL);
        writer.text(method);
        writer.i64(fingerprint(schema.getBytes(StandardCharsets.UTF_8)));
        arguments.accept(writer);
        return writer.toBytes();
    }

    /** FNV-1a of 64 bits, mixed once more. */
    private static long fingerprint(byte[] bytes) {
        long hash = 0xCBF2_9CE4_8422_2325L;
        for (byte next : bytes) {
            hash = (hash ^ (next & 0xFF)) * 0x100_0000_01B3L;
        }
        hash = (hash ^ bytes.length) * 0x100_0000_01B3L;
        hash = (hash ^ hash >>> 32) * 0x9E37_79B9_7F4A_7C15L;
        return hash ^ hash >>> 29;
    }

    /** Whether the next answer is a reply; frames of other kinds are passed over. */
    boolean receiveReply() throws IOException {
        byte[] frame = receive();
        while (frame[0] != ANSWER) {
            frame = receive();
        }
        WireReader reader = new WireReader("answer", frame);
        reader.u8("kind");
        reader.varint("copy", 1, Long.MAX_VALUE);
        return RequestFields.readAnswerHead(reader).kind() == Answer.Kind.REPLY;
    }

    static byte[] finished(ClientId client, FinishedNumbers finished) {
        byte[] context = new RequestContext(client, Optional.empty(), finished).encode();
        WireWriter writer = new WireWriter(8 + context.length);
        writer.u8(FINISHED);
        writer.raw(context, 0, context.length);
        return writer.toBytes();
    }

    private static int length(Wire wire) throws IOException {
        int length = wire.in().readInt();
        if (length < 1 || length > MAX_BYTES) {
            throw new IOException("a frame of " + length + " bytes");
        }
        return length;
    }

    private static byte[] derive(byte[] key, String label, byte[]... parts) {
        return Seal.ofKey(key).hash("amo rpc 1 " + label, parts);
    }
}
