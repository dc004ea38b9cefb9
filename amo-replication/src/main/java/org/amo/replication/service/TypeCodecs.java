package org.amo.replication.service;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * Gives the codecs of the types that typed services may use: primitives and their boxes, String, byte[], enums, BigInteger,
 * BigDecimal, UUID, the types of java.time without the rules of a time zone, records and sealed interfaces of such types, and the
 * containers of such types. Nothing on the wire names a class: a reader makes the types that the interface declares. One thread
 * owns it.
 */
final class TypeCodecs {
    private static final int MAX_BYTES = 64 << 20;

    private static final int MAX_TEXT = 1 << 16;

    /** A type whose parameters make ever further types of it is refused, before the stack is used up. */
    private static final int MAX_NESTING = 100;

    private final Map<Type, TypeCodec> known = new HashMap<>();
    private final Containers containers;
    private int nesting;

    /** Codecs of the types that hold others, and of those that are written otherwise than usual. */
    interface Containers {
        Optional<TypeCodec> of(Type type, String where, TypeCodecs codecs);
    }

    /** For requests and replies: every list arrives as one kind of list. */
    TypeCodecs() {
        this(CollectionCodecs::of);
    }

    TypeCodecs(Containers containers) {
        this.containers = containers;
        add(boolean.class, Boolean.class, (to, value) -> to.u8((Boolean) value ? 1 : 0), from -> from.flag("boolean"));
        add(byte.class, Byte.class, (to, value) -> to.u8((Byte) value), from -> (byte) from.u8("byte"));
        add(short.class, Short.class, (to, value) -> to.i32((Short) value), TypeCodecs::readShort);
        add(char.class, Character.class, (to, value) -> to.i32((Character) value), TypeCodecs::readChar);
        add(int.class, Integer.class, (to, value) -> to.i32((Integer) value), from -> from.i32("int"));
        add(long.class, Long.class, (to, value) -> to.i64((Long) value), from -> from.i64("long"));
        add(
                float.class,
                Float.class,
                (to, value) -> to.i32(Float.floatToIntBits((Float) value)),
                from -> Float.intBitsToFloat(from.i32("float")));
        add(
                double.class,
                Double.class,
                (to, value) -> to.i64(Double.doubleToLongBits((Double) value)),
                from -> Double.longBitsToDouble(from.i64("double")));
        addReference(String.class, TypeCodecs::putText, from -> from.text("string", MAX_BYTES));
        addReference(byte[].class, TypeCodecs::putBytes, from -> from.blob("bytes", MAX_BYTES));
        addText(BigInteger.class, BigInteger::new);
        addText(BigDecimal.class, BigDecimal::new);
        addText(UUID.class, UUID::fromString);
        addText(Instant.class, Instant::parse);
        addText(Duration.class, Duration::parse);
        addText(Period.class, Period::parse);
        addText(LocalDate.class, LocalDate::parse);
        addText(LocalTime.class, LocalTime::parse);
        addText(LocalDateTime.class, LocalDateTime::parse);
        addText(OffsetDateTime.class, OffsetDateTime::parse);
        addText(OffsetTime.class, OffsetTime::parse);
        addText(ZoneOffset.class, ZoneOffset::of);
        addText(MonthDay.class, MonthDay::parse);
        addText(Year.class, Year::parse);
        // It cannot parse its own text beyond 9999, so it is its first day.
        addText(
                YearMonth.class,
                value -> ((YearMonth) value).atDay(1).toString(),
                text -> YearMonth.from(LocalDate.parse(text)));
        known.put(void.class, new TypeCodec("void", (to, value, depth) -> {}, (from, depth) -> null));
        for (Type type : List.copyOf(known.keySet())) {
            containers.of(type, "", this).ifPresent(codec -> known.put(type, codec));
        }
    }

    private interface Put {
        void put(WireWriter to, Object value);
    }

    /**
     * The codec of a type as an interface declares it.
     *
     * @param where names the place, for the message
     * @throws IllegalArgumentException in one line for a type that is not among them
     */
    TypeCodec of(Type declared, String where) {
        Type type = TypeArguments.plain(declared);
        TypeCodec found = known.get(type);
        if (found != null) {
            return found;
        }
        if (nesting == MAX_NESTING) {
            throw new IllegalArgumentException(where + ": the type "
                    + TypeArguments.raw(type).map(Class::getName).orElse("")
                    + " holds ever further types of its own kind");
        }
        nesting++;
        try {
            TypeCodec made = containers.of(type, where, this).orElseGet(() -> make(type, where));
            known.put(type, made);
            return made;
        } finally {
            nesting--;
        }
    }

    private TypeCodec make(Type type, String where) {
        Class<?> raw = TypeArguments.raw(type).orElse(void.class);
        if (raw.isRecord()) {
            return record(raw, type, where);
        }
        if (raw.isEnum()) {
            return enumeration(raw);
        }
        if (raw.isInterface() && raw.isSealed()) {
            return sealed(raw, type, where);
        }
        if (raw == Optional.class && type instanceof ParameterizedType parameterized) {
            return optional(of(parameterized.getActualTypeArguments()[0], where));
        }
        throw new IllegalArgumentException(where + ": amo does not carry the type " + type.getTypeName()
                + "; use primitives, String, enums, records, sealed interfaces, arrays, List, Set, Map, SortedSet,"
                + " SortedMap and Optional of such types, or an AmoHandler with a codec of your own");
    }

    /** @param used the record with its type arguments */
    private TypeCodec record(Class<?> type, Type used, String where) {
        RecordCodec codec = new RecordCodec(type);
        // Known before its components are: a record may hold a list of its own kind.
        known.put(used, new TypeCodec("record " + type.getName(), codec, codec));
        TypeArguments arguments = TypeArguments.of(used);
        return new TypeCodec(codec.resolve(component -> of(arguments.in(component), where)), codec, codec);
    }

    private TypeCodec sealed(Class<?> type, Type used, String where) {
        SealedCodec codec = new SealedCodec(type);
        known.put(used, reference("sealed " + type.getName(), codec, codec));
        String schema = codec.resolve(permitted -> of(TypeArguments.below(used, permitted), where));
        return reference(schema, codec, codec);
    }

    private static TypeCodec enumeration(Class<?> type) {
        Object[] constants = type.getEnumConstants();
        StringBuilder schema = new StringBuilder("enum");
        for (Object constant : constants) {
            schema.append(' ').append(((Enum<?>) constant).name());
        }
        return reference(
                schema.toString(),
                (to, value, depth) -> to.varint(Arrays.asList(constants).indexOf(value)),
                (from, depth) -> constants[(int) from.varint("enum", 0, constants.length - 1L)]);
    }

    private static TypeCodec optional(TypeCodec element) {
        return reference(
                "optional " + element.schema(),
                (to, value, depth) -> {
                    Optional<?> content = (Optional<?>) Objects.requireNonNull(value);
                    to.u8(content.isPresent() ? 1 : 0);
                    content.ifPresent(held -> element.writer().write(to, held, depth + 1));
                },
                (from, depth) -> from.flag("optional")
                        ? Optional.ofNullable(element.reader().read(from, depth + 1))
                        : Optional.empty());
    }

    /** With a byte before it that says whether it is null. */
    static TypeCodec reference(String schema, TypeCodec.Writer writer, TypeCodec.Reader reader) {
        return new TypeCodec(
                schema,
                (to, value, depth) -> {
                    TypeCodec.checkDepth(depth);
                    to.u8(value == null ? 0 : 1);
                    if (value != null) {
                        writer.write(to, value, depth);
                    }
                },
                (from, depth) -> {
                    TypeCodec.checkDepth(depth);
                    return from.flag(schema) ? reader.read(from, depth) : null;
                });
    }

    private void add(Class<?> primitive, Class<?> box, Put put, Function<WireReader, Object> take) {
        known.put(
                primitive,
                new TypeCodec(
                        primitive.getName(),
                        (to, value, depth) -> put.put(to, Objects.requireNonNull(value)),
                        (from, depth) -> take.apply(from)));
        addReference(box, put, take);
    }

    private void addReference(Class<?> type, Put put, Function<WireReader, Object> take) {
        known.put(
                type,
                reference(
                        type.getSimpleName(),
                        (to, value, depth) -> put.put(to, Objects.requireNonNull(value)),
                        (from, depth) -> take.apply(from)));
    }

    /** Whether UTF-8 can hold it: half of a surrogate pair would become a question mark. */
    static boolean isText(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isHighSurrogate(text.charAt(i))) {
                i++;
                if (i == text.length() || !Character.isLowSurrogate(text.charAt(i))) {
                    return false;
                }
            } else if (Character.isLowSurrogate(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static void putText(WireWriter to, Object value) {
        String text = (String) value;
        if (!isText(text)) {
            throw new IllegalArgumentException("a string has half of a surrogate pair, which UTF-8 cannot carry;"
                    + " send such characters as byte[]");
        }
        putBytes(to, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void putBytes(WireWriter to, Object value) {
        byte[] bytes = (byte[]) value;
        if (bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "a string or byte[] has at most " + MAX_BYTES + " bytes: length=" + bytes.length);
        }
        to.blob(bytes);
    }

    private void addText(Class<?> type, Function<String, Object> parse) {
        addText(type, Object::toString, parse);
    }

    private void addText(Class<?> type, Function<Object, String> format, Function<String, Object> parse) {
        Put put = (to, value) -> {
            if (value instanceof BigDecimal number
                    && Math.abs((long) number.scale()) + number.precision() > Integer.MAX_VALUE) {
                // BigDecimal cannot read its own text of such a number.
                throw new IllegalArgumentException("a BigDecimal has a scale of at most " + Integer.MAX_VALUE
                        + " less its digits: scale=" + number.scale());
            }
            String text = format.apply(value);
            if (text.length() > MAX_TEXT) {
                throw new IllegalArgumentException("a " + type.getSimpleName() + " has at most " + MAX_TEXT
                        + " characters: length=" + text.length());
            }
            to.text(text);
        };
        addReference(type, put, from -> {
            String text = from.text(type.getSimpleName(), MAX_TEXT);
            try {
                return parse.apply(text);
            } catch (RuntimeException e) {
                throw new IllegalArgumentException("no " + type.getSimpleName() + ": '" + text + "'", e);
            }
        });
    }

    private static Object readShort(WireReader from) {
        int value = from.i32("short");
        if (value != (short) value) {
            throw from.malformed("short", value);
        }
        return (short) value;
    }

    private static Object readChar(WireReader from) {
        int value = from.i32("char");
        if (value != (char) value) {
            throw from.malformed("char", value);
        }
        return (char) value;
    }
}
