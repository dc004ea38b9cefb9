package org.amo.interceptors.server;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;
import org.amo.base.wire.Sha256;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.state.KeptTables;
import org.amo.interceptors.state.StateCodec;
import org.jspecify.annotations.Nullable;
import org.omg.CORBA.ORB;
import org.omg.CORBA.portable.ObjectImpl;
import org.omg.PortableServer.Servant;

/**
 * The state of all servants of a member as one array of bytes ({@code docs/wire/snapshot.md}, "The servant's part").
 * Of each servant it takes the first that there is:
 *
 * <ol>
 *   <li>the bytes that {@link StateCodec} gives, if one is named;
 *   <li>{@code get_state} and {@code set_state} ({@link Checkpoint});
 *   <li>its fields, by Java serialization through {@link StateFilter}. All of them go into one stream, so that
 *       objects shared by two servants are shared afterwards.
 * </ol>
 *
 * <p>Called in the thread that runs the servants.
 */
final class ServantStates {
    private static final int VERSION = 1;
    private static final int FIELDS = 0;
    private static final int CHECKPOINT = 1;
    private static final int CODEC = 2;
    private static final int SAME = 3;
    private static final int UPDATE = 4;
    private static final int MAX_BYTES = Integer.MAX_VALUE - 64;
    private static final String TOO_DEEP =
            "nests too deep for the stack; start every member with a larger -Xss, or offer get_state and set_state";

    private final Optional<StateCodec> codec;
    private final Optional<String> classes;
    private final boolean keepsHashOrder;
    private final Optional<ORB> orb;

    /**
     * @param classes patterns of classes that a state may hold besides the usual ones ({@code amo.stateClasses})
     * @param keepsHashOrder whether hash tables in fields iterate as before when they come back. Members need that if all of them
     *     execute; a table with many keys in one bucket cannot be kept so
     * @param orb of references in fields; without it they are refused
     */
    ServantStates(Optional<StateCodec> codec, Optional<String> classes, boolean keepsHashOrder, Optional<ORB> orb) {
        this.codec = codec;
        this.classes = classes;
        this.keepsHashOrder = keepsHashOrder;
        this.orb = orb;
    }

    /**
     * Makes the codec that the property {@code amo.stateCodec} names.
     *
     * @throws IllegalArgumentException in one line when it cannot be made
     */
    static Optional<StateCodec> codec(Optional<String> className) {
        return className.map(name -> {
            try {
                ClassLoader loader = Optional.ofNullable(Thread.currentThread().getContextClassLoader())
                        .orElse(ClassLoader.getSystemClassLoader());
                return Class.forName(name, true, loader)
                        .asSubclass(StateCodec.class)
                        .getConstructor()
                        .newInstance();
            } catch (ReflectiveOperationException | ClassCastException e) {
                throw new IllegalArgumentException(
                        "amo.stateCodec=" + name + " cannot be used (" + e + "); it must be a class with a public"
                                + " constructor without parameters that implements " + StateCodec.class.getName(),
                        e);
            }
        });
    }

    /** Why this servant will hardly offer a state, as far as can be told before it has run; empty if it will. */
    Optional<String> obstacle(Servant servant) {
        Object target = target(servant);
        return codec.isPresent() || Checkpoint.of(target).isPresent()
                ? Optional.empty()
                : ServantFields.obstacle(target, keepsHashOrder);
    }

    /** Whether members may compare digests of their servants' states. */
    boolean isComparable() {
        return codec.filter(StateCodec::isComparable).isPresent();
    }

    /**
     * A digest of the states of servants, by {@link StateCodec#take}.
     *
     * @throws NoStateException when one of them offers none
     */
    long digest(SortedMap<PoaObjectKey, Servant> servants) throws NoStateException {
        WireWriter writer = new WireWriter(1 << 12);
        for (Map.Entry<PoaObjectKey, Servant> entry : servants.entrySet()) {
            writer.blob(entry.getKey().bytes());
            writer.blob(take(codec.orElseThrow(), target(entry.getValue()), Part.STATE));
        }
        return ByteBuffer.wrap(Sha256.of(writer.toBytes())).getLong();
    }

    private static byte[] take(StateCodec codec, Object target, Part part) throws NoStateException {
        try {
            return part == Part.UPDATE ? codec.takeUpdate(target) : codec.take(target);
        } catch (Exception | StackOverflowError e) {
            // Unlike in an operation, nothing has changed: the member may go on, and the others need not agree.
            throw new NoStateException(
                    codec.getClass().getName() + " failed for "
                            + target.getClass().getName() + ": " + e,
                    e);
        }
    }

    /** Whether all of the state is wanted, or what changed since the last update. */
    private enum Part {
        STATE,
        UPDATE
    }

    /**
     * All of them.
     *
     * @param servants by the keys under which they are known at every member; a servant may have several
     * @throws NoStateException when one of them offers none
     */
    byte[] take(Map<PoaObjectKey, Servant> servants) throws NoStateException {
        return take(servants, Part.STATE);
    }

    /**
     * What changed since the last update: of a servant with {@code get_update} that alone, of others all of the state.
     *
     * @throws NoStateException when one of them offers none
     */
    byte[] takeUpdate(Map<PoaObjectKey, Servant> servants) throws NoStateException {
        return take(servants, Part.UPDATE);
    }

    private byte[] take(Map<PoaObjectKey, Servant> servants, Part part) throws NoStateException {
        WireWriter writer = new WireWriter(1 << 12);
        writer.u8(VERSION);
        writer.varint(servants.size());
        IdentityHashMap<Object, Integer> numbers = new IdentityHashMap<>();
        Map<Integer, Map<String, @Nullable Object>> fields = new LinkedHashMap<>();
        List<Object> holders = new ArrayList<>();
        for (Map.Entry<PoaObjectKey, Servant> entry : servants.entrySet()) {
            Object target = target(entry.getValue());
            writer.blob(entry.getKey().bytes());
            Integer same = numbers.putIfAbsent(target, numbers.size());
            if (same != null) {
                writer.u8(SAME);
                writer.varint(same);
            } else {
                int number = numbers.size() - 1;
                holders.add(target);
                takeOne(writer, target, part, number, fields);
            }
        }
        writer.blob(serialize(fields, new StateFilter(holders, classes, Integer.MAX_VALUE)));
        return writer.toBytes();
    }

    private void takeOne(
            WireWriter writer, Object target, Part part, int number, Map<Integer, Map<String, @Nullable Object>> fields)
            throws NoStateException {
        Optional<Checkpoint> checkpoint = Checkpoint.of(target);
        Optional<Checkpoint> updates = part == Part.UPDATE ? Checkpoint.ofUpdates(target) : Optional.empty();
        if (updates.isPresent()) {
            writer.u8(UPDATE);
            writer.blob(updates.get().take());
        } else if (codec.isPresent()) {
            writer.u8(CODEC);
            writer.blob(take(codec.get(), target, part));
        } else if (checkpoint.isPresent()) {
            writer.u8(CHECKPOINT);
            writer.blob(checkpoint.get().take());
        } else {
            writer.u8(FIELDS);
            fields.put(number, ServantFields.values(target));
        }
    }

    /**
     * Gives the servants their states.
     *
     * @param find the servant that this member has under a key
     * @throws IllegalStateException in one line when it cannot be done: this member must not go on
     */
    void restore(byte[] state, Function<PoaObjectKey, Servant> find) {
        restore(state, Part.STATE, find);
    }

    /**
     * Brings the servants to the state behind an update.
     *
     * @throws IllegalStateException in one line when it cannot be done
     */
    void applyUpdate(byte[] update, Function<PoaObjectKey, Servant> find) {
        restore(update, Part.UPDATE, find);
    }

    private void restore(byte[] state, Part part, Function<PoaObjectKey, Servant> find) {
        try {
            WireReader reader = new WireReader("servants' state", state);
            reader.version(VERSION);
            List<Object> holders = new ArrayList<>();
            List<Integer> withFields = new ArrayList<>();
            for (long left = reader.varint("objects", 0, reader.remaining()); left > 0; left--) {
                Object target = target(find.apply(new PoaObjectKey(reader.blob("object key", MAX_BYTES))));
                int kind = reader.u8("kind");
                if (kind == SAME) {
                    reader.varint("same as", 0, holders.size() - 1L);
                    continue;
                }
                if (kind == FIELDS) {
                    withFields.add(holders.size());
                }
                holders.add(target);
                restoreOne(reader, kind, part, target);
            }
            byte[] serialized = reader.blob("fields", MAX_BYTES);
            reader.end();
            if (!withFields.isEmpty()) {
                restoreFields(serialized, holders, withFields);
            }
        } catch (IllegalStateException e) {
            throw e;
        } catch (RuntimeException e) {
            // Also from the classes of the objects that are read.
            throw new IllegalStateException("the servants' state cannot be read: " + e.getMessage(), e);
        }
    }

    private void restoreOne(WireReader reader, int kind, Part part, Object target) {
        switch (kind) {
            case FIELDS -> {}
            case CHECKPOINT -> {
                byte[] state = reader.blob("state", MAX_BYTES);
                Checkpoint.of(target)
                        .orElseThrow(() -> otherVersion(target, "get_state and set_state"))
                        .restore(state);
            }
            case CODEC -> {
                byte[] state = reader.blob("state", MAX_BYTES);
                StateCodec known = codec.orElseThrow(() -> otherVersion(target, "-Damo.stateCodec"));
                try {
                    if (part == Part.UPDATE) {
                        known.applyUpdate(target, state);
                    } else {
                        known.restore(target, state);
                    }
                } catch (IllegalStateException e) {
                    throw e;
                } catch (Exception e) {
                    throw new IllegalStateException(
                            "the state codec cannot restore "
                                    + target.getClass().getName() + ": " + e,
                            e);
                }
            }
            case UPDATE ->
                Checkpoint.ofUpdates(target)
                        .orElseThrow(() -> otherVersion(target, "get_update and set_update"))
                        .restore(reader.blob("update", MAX_BYTES));
            default -> throw reader.malformed("kind", kind);
        }
    }

    private static IllegalStateException otherVersion(Object target, String lacks) {
        return new IllegalStateException("the state of " + target.getClass().getName() + " was taken with " + lacks
                + ", which this member lacks; run the same version of the server at every member");
    }

    private void restoreFields(byte[] serialized, List<Object> holders, List<Integer> withFields) {
        StateFilter filter = new StateFilter(holders, classes, serialized.length);
        ClassLoader loader = holders.get(withFields.get(0)).getClass().getClassLoader();
        try (ObjectInputStream in = new Reader(new ByteArrayInputStream(serialized), loader, filter, orb)) {
            @SuppressWarnings("unchecked")
            Map<Integer, Map<String, @Nullable Object>> fields =
                    (Map<Integer, Map<String, @Nullable Object>>) in.readObject();
            for (Integer number : withFields) {
                Map<String, @Nullable Object> values = fields.get(number);
                if (values == null) {
                    throw new IllegalStateException("the fields of servant " + number + " are missing in the state");
                }
                ServantFields.set(holders.get(number), values);
            }
        } catch (IOException | ClassNotFoundException | ClassCastException e) {
            throw new IllegalStateException("the servants' fields cannot be read: " + e, e);
        } catch (StackOverflowError e) {
            // Reading takes more stack than writing did. It is no cause, which would be the line of the log instead of
            // this one.
            throw new IllegalStateException(
                    "the state of a snapshot or of another member " + TOO_DEEP + " (" + e + ")");
        }
    }

    private byte[] serialize(Map<Integer, Map<String, @Nullable Object>> fields, StateFilter filter)
            throws NoStateException {
        if (fields.isEmpty()) {
            return new byte[0];
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new Writer(bytes, filter, keepsHashOrder, orb)) {
            out.writeObject(fields);
        } catch (IOException | RuntimeException e) {
            throw new NoStateException("the " + culprit(fields, filter) + " cannot be serialized (" + e + ")", e);
        } catch (StackOverflowError e) {
            // Java serialization follows references by recursion. Nothing has changed, so the member may go on.
            throw new NoStateException("the state in the servants' fields " + TOO_DEEP, e);
        }
        return bytes.toByteArray();
    }

    /** The first field that cannot be serialized alone, for a message. */
    private String culprit(Map<Integer, Map<String, @Nullable Object>> fields, StateFilter filter) {
        for (Map<String, @Nullable Object> ofOne : fields.values()) {
            for (Map.Entry<String, @Nullable Object> field : ofOne.entrySet()) {
                try (ObjectOutputStream out =
                        new Writer(OutputStream.nullOutputStream(), filter, keepsHashOrder, orb)) {
                    out.writeObject(field.getValue());
                } catch (IOException | RuntimeException | StackOverflowError e) {
                    return "servants' field " + field.getKey();
                }
            }
        }
        return "servants' fields";
    }

    /** The object that has the state: the delegate of a tie, or the servant itself. */
    static Object target(Servant servant) {
        Class<?> type = servant.getClass();
        if (!type.getName().endsWith("POATie")) {
            return servant;
        }
        try {
            Field delegate = type.getDeclaredField("_delegate");
            delegate.setAccessible(true);
            Object target = delegate.get(servant);
            return target == null ? servant : target;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return servant;
        }
    }

    /** Refuses objects that could not be read again. */
    private static final class Writer extends ObjectOutputStream {
        private final StateFilter filter;
        private final boolean keepsHashOrder;
        private final Optional<ORB> orb;

        Writer(OutputStream out, StateFilter filter, boolean keepsHashOrder, Optional<ORB> orb) throws IOException {
            super(out);
            this.filter = filter;
            this.keepsHashOrder = keepsHashOrder;
            this.orb = orb;
            enableReplaceObject(true);
        }

        /** So that references lead to their objects, and hash tables are read with the buckets that they had. */
        @Override
        protected Object replaceObject(Object object) {
            if (object instanceof ObjectImpl reference) {
                return KeptReference.of(reference, orb);
            }
            Constants.check(object);
            return keepsHashOrder ? KeptTables.standIn(object) : object;
        }

        // An IOException would be written into the stream, with its own class to be looked at.
        @Override
        protected void annotateClass(Class<?> type) {
            if (!filter.mayHold(type)) {
                throw new IllegalArgumentException(
                        type.getName() + " is not allowed in a state; name it in -Damo.stateClasses at every member");
            }
        }

        @Override
        protected void annotateProxyClass(Class<?> type) {
            throw new IllegalArgumentException("a proxy is not allowed in a state: " + type.getName());
        }
    }

    /** Finds the application's classes by its own loader. */
    private static final class Reader extends ObjectInputStream {
        private final @Nullable ClassLoader loader;
        private final StateFilter filter;
        private final Optional<ORB> orb;

        Reader(InputStream in, @Nullable ClassLoader loader, StateFilter filter, Optional<ORB> orb) throws IOException {
            super(in);
            this.loader = loader;
            this.filter = filter;
            this.orb = orb;
            setObjectInputFilter(filter);
            enableResolveObject(true);
        }

        @Override
        protected Object resolveObject(Object object) throws IOException {
            if (object instanceof KeptReference kept) {
                Object reference = kept.reference(orb);
                filter.resolved(reference);
                return reference;
            }
            return Constants.resolved(object);
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
            if (description.getName().equals(KeptReference.class.getName())) {
                return KeptReference.class;
            }
            for (Class<?> kept : KeptTables.CLASSES) {
                // Not those that the application's loader may find in another copy of amo.
                if (description.getName().equals(kept.getName())) {
                    return kept;
                }
            }
            try {
                return Class.forName(description.getName(), false, loader);
            } catch (ClassNotFoundException e) {
                return super.resolveClass(description);
            }
        }
    }
}
