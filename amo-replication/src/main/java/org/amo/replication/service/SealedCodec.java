package org.amo.replication.service;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/** A value of a sealed interface as the place of its type among the permitted ones, and the value as one of that type. */
final class SealedCodec implements TypeCodec.Writer, TypeCodec.Reader {
    private final Class<?>[] permitted;
    private final List<TypeCodec> codecs = new ArrayList<>();

    SealedCodec(Class<?> type) {
        this.permitted = type.getPermittedSubclasses();
    }

    /** Finds the codecs of the permitted types; returns the schema. */
    String resolve(Function<Class<?>, TypeCodec> codecOf) {
        StringBuilder schema = new StringBuilder("sealed(");
        for (Class<?> each : permitted) {
            TypeCodec codec = codecOf.apply(each);
            codecs.add(codec);
            schema.append(codec.named(each.getSimpleName()));
        }
        return schema.append(')').toString();
    }

    @Override
    public void write(WireWriter to, @Nullable Object value, int depth) {
        for (int i = 0; i < permitted.length; i++) {
            if (permitted[i].isInstance(value)) {
                to.varint(i);
                codecs.get(i).writer().write(to, value, depth);
                return;
            }
        }
        throw new IllegalArgumentException("the sealed interface does not permit the class of a value");
    }

    @Override
    public @Nullable Object read(WireReader from, int depth) {
        int place = (int) from.varint("permitted type", 0, permitted.length - 1L);
        return codecs.get(place).reader().read(from, depth);
    }
}
