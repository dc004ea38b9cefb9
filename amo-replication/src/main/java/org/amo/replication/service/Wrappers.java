package org.amo.replication.service;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/** The unmodifiable and synchronized views of {@link Collections}, by a number that a snapshot holds. */
@SuppressWarnings("JdkObsolete") // A LinkedList has a view of another class.
final class Wrappers {
    private static final List<UnaryOperator<Object>> MAKERS = new ArrayList<>();
    private static final Map<Class<?>, Integer> NUMBERS = new HashMap<>();

    static {
        add(each -> Collections.unmodifiableCollection((Collection<?>) each), new ArrayList<>());
        add(each -> Collections.unmodifiableList((List<?>) each), new ArrayList<>(), new LinkedList<>());
        add(each -> Collections.unmodifiableSet((Set<?>) each), new TreeSet<>());
        add(each -> Collections.unmodifiableSortedSet((SortedSet<?>) each), new TreeSet<>());
        add(each -> Collections.unmodifiableNavigableSet((NavigableSet<?>) each), new TreeSet<>());
        add(each -> Collections.unmodifiableMap((Map<?, ?>) each), new TreeMap<>());
        add(each -> Collections.unmodifiableSortedMap((SortedMap<?, ?>) each), new TreeMap<>());
        add(each -> Collections.unmodifiableNavigableMap((NavigableMap<?, ?>) each), new TreeMap<>());
        add(each -> Collections.synchronizedCollection((Collection<?>) each), new ArrayList<>());
        add(each -> Collections.synchronizedList((List<?>) each), new ArrayList<>(), new LinkedList<>());
        add(each -> Collections.synchronizedSet((Set<?>) each), new TreeSet<>());
        add(each -> Collections.synchronizedSortedSet((SortedSet<?>) each), new TreeSet<>());
        add(each -> Collections.synchronizedNavigableSet((NavigableSet<?>) each), new TreeSet<>());
        add(each -> Collections.synchronizedMap((Map<?, ?>) each), new TreeMap<>());
        add(each -> Collections.synchronizedSortedMap((SortedMap<?, ?>) each), new TreeMap<>());
        add(each -> Collections.synchronizedNavigableMap((NavigableMap<?, ?>) each), new TreeMap<>());
    }

    private Wrappers() {}

    private static void add(UnaryOperator<Object> maker, Object... samples) {
        for (Object sample : samples) {
            NUMBERS.put(maker.apply(sample).getClass(), MAKERS.size());
        }
        MAKERS.add(maker);
    }

    static boolean isOne(Object value) {
        return NUMBERS.containsKey(value.getClass());
    }

    static int number(Object wrapper) {
        Integer number = NUMBERS.get(wrapper.getClass());
        if (number == null) {
            throw new IllegalArgumentException(wrapper.getClass() + " is no view");
        }
        return number;
    }

    static int count() {
        return MAKERS.size();
    }

    /** @throws ClassCastException if that cannot stand behind such a view */
    static Object wrap(int number, Object behind) {
        return MAKERS.get(number).apply(behind);
    }
}
