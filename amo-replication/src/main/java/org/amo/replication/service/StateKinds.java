package org.amo.replication.service;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/** The classes of collections and maps that come back from a snapshot as they were. A snapshot holds their places in {@link #ALL}. */
@SuppressWarnings("JdkObsolete") // Every class that a service uses must come back.
final class StateKinds {

    // The order is part of the format.
    static final List<StateKind> ALL = List.of(
            new Simple(ArrayList.class, ArrayList::new),
            new Simple(LinkedList.class, LinkedList::new),
            new Simple(ArrayDeque.class, ArrayDeque::new),
            new Simple(CopyOnWriteArrayList.class, CopyOnWriteArrayList::new),
            new Simple(CopyOnWriteArraySet.class, CopyOnWriteArraySet::new),
            new Simple(ConcurrentLinkedQueue.class, ConcurrentLinkedQueue::new),
            new Simple(ConcurrentLinkedDeque.class, ConcurrentLinkedDeque::new),
            new Simple(LinkedHashSet.class, LinkedHashSet::new),
            new Sorted(PriorityQueue.class, PriorityQueue::new),
            new Sorted(TreeSet.class, TreeSet::new),
            new Sorted(ConcurrentSkipListSet.class, ConcurrentSkipListSet::new),
            new Sorted(TreeMap.class, TreeMap::new),
            new Sorted(ConcurrentSkipListMap.class, ConcurrentSkipListMap::new),
            new HashedKinds.OfMap(),
            new HashedKinds.OfSet(),
            new HashedKinds.OfConcurrentMap(),
            new Linked(false),
            new Linked(true),
            new OfEnum(EnumSet.class::isInstance, StateKinds::enumSet),
            new OfEnum(value -> value.getClass() == EnumMap.class, StateKinds::enumMap),
            fixed(StateKinds::isListOf, false, keys -> List.of(keys.toArray())),
            fixed(StateKinds::isStreamList, false, keys -> Arrays.stream(keys.toArray())
                    .toList()),
            fixed(classes(Arrays.asList(1)), false, keys -> Arrays.asList(keys.toArray())),
            fixed(classes(Collections.emptyList()), false, keys -> Collections.emptyList()),
            fixed(classes(Collections.singletonList(1)), false, keys -> Collections.singletonList(keys.get(0))),
            fixed(classes(Set.of(), Set.of(1)), true, keys -> Set.of(keys.toArray())),
            fixed(classes(Collections.emptySet()), false, keys -> Collections.emptySet()),
            fixed(classes(Collections.singleton(1)), false, keys -> Collections.singleton(keys.get(0))),
            new Fixed(classes(Map.of(), Map.of(1, 1)), true, StateKinds::mapOf),
            new Fixed(classes(Collections.emptyMap()), false, entries -> Collections.emptyMap()),
            new Fixed(
                    classes(Collections.singletonMap(1, 1)),
                    false,
                    entries -> Collections.singletonMap(
                            entries.get(0).getKey(), entries.get(0).getValue())),
            new Own());

    private StateKinds() {}

    /** @throws IllegalArgumentException in one line for a class that is not among them */
    static int of(Object value) {
        for (int i = 0; i < ALL.size(); i++) {
            if (ALL.get(i).is(value)) {
                return i;
            }
        }
        throw new IllegalArgumentException(
                "a " + value.getClass().getName() + " cannot be made again from a snapshot; use "
                        + (value instanceof Map
                                ? "a TreeMap, LinkedHashMap, HashMap or EnumMap"
                                : value instanceof Set
                                        ? "a TreeSet, LinkedHashSet, HashSet or EnumSet"
                                        : "an ArrayList, ArrayDeque or PriorityQueue"));
    }

    /** Whether a field may be declared as a class, not being an interface: some kind may be of it. */
    static boolean mayBe(Class<?> declared) {
        return declared.isInterface()
                || Modifier.isAbstract(declared.getModifiers())
                || List.of(
                                ArrayList.class,
                                LinkedList.class,
                                ArrayDeque.class,
                                CopyOnWriteArrayList.class,
                                CopyOnWriteArraySet.class,
                                ConcurrentLinkedQueue.class,
                                ConcurrentLinkedDeque.class,
                                LinkedHashSet.class,
                                PriorityQueue.class,
                                TreeSet.class,
                                ConcurrentSkipListSet.class,
                                TreeMap.class,
                                ConcurrentSkipListMap.class,
                                HashMap.class,
                                HashSet.class,
                                ConcurrentHashMap.class,
                                LinkedHashMap.class,
                                EnumMap.class)
                        .contains(declared);
    }

    private static Predicate<Object> classes(Object... samples) {
        Set<Class<?>> classes = new HashSet<>();
        for (Object sample : samples) {
            classes.add(sample.getClass());
        }
        return value -> classes.contains(value.getClass());
    }

    private static boolean isImmutableList(Object value) {
        return value.getClass() == List.of(1).getClass()
                || value.getClass() == List.of(1, 2, 3).getClass();
    }

    private static boolean isListOf(Object value) {
        return isImmutableList(value) && !takesNull((List<?>) value);
    }

    private static boolean isStreamList(Object value) {
        return isImmutableList(value) && takesNull((List<?>) value);
    }

    /** The lists of {@link List#of} cannot even be asked for null; those of a stream can, though they are of the same class. */
    private static boolean takesNull(List<?> list) {
        try {
            return list.indexOf(null) >= -1;
        } catch (NullPointerException e) {
            return false;
        }
    }

    private static Object mapOf(List<Map.Entry<@Nullable Object, @Nullable Object>> entries) {
        @SuppressWarnings({"unchecked", "rawtypes"})
        Map.Entry<Object, Object>[] all = new Map.Entry[entries.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = Map.entry(
                    Objects.requireNonNull(entries.get(i).getKey()),
                    Objects.requireNonNull(entries.get(i).getValue()));
        }
        return Map.ofEntries(all);
    }

    @SuppressWarnings("unchecked") // The codec of the declared type made the elements.
    static Object filled(Object container, List<Map.Entry<@Nullable Object, @Nullable Object>> entries) {
        if (container instanceof Map<?, ?> map) {
            entries.forEach(
                    entry -> ((Map<@Nullable Object, @Nullable Object>) map).put(entry.getKey(), entry.getValue()));
        } else {
            ((Collection<@Nullable Object>) container).addAll(StateElements.keys(entries));
        }
        return container;
    }

    /** A container that takes its elements one after the other: one that is there, emptied, or else a new one. */
    static StateKind.Begun refilled(Optional<?> present, Supplier<Object> maker) {
        Object container = present.isPresent() ? emptied(present.get()) : maker.get();
        return new StateKind.Begun(container, entries -> filled(container, entries));
    }

    private static Object emptied(Object container) {
        if (container instanceof Map<?, ?> map) {
            map.clear();
        } else {
            ((Collection<?>) container).clear();
        }
        return container;
    }

    /** A list, queue or set that is told by its elements in their order. */
    private record Simple(Class<?> type, Supplier<Object> maker) implements StateKind {
        @Override
        public boolean is(Object value) {
            return value.getClass() == type;
        }

        @Override
        public Begun read(WireReader from, StateElements elements, Comparators comparators, Optional<Object> present) {
            return refilled(present.filter(this::is), maker);
        }
    }

    /** One that is sorted. A queue's elements are written as its heap has them, and added so they lie in the same places. */
    private record Sorted(Class<?> type, Function<@Nullable Comparator<Object>, Object> maker) implements StateKind {
        @Override
        public boolean is(Object value) {
            return value.getClass() == type;
        }

        private static @Nullable Comparator<?> comparator(Object value) {
            return value instanceof SortedMap<?, ?> map
                    ? map.comparator()
                    : value instanceof SortedSet<?> set ? set.comparator() : ((PriorityQueue<?>) value).comparator();
        }

        @Override
        public void writeHead(WireWriter to, Object value, StateElements elements, Comparators comparators) {
            to.text(comparators.name(comparator(value)));
        }

        @Override
        public Begun read(WireReader from, StateElements elements, Comparators comparators, Optional<Object> present) {
            String name = from.text("comparator", 1_024);
            return refilled(
                    present.filter(this::is).filter(value -> isNamed(comparators, comparator(value), name)),
                    () -> maker.apply(named(comparators, name)));
        }

        private static boolean isNamed(Comparators comparators, @Nullable Comparator<?> comparator, String name) {
            try {
                return comparators.name(comparator).equals(name);
            } catch (IllegalArgumentException e) {
                return false;
            }
        }

        @SuppressWarnings("unchecked") // It compared the same elements before.
        private static @Nullable Comparator<Object> named(Comparators comparators, String name) {
            return name.isEmpty()
                    ? null
                    : (Comparator<Object>) comparators
                            .of(name)
                            .orElseThrow(() -> new IllegalStateException("the comparator '" + name
                                    + "' is unknown here; run the same version of the service at every member"));
        }
    }

    /** In the order of insertion or of access. */
    private record Linked(boolean byAccess) implements StateKind {
        @Override
        public boolean is(Object value) {
            return value.getClass() == LinkedHashMap.class && isByAccess((LinkedHashMap<?, ?>) value) == byAccess;
        }

        /** Only a use of the map tells; so a copy is used. */
        @SuppressWarnings("unchecked")
        private static boolean isByAccess(LinkedHashMap<?, ?> map) {
            LinkedHashMap<Object, Object> copy = (LinkedHashMap<Object, Object>) map.clone();
            copy.clear();
            copy.put(1, 1);
            copy.put(2, 2);
            copy.get(1);
            return copy.keySet().iterator().next().equals(2);
        }

        @Override
        public Begun read(WireReader from, StateElements elements, Comparators comparators, Optional<Object> present) {
            return refilled(present.filter(this::is), () -> new LinkedHashMap<>(16, 0.75f, byAccess));
        }
    }

    private static Class<?> enumClass(StateElements elements) {
        return elements.keyClass()
                .filter(Class::isEnum)
                .orElseThrow(() -> new IllegalArgumentException(
                        "an EnumMap or EnumSet stands in a field that does not name the enum; declare its type"));
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Object enumSet(Class<?> type) {
        return EnumSet.noneOf((Class) type);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Object enumMap(Class<?> type) {
        return new EnumMap((Class) type);
    }

    /** One with elements or keys of an enum, which the field names. */
    private record OfEnum(Predicate<Object> kind, Function<Class<?>, Object> maker) implements StateKind {
        @Override
        public boolean is(Object value) {
            return kind.test(value);
        }

        @Override
        public void writeHead(WireWriter to, Object value, StateElements elements, Comparators comparators) {
            enumClass(elements);
        }

        @Override
        public Begun read(WireReader from, StateElements elements, Comparators comparators, Optional<Object> present) {
            return refilled(present.filter(this::is), () -> maker.apply(enumClass(elements)));
        }
    }

    private static StateKind fixed(
            Predicate<Object> kind, boolean unordered, Function<List<@Nullable Object>, Object> maker) {
        return new Fixed(kind, unordered, entries -> maker.apply(StateElements.keys(entries)));
    }

    /** One that never changes, made of its elements. */
    private record Fixed(
            Predicate<Object> kind,
            boolean unordered,
            Function<List<Map.Entry<@Nullable Object, @Nullable Object>>, Object> maker)
            implements StateKind {
        @Override
        public boolean is(Object value) {
            return kind.test(value);
        }

        @Override
        public boolean isUnordered(StateElements elements) {
            return unordered;
        }

        @Override
        public boolean isShared() {
            return false;
        }

        @Override
        public Begun read(WireReader from, StateElements elements, Comparators comparators, Optional<Object> present) {
            return new Begun(null, maker);
        }
    }

    /**
     * A subclass of the service's own of one that keeps an order of its own, without fields of its own: for example a {@link LinkedHashMap}
     * that drops its eldest entry. The constructor of the service makes it.
     */
    private static final class Own implements StateKind {
        private static final List<Class<?>> BASES =
                List.of(ArrayList.class, LinkedList.class, ArrayDeque.class, LinkedHashSet.class, LinkedHashMap.class);

        @Override
        public boolean is(Object value) {
            Class<?> type = value.getClass();
            while (type != null && !BASES.contains(type)) {
                for (Field field : type.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
                        return false;
                    }
                }
                type = type.getSuperclass();
            }
            return type != null && !value.getClass().getName().startsWith("java.");
        }

        @Override
        public boolean needsPresent() {
            return true;
        }

        @Override
        public void writeHead(WireWriter to, Object value, StateElements elements, Comparators comparators) {
            to.text(value.getClass().getName());
        }

        @Override
        public Begun read(WireReader from, StateElements elements, Comparators comparators, Optional<Object> present) {
            String name = from.text("class", 1_024);
            return refilled(present.filter(value -> value.getClass().getName().equals(name)), () -> {
                throw new IllegalStateException("the constructor of the service makes no " + name
                        + " in this field; run the same version of the service at every member");
            });
        }
    }
}
