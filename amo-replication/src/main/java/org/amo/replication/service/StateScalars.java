package org.amo.replication.service;

import java.lang.reflect.Array;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/** The types of a service's state with a changeable content that are no collections: arrays, atomics, BitSet and StringBuilder. */
final class StateScalars {
    private static final int NULL = 0;
    private static final int SHARED = 1;
    private static final int NEW = 2;
    private static final int MAX_BYTES = Integer.MAX_VALUE - 64;

    private final StateContainers state;
    private final Map<Type, TypeCodec> cells = new HashMap<>();

    StateScalars(StateContainers state) {
        this.state = state;
        cell(
                AtomicInteger.class,
                AtomicInteger::new,
                (to, cell) -> to.i32(cell.get()),
                (from, cell) -> cell.set(from.i32("int")));
        cell(
                AtomicLong.class,
                AtomicLong::new,
                (to, cell) -> to.i64(cell.get()),
                (from, cell) -> cell.set(from.i64("long")));
        cell(
                AtomicBoolean.class,
                AtomicBoolean::new,
                (to, cell) -> to.u8(cell.get() ? 1 : 0),
                (from, cell) -> cell.set(from.flag("boolean")));
        cell(LongAdder.class, LongAdder::new, (to, cell) -> to.i64(cell.sum()), (from, cell) -> {
            cell.reset();
            cell.add(from.i64("sum"));
        });
        cell(StringBuilder.class, StringBuilder::new, (to, cell) -> writeText(to, cell.toString()), (from, cell) -> {
            cell.setLength(0);
            cell.append(readText(from));
        });
        cell(BitSet.class, BitSet::new, (to, cell) -> to.blob(cell.toByteArray()), (from, cell) -> {
            cell.clear();
            cell.or(BitSet.valueOf(from.blob("bits", MAX_BYTES)));
        });
    }

    Optional<TypeCodec> of(Type type, String where, TypeCodecs codecs) {
        if (type == String.class) {
            return Optional.of(TypeCodecs.reference(
                    "text",
                    (to, value, depth) -> writeText(to, (String) Objects.requireNonNull(value)),
                    (from, depth) -> readText(from)));
        }
        if (type instanceof ParameterizedType parameterized && parameterized.getRawType() == AtomicReference.class) {
            return Optional.of(reference(codecs.of(parameterized.getActualTypeArguments()[0], where)));
        }
        if (type instanceof Class<?> plain && plain.isArray()) {
            return Optional.of(array(plain, where, codecs));
        }
        return Optional.ofNullable(cells.get(type));
    }

    /** UTF-8, or the characters themselves if they are no text that UTF-8 can hold. */
    private static void writeText(WireWriter to, String text) {
        boolean utf8 = TypeCodecs.isText(text);
        to.u8(utf8 ? 1 : 0);
        if (utf8) {
            to.text(text);
        } else {
            to.varint(text.length());
            text.chars().forEach(to::i32);
        }
    }

    private static String readText(WireReader from) {
        if (from.flag("text")) {
            return from.text("text", MAX_BYTES);
        }
        int length = (int) from.varint("characters", 0, from.remaining() / 4);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            int next = from.i32("character");
            if (next != (char) next) {
                throw from.malformed("character", next);
            }
            text.append((char) next);
        }
        return text.toString();
    }

    private <C> void cell(
            Class<C> type, Supplier<C> maker, BiConsumer<WireWriter, C> put, BiConsumer<WireReader, C> take) {
        TypeCodec codec = shared(
                type.getSimpleName(),
                (to, value, depth) -> put.accept(to, type.cast(value)),
                (from, present, depth) -> {
                    C cell = present.filter(type::isInstance).map(type::cast).orElseGet(maker);
                    state.session().made(cell);
                    take.accept(from, cell);
                    return cell;
                });
        cells.put(type, codec);
    }

    @SuppressWarnings("unchecked")
    private TypeCodec reference(TypeCodec held) {
        return shared(
                "AtomicReference<" + held.schema() + ">",
                (to, value, depth) -> held.writer().write(to, ((AtomicReference<?>) value).get(), depth + 1),
                (from, present, depth) -> {
                    AtomicReference<@Nullable Object> cell = present.filter(AtomicReference.class::isInstance)
                            .map(value -> (AtomicReference<@Nullable Object>) value)
                            .orElseGet(AtomicReference::new);
                    state.session().made(cell);
                    cell.set(held.reader().read(from, depth + 1));
                    return cell;
                });
    }

    private TypeCodec array(Class<?> type, String where, TypeCodecs codecs) {
        Class<?> component = type.getComponentType();
        if (component == byte.class) {
            return shared("byte[]", (to, value, depth) -> to.blob((byte[]) value), (from, present, depth) -> {
                byte[] bytes = from.blob("bytes", MAX_BYTES);
                state.session().made(bytes);
                return bytes;
            });
        }
        TypeCodec element = codecs.of(component, where);
        return shared(
                element.schema() + "[]",
                (to, value, depth) -> {
                    if (value.getClass() != type) {
                        throw new IllegalArgumentException(
                                "a " + value.getClass().getTypeName() + " stands where a " + type.getTypeName()
                                        + " is declared");
                    }
                    int length = Array.getLength(value);
                    to.varint(length);
                    for (int i = 0; i < length; i++) {
                        element.writer().write(to, Array.get(value, i), depth + 1);
                    }
                },
                (from, present, depth) -> {
                    // Each element takes a byte at least.
                    int length = (int) from.varint("length", 0, from.remaining());
                    Object array = present.filter(value -> value.getClass() == type && Array.getLength(value) == length)
                            .orElseGet(() -> Array.newInstance(component, length));
                    state.session().made(array);
                    for (int i = 0; i < length; i++) {
                        Array.set(array, i, element.reader().read(from, depth + 1));
                    }
                    return array;
                });
    }

    private interface SharedWriter {
        void write(WireWriter to, Object value, int depth);
    }

    private interface SharedReader {
        Object read(WireReader from, Optional<Object> present, int depth);
    }

    private TypeCodec shared(String schema, SharedWriter writer, SharedReader reader) {
        return new TypeCodec(
                schema,
                (to, value, depth) -> {
                    TypeCodec.checkDepth(depth);
                    if (value == null) {
                        to.u8(NULL);
                        return;
                    }
                    Optional<Integer> met = state.session().numberOf(value);
                    to.u8(met.isPresent() ? SHARED : NEW);
                    if (met.isPresent()) {
                        to.varint(met.get());
                    } else {
                        writer.write(to, value, depth);
                    }
                },
                (from, depth) -> {
                    TypeCodec.checkDepth(depth);
                    Optional<Object> present = state.session().takePresent();
                    int code = from.u8("kind");
                    return switch (code) {
                        case NULL -> null;
                        case SHARED -> state.session().made(from);
                        case NEW -> reader.read(from, present, depth);
                        default -> throw from.malformed("kind", code);
                    };
                });
    }
}
