package org.amo.kv;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Optional;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.rocksdb.ObjectKey;
import org.amo.linearizable.rocksdb.Operation;
import org.amo.linearizable.rocksdb.Operation.Change;
import org.amo.linearizable.rocksdb.StoredObject;
import org.amo.linearizable.rpclog.KeyHash;
import org.amo.linearizable.rpclog.RpcHeader;

/**
 * A call as it travels: kind, header of a linearizable call (none for a read), key, and the fields of the kind. docs/wire/rpclog.md
 * has the bytes. The kind stands for the layout, too: another layout gets another kind.
 *
 * @param kind the operation
 * @param key at most {@link ObjectKey#MAX_KEY} bytes; not copied
 * @param value to be written, or the argument of a named operation; empty for other kinds. Not copied
 * @param number the version that a conditional write expects, 0 for none; or the amount that an increment adds
 * @param name of a named operation; empty for other kinds
 */
record KvRequest(Kind kind, byte[] key, byte[] value, long number, String name) {
    static final int MAX_VALUE = 1 << 20;
    static final int MAX_NAME = 255;

    /** All ranges of keys are of one table. */
    static final long TABLE = 1;

    private static final byte[] NOTHING = {};

    /** A kind stands for itself by its place here. */
    private static final List<Kind> BY_CODE =
            List.of(Kind.READ, Kind.WRITE, Kind.DELETE, Kind.CONDITIONAL_WRITE, Kind.INCREMENT, Kind.NAMED);

    /** The operations of Park's section II-A, and those that an application brings. */
    enum Kind {
        READ,
        WRITE,
        DELETE,
        CONDITIONAL_WRITE,
        INCREMENT,
        NAMED
    }

    /** As it arrived. */
    record Arrived(KvRequest request, Optional<RpcHeader> header) {}

    KvRequest {
        if (key.length > ObjectKey.MAX_KEY || value.length > MAX_VALUE) {
            throw new IllegalArgumentException("a key has at most " + ObjectKey.MAX_KEY + " bytes and a value "
                    + MAX_VALUE + ": key=" + key.length + " value=" + value.length);
        }
        if (name.getBytes(UTF_8).length > MAX_NAME) {
            throw new IllegalArgumentException("the name of an operation has at most " + MAX_NAME + " bytes: " + name);
        }
    }

    /** Of a kind without a name. */
    KvRequest(Kind kind, byte[] key, byte[] value, long number) {
        this(kind, key, value, number, "");
    }

    static KvRequest of(Kind kind, byte[] key) {
        return new KvRequest(kind, key, NOTHING, 0);
    }

    static KvRequest named(String name, byte[] key, byte[] argument) {
        return new KvRequest(Kind.NAMED, key, argument, 0, name);
    }

    boolean isRead() {
        return kind == Kind.READ;
    }

    ObjectKey object() {
        return new ObjectKey(TABLE, key);
    }

    /** @param header empty for a read, which has none, and for {@link #hash} */
    byte[] encode(Optional<RpcHeader> header) {
        WireWriter writer = new WireWriter(64 + key.length + value.length);
        writer.u8(BY_CODE.indexOf(kind));
        header.ifPresent(each -> each.write(writer));
        writer.blob(key);
        writer.blob(value);
        if (kind == Kind.NAMED) {
            writer.text("name", name, MAX_NAME);
        } else {
            writer.i64(number);
        }
        return writer.toBytes();
    }

    static Arrived decode(byte[] bytes) {
        WireReader reader = new WireReader("kv request", bytes);
        int code = reader.u8("kind");
        if (code >= BY_CODE.size()) {
            throw reader.malformed("kind", code);
        }
        Kind kind = BY_CODE.get(code);
        Optional<RpcHeader> header = kind == Kind.READ ? Optional.empty() : Optional.of(RpcHeader.read(reader));
        byte[] key = reader.blob("key", ObjectKey.MAX_KEY);
        byte[] value = reader.blob("value", MAX_VALUE);
        KvRequest request = kind == Kind.NAMED
                ? named(reader.text("name", MAX_NAME), key, value)
                : new KvRequest(kind, key, value, reader.i64("number"));
        reader.end();
        return new Arrived(request, header);
    }

    /** Of all that the attempts of a call have in common. */
    long hash() {
        return KeyHash.of(encode(Optional.empty()));
    }

    /** The operation of a server on the object; each branch ends in a result that is recorded. {@link NamedOperations} has the others. */
    Operation operation() {
        return (object, next) -> switch (kind) {
            case READ, NAMED -> throw new IllegalStateException("not a linearizable call of this kind: " + kind);
            case WRITE -> Change.put(value, done(next));
            case DELETE -> Change.delete(done(next));
            case CONDITIONAL_WRITE -> conditionally(object, next);
            case INCREMENT -> incremented(object, next);
        };
    }

    private Change conditionally(Optional<StoredObject> object, long next) {
        long version = object.map(StoredObject::version).orElse(0L);
        return version == number
                ? Change.put(value, done(next))
                : Change.keep(
                        KvResult.of(KvResult.Status.CONDITION_FAILED, version).encode());
    }

    private Change incremented(Optional<StoredObject> object, long next) {
        long before = 0;
        if (object.isPresent()) {
            byte[] old = object.get().value();
            if (old.length != Long.BYTES) {
                return Change.keep(
                        KvResult.of(KvResult.Status.NOT_A_NUMBER, object.get().version())
                                .encode());
            }
            before = new WireReader("number", old).i64("number");
        }
        WireWriter writer = new WireWriter(Long.BYTES);
        writer.i64(before + number);
        byte[] sum = writer.toBytes();
        return Change.put(sum, new KvResult(KvResult.Status.DONE, next, sum).encode());
    }

    private static byte[] done(long version) {
        return KvResult.of(KvResult.Status.DONE, version).encode();
    }
}
