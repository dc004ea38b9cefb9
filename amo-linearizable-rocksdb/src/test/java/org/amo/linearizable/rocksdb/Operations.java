package org.amo.linearizable.rocksdb;

import java.nio.charset.StandardCharsets;
import org.amo.linearizable.rocksdb.Operation.Change;
import org.amo.linearizable.rpclog.KeyRange;

/** The operations of Park's section II-A, with numbers as text. */
final class Operations {
    static final KeyRange ALL = new KeyRange(1, 0, -1);

    private Operations() {}

    static ObjectKey key(String name) {
        return new ObjectKey(1, bytes(name));
    }

    static Operation write(String value) {
        return (object, next) -> Change.put(bytes(value), bytes("" + next));
    }

    static Operation conditionalWrite(long expected, String value) {
        return (object, next) -> object.map(StoredObject::version).orElse(0L) == expected
                ? Change.put(bytes(value), bytes("" + next))
                : Change.keep(bytes("no"));
    }

    static Operation increment() {
        return (object, next) -> {
            long value = object.map(each -> Long.parseLong(text(each.value()))).orElse(0L) + 1;
            return Change.put(bytes("" + value), bytes("" + value));
        };
    }

    static Operation delete() {
        return (object, next) -> Change.delete(bytes("" + next));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.US_ASCII);
    }
}
