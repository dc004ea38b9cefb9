package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

@SuppressWarnings({"JdkObsolete", "UnusedVariable", "UnnecessaryLambda", "IdentityHashMapUsage"
}) // Services may have them.
final class FieldStateTest {
    enum Colour {
        RED,
        GREEN {
            @Override
            String word() {
                return "g";
            }
        },
        BLUE;

        String word() {
            return "";
        }
    }

    record Shelf(String name, SortedMap<String, List<Integer>> content, Optional<Queue<String>> queue) {}

    private static void restore(Object from, Object to) {
        FieldState taken = new FieldState(from, true);
        assertEquals(Optional.empty(), taken.obstacle());
        byte[] state = taken.take();
        FieldState other = new FieldState(to, true);
        other.restore(state);
        assertArrayEquals(state, other.take(), "equal states give equal bytes");
    }

    static final class Nested {
        private final Map<String, Map<String, Integer>> byName = new HashMap<>();
        private final Map<String, Collection<String>> all = new TreeMap<>();
        private final Map<Colour, SortedSet<Integer>> byColour = new EnumMap<>(Colour.class);
        private Set<Colour> colours = EnumSet.of(Colour.GREEN);
        private Optional<Shelf> shelf = Optional.empty();
        private Map<String, Map<Colour, Integer>> enums = new LinkedHashMap<>();
    }

    /** The finding: inner maps and sets came back as LinkedHashMap and LinkedHashSet, inner queues as ArrayList. */
    @Test
    void aCollectionAtAnyDepthComesBackAsTheKindThatItWas() {
        Nested from = new Nested();
        from.byName.put("tree", new TreeMap<>(Map.of("b", 1, "a", 2)));
        from.byName.put("down", new TreeMap<>(Comparator.reverseOrder()));
        from.byName.put("skip", new ConcurrentSkipListMap<>(String.CASE_INSENSITIVE_ORDER));
        from.byName.put("hash", new HashMap<>());
        from.byName.put("concurrent", new ConcurrentHashMap<>());
        from.byName.put("few", Map.of("x", 1));
        from.byName.put("none", Collections.emptyMap());
        from.byName.put("one", Collections.singletonMap("y", 2));
        from.byName.put("fixed", Collections.unmodifiableMap(new TreeMap<>(Map.of("q", 4))));
        from.byName.put("guarded", Collections.synchronizedMap(new HashMap<>(Map.of("q", 4))));
        List<Collection<String>> collections = List.of(
                new ArrayList<>(),
                new LinkedList<>(),
                new ArrayDeque<>(),
                new PriorityQueue<>(Collections.reverseOrder()),
                new CopyOnWriteArrayList<>(),
                new CopyOnWriteArraySet<>(),
                new ConcurrentLinkedQueue<>(),
                new ConcurrentLinkedDeque<>(),
                new ConcurrentSkipListSet<>(),
                new TreeSet<>(Collections.reverseOrder(String.CASE_INSENSITIVE_ORDER)),
                new HashSet<>(),
                new LinkedHashSet<>());
        for (Collection<String> each : collections) {
            each.addAll(List.of("m", "Z", "a", "y", "B"));
            from.all.put(each.getClass().getName(), each);
        }
        from.all.put("of", List.of("1", "2", "3"));
        from.all.put("stream", Stream.of("1", "2", "3").toList());
        from.all.put("set", Set.of("1", "2", "3"));
        from.all.put("array", Arrays.asList("1", null));
        from.all.put("one", Collections.singletonList("1"));
        from.all.put("none", Collections.emptyList());
        from.all.put("no set", Collections.emptySet());
        from.all.put("fixed", Collections.unmodifiableList(new LinkedList<>(List.of("1"))));
        from.byColour.put(Colour.BLUE, new TreeSet<>(Set.of(3, 1, 2)));
        from.colours = EnumSet.of(Colour.BLUE, Colour.RED);
        from.shelf = Optional.of(new Shelf(
                "top",
                new TreeMap<>(Map.of("k", new LinkedList<>(List.of(1)))),
                Optional.of(new ArrayDeque<>(List.of("q")))));
        from.enums.put("e", new EnumMap<>(Map.of(Colour.GREEN, 1)));
        from.enums.put("h", new HashMap<>(Map.of(Colour.GREEN, 1)));
        Nested to = new Nested();
        restore(from, to);
        from.byName.forEach((name, map) -> {
            Map<String, Integer> back = to.byName.get(name);
            assertEquals(map, back);
            assertSame(map.getClass(), back.getClass(), name);
        });
        from.all.forEach((name, collection) -> {
            Collection<String> back = to.all.get(name);
            assertEquals(
                    List.copyOf(new ArrayList<>(collection).toString().lines().toList()),
                    new ArrayList<>(back).toString().lines().toList(),
                    name);
            assertSame(collection.getClass(), back.getClass(), name);
        });
        assertThrows(NullPointerException.class, () -> to.all.get("of").contains(null));
        assertEquals(false, to.all.get("stream").contains(null));
        to.byName.get("down").putAll(Map.of("1", 1, "2", 2));
        assertEquals("{2=2, 1=1}", to.byName.get("down").toString());
        assertEquals(from.byColour, to.byColour);
        assertEquals(from.colours, to.colours);
        assertEquals(from.shelf.orElseThrow().content(), to.shelf.orElseThrow().content());
        assertSame(TreeMap.class, to.shelf.orElseThrow().content().getClass());
        assertSame(
                ArrayDeque.class, to.shelf.orElseThrow().queue().orElseThrow().getClass());
        assertSame(EnumMap.class, to.enums.get("e").getClass());
        assertSame(HashMap.class, to.enums.get("h").getClass());
    }

    static class Base {
        private int count = 1;
        private final AtomicLong next = new AtomicLong(100);
    }

    static final class Values extends Base {
        private static int shared = 5;
        private final transient List<String> cache = new ArrayList<>();
        private final Logger log = LoggerFactory.getLogger(Values.class);
        private final ReentrantLock lock = new ReentrantLock();
        private final Object monitor = new Object();
        private final Function<String, String> upper = text -> text + "!";
        private int count = 2;
        private final int fixed = 3;
        private final AtomicInteger small = new AtomicInteger();
        private final LongAdder sum = new LongAdder();
        private final AtomicReference<List<String>> last = new AtomicReference<>(List.of());
        private final BitSet bits = new BitSet();
        private final StringBuilder text = new StringBuilder("a");
        private final long[] longs = new long[3];
        private String[][] names = {{"a"}};
        private byte[] bytes = {1};
        private String half = "";
    }

    /** Finals of java.* were taken for values that never change: counters began anew after a snapshot. */
    @Test
    void atomicsArraysAndBuildersAreStateAndHelpersKeepWhatTheConstructorMade() {
        Values from = new Values();
        ((Base) from).count = 11;
        ((Base) from).next.set(12);
        from.cache.add("x");
        from.count = 13;
        from.small.set(14);
        from.sum.add(15);
        from.last.set(new LinkedList<>(List.of("16")));
        from.bits.set(17);
        from.text.append("18");
        from.longs[2] = 19;
        from.names = new String[][] {{"b", null}, {}};
        from.bytes = new byte[] {20, 21};
        from.half = "half \ud83d";
        Values to = new Values();
        Logger log = to.log;
        AtomicInteger small = to.small;
        restore(from, to);
        assertEquals(11, ((Base) to).count);
        assertEquals(12, ((Base) to).next.get());
        assertEquals(List.of(), to.cache);
        assertSame(log, to.log);
        assertSame(small, to.small, "an object of the constructor stays, since others may refer to it");
        assertEquals(13, to.count);
        assertEquals(14, to.small.get());
        assertEquals(15, to.sum.sum());
        assertSame(LinkedList.class, to.last.get().getClass());
        assertEquals(from.bits, to.bits);
        assertEquals("a18", to.text.toString());
        assertEquals(19, to.longs[2]);
        assertTrue(Arrays.deepEquals(from.names, to.names));
        assertArrayEquals(from.bytes, to.bytes);
        assertEquals("half \ud83d", to.half, "UTF-8 would make it a question mark");
        assertEquals(
                List.of("Values.cache", "Values.log", "Values.lock", "Values.monitor", "Values.upper"),
                new FieldState(to, true).leftAlone());
        assertEquals(5 + 3 + 1, Values.shared + to.fixed + to.upper.apply("").length());
    }

    static final class Shares {
        private final List<String> all = new ArrayList<>();
        private final List<String> view = Collections.unmodifiableList(all);
        private List<String> current = all;
        private final Map<String, List<String>> byName = new LinkedHashMap<>();

        private record Node(List<Node> next) {}

        private Node ring = new Node(new ArrayList<>());
    }

    @Test
    void whatTwoFieldsShareTheyShareAfterwards() {
        Shares from = new Shares();
        from.current = new LinkedList<>(List.of("x"));
        from.byName.put("a", from.current);
        from.byName.put("b", from.current);
        from.ring.next().add(from.ring);
        Shares to = new Shares();
        restore(from, to);
        assertSame(to.current, to.byName.get("a"));
        assertSame(to.current, to.byName.get("b"));
        assertNotSame(to.all, to.current);
        to.all.add("y");
        assertEquals(List.of("y"), to.view, "a view still shows what is behind it");
        assertSame(to.ring.next(), to.ring.next().get(0).next());
    }

    static final class Eldest {
        static final Comparator<String> BY_LENGTH = Comparator.comparing(String::length);

        private final Map<String, Integer> lru = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
                return size() > 2;
            }
        };
        private final Map<String, Integer> byAccess = new LinkedHashMap<>(16, 0.75f, true);
        private final NavigableMap<String, Integer> own = new TreeMap<>(Comparator.comparing(text -> text.charAt(1)));
        private final Map<String, SortedSet<String>> nested = new HashMap<>();
    }

    @Test
    void orderOfAccessAndOwnComparatorsOfFieldsAreKept() {
        Eldest from = new Eldest();
        Eldest to = new Eldest();
        for (Eldest each : List.of(from)) {
            each.lru.putAll(Map.of("a", 1));
            each.lru.put("b", 2);
            each.lru.get("a");
            each.byAccess.put("a", 1);
            each.byAccess.put("b", 2);
            each.byAccess.get("a");
            each.own.put("xb", 1);
            each.own.put("ya", 2);
            each.nested.put("n", new TreeSet<>(Eldest.BY_LENGTH));
            each.nested.get("n").addAll(List.of("long", "a"));
        }
        restore(from, to);
        for (Eldest each : List.of(from, to)) {
            each.lru.put("c", 3);
            assertEquals("[a, c]", each.lru.keySet().toString());
            each.byAccess.get("b");
            assertEquals("[a, b]", each.byAccess.keySet().toString());
            assertEquals("[ya, xb]", each.own.keySet().toString());
            assertEquals("[a, long]", each.nested.get("n").toString());
        }
    }

    static final class Hashes {
        private final Map<String, Integer> kept = new HashMap<>();
        private Map<String, Integer> replaced = new HashMap<>();
        private final Set<String> set = new HashSet<>();
        private final Map<String, Set<Integer>> nested = new ConcurrentHashMap<>();

        String change(long draw) {
            Random random = new Random(draw);
            String key = "k" + random.nextInt(300);
            switch (random.nextInt(9)) {
                case 0, 1 -> kept.put(key, random.nextInt());
                case 2 -> kept.keySet().removeIf(each -> each.hashCode() % 4 == random.nextInt(4));
                case 3 -> replaced.merge(key, 1, Integer::sum);
                case 4 -> {
                    if (random.nextInt(40) == 0) {
                        replaced = new HashMap<>(64);
                    }
                }
                case 5 -> set.add(key);
                case 6 -> set.remove(key);
                case 7 -> nested.computeIfAbsent(key, made -> new HashSet<>()).add(random.nextInt(1_000));
                default -> nested.remove(key);
            }
            return kept.keySet() + " " + replaced + " " + set + " " + nested;
        }
    }

    @Test
    void aServiceThatIteratesOverHashTablesAnswersTheSameAfterARestoreAtAnyMoment() {
        Hashes original = new Hashes();
        Hashes restored = new Hashes();
        Random random = new Random(7);
        int restores = 0;
        for (int step = 0; step < 1_000; step++) {
            long draw = random.nextLong();
            assertEquals(original.change(draw), restored.change(draw), "step " + step);
            if (step % 7 == 0) {
                restored = new Hashes();
                restore(original, restored);
                restores++;
            }
        }
        assertEquals(143, restores);
    }

    static final class Rooms {
        private final Map<String, Map<String, Integer>> concurrent = new LinkedHashMap<>();
        private final Map<String, Map<String, Integer>> hashed = new LinkedHashMap<>();
        private Map<String, Integer> replaced = new ConcurrentHashMap<>();
    }

    /** The JDK sizes a map by its first putAll: one that was looked at, or restored, had 16 buckets instead. */
    @Test
    void mapsThatWereNeverFilledIterateAlikeAfterALookAndAfterARestore() {
        Rooms unseen = new Rooms();
        Rooms seen = new Rooms();
        Rooms restored = new Rooms();
        for (Rooms each : List.of(unseen, seen)) {
            each.concurrent.put("r", new ConcurrentHashMap<>());
            each.hashed.put("r", new HashMap<>());
            each.replaced = new ConcurrentHashMap<>();
        }
        byte[] empty = new FieldState(seen, true).take();
        restore(seen, restored);
        assertArrayEquals(empty, new FieldState(restored, true).take());
        Map<String, Integer> some = new TreeMap<>(Map.of("Paris", 1, "Lima", 2, "Oslo", 3));
        for (Rooms each : List.of(unseen, seen, restored)) {
            each.concurrent.values().forEach(map -> map.putAll(some));
            each.hashed.values().forEach(map -> map.putAll(some));
            each.replaced.putAll(some);
        }
        byte[] state = new FieldState(unseen, true).take();
        assertArrayEquals(state, new FieldState(seen, true).take());
        assertArrayEquals(state, new FieldState(restored, true).take());
    }

    static final class Viewed {
        private final Map<String, Integer> map = new ConcurrentHashMap<>();
        private final Map<String, Integer> view = Collections.unmodifiableMap(map);
    }

    @Test
    void aConcurrentMapOfTheConstructorIsFilledInPlace() {
        Viewed from = new Viewed();
        Viewed to = new Viewed();
        Map<String, Integer> before = to.map;
        for (int i = 0; i < 100; i++) {
            from.map.put("k" + i, i);
        }
        restore(from, to);
        assertSame(before, to.map);
        assertEquals(from.map.toString(), to.view.toString());
    }

    static final class WithIdentity {
        private final Map<String, Integer> map = new IdentityHashMap<>();
    }

    static final class Declared {
        private IdentityHashMap<String, Integer> later;
    }

    /** It would begin anew after a restore. */
    static final class Numbering {
        private final LongSupplier ids = new Ids();

        private static final class Ids implements LongSupplier {
            private long next;

            @Override
            public long getAsLong() {
                return ++next;
            }
        }
    }

    static final class WithRandom {
        private final Random random = new Random(1);
    }

    static final class Mutable {
        static final class Account {
            private int balance;
        }

        private final Map<String, Account> accounts = new HashMap<>();
    }

    static final class Golden {
        private long count = 7;
        private final Map<String, SortedSet<Integer>> sets = new HashMap<>();
        private SortedSet<Integer> last = new TreeSet<>();
    }

    /** The example of docs/wire/snapshot.md. */
    @Test
    void theBytesAreThoseOfTheWirePage() {
        Golden service = new Golden();
        service.last = new TreeSet<>(Comparator.reverseOrder());
        service.last.add(3);
        service.sets.put("a", service.last);
        assertEquals(
                "02"
                        + text("Golden.count long") + "0000000000000007"
                        + text("Golden.sets java.util.Map<text, java.util.SortedSet<Integer>>")
                        + "10" + "09" + "01" + "01" + "01" + "0161" + "0c" + "0772657665727365" + "01" + "01"
                        + "00000003"
                        + text("Golden.last java.util.SortedSet<Integer>")
                        + "01" + "01",
                HexFormat.of().formatHex(new FieldState(service, true).take()));
    }

    private static String text(String text) {
        return HexFormat.of().toHexDigits((byte) text.length())
                + HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }

    /** As under the agent of deterministic execution. */
    @SuppressWarnings("MemberName")
    static final class Identified {
        private int amo$identity;
        private int count = 7;
    }

    /** One member alone may ask for it, as by a debugger or a management bean, and its state is no other then. */
    @Test
    void theIdentityHashOfTheAgentIsNoState() {
        Identified service = new Identified();
        FieldState state = new FieldState(service, true);
        byte[] before = state.take();
        service.amo$identity = 5;
        assertArrayEquals(before, state.take());

        // Versions before took it for a field.
        String version = "02";
        String identity = text("Identified.amo$identity int") + "00000006";
        String count = text("Identified.count int") + "00000009";
        for (String taken : List.of(version + identity + count, version + count + identity, version + count)) {
            service.count = 0;
            state.restore(HexFormat.of().parseHex(taken));
            assertEquals(9, service.count);
            assertEquals(5, service.amo$identity);
        }
        assertThrows(
                IllegalStateException.class,
                () -> state.restore(
                        HexFormat.of().parseHex(version + count + text("Identified.more int") + "00000000")));
    }

    record AsRecord(Map<String, Integer> map) {}

    @Test
    void aFieldThatCannotComeBackIsRefusedAtTheStartInOneLineWithTheRemedy() {
        for (Object service : List.of(
                new WithIdentity(),
                new Declared(),
                new WithRandom(),
                new Mutable(),
                new Numbering(),
                new AsRecord(new HashMap<>()))) {
            String why = new FieldState(service, true).obstacle().orElse("none");
            assertEquals(1, why.lines().count());
            assertTrue(why.startsWith("field " + service.getClass().getSimpleName() + "."), why);
            assertTrue(why.contains("; make "), why);
        }
    }

    static final class Tables {
        private final Map<String, Integer> map = new HashMap<>();
        private final Set<String> set = new HashSet<>();
        private final Map<String, Integer> concurrent = new ConcurrentHashMap<>();

        private static Tables withKeysOfOneBucket() {
            Tables tables = new Tables();
            for (String name : KeysOfOneBucket.of(16)) {
                tables.map.put(name, tables.map.size());
                tables.set.add(name);
                tables.concurrent.put(name, tables.concurrent.size());
            }
            return tables;
        }
    }

    /** A client may choose such keys. */
    @Test
    void tablesOfAnyShapeAreKeptIfTheirOrderNeedNotBe() {
        Tables from = Tables.withKeysOfOneBucket();
        assertTrue(new FieldState(from, true).obstacle().orElse("").contains("share a bucket"));
        FieldState taken = new FieldState(from, false);
        assertEquals(Optional.empty(), taken.obstacle());
        Tables to = new Tables();
        FieldState other = new FieldState(to, false);
        other.restore(taken.take());
        assertEquals(from.map, to.map);
        assertEquals(from.set, to.set);
        assertEquals(from.concurrent, to.concurrent);
        assertArrayEquals(taken.take(), other.take(), "equal states give equal bytes");
    }

    static final class Earlier {
        static final class Stock {
            private long pieces = 3;
        }
    }

    static final class Appended {
        static final class Stock {
            private long pieces;
            private int reserved;
        }
    }

    static final class Inserted {
        static final class Stock {
            private int reserved;
            private long pieces;
        }
    }

    static final class Removed {
        static final class Stock {}
    }

    /** All members run the same version then, so that line alone would leave the operator without a way. */
    @Test
    void aSnapshotFromBeforeAChangeOfFieldsNamesTheVersionThatTookIt() {
        byte[] state = new FieldState(new Earlier.Stock(), true).take();
        for (Object later : List.of(new Appended.Stock(), new Inserted.Stock(), new Removed.Stock())) {
            FieldState fields = new FieldState(later, true);
            IllegalStateException why = assertThrows(IllegalStateException.class, () -> fields.restore(state));
            String message = String.valueOf(why.getMessage());
            assertTrue(
                    message.contains(
                            "run the same version of " + later.getClass().getName()),
                    message);
            assertTrue(message.endsWith("start the version that took it (docs/how-to/upgrade.md)"), message);
            assertEquals(1, message.lines().count());
        }
    }

    @Test
    void whatBecomesUnfitLaterIsRefusedWhenTheStateIsTaken() {
        Nested service = new Nested();
        FieldState state = new FieldState(service, true);
        service.byName.put("own", new TreeMap<>(Comparator.comparing(String::length)));
        IllegalArgumentException why = assertThrows(IllegalArgumentException.class, state::take);
        assertTrue(
                why.getMessage()
                        .startsWith(
                                "field Nested.byName cannot be kept in a snapshot: a sorted collection has a comparator of its own"),
                why.getMessage());
        assertTrue(why.getMessage().contains("keep that comparator in a static final field"), why.getMessage());
    }

    private static final class OwnList extends ArrayList<String> {
        private static final long serialVersionUID = 1L;
    }

    static final class Lists {
        private List<String> own = new OwnList();
        private List<String> plain = new ArrayList<>();
        private List<String> view = Collections.unmodifiableList(new OwnList());
        private final Map<String, List<String>> nested = new HashMap<>();
    }

    /** A member that begins from the snapshot has the collections that the constructor makes, and no others of that class. */
    @Test
    void aCollectionOfItsOwnIsTakenOnlyWhereTheConstructorMakesOne() {
        Lists service = new Lists();
        FieldState state = new FieldState(service, true);
        service.own = new OwnList();
        service.own.add("a");
        Lists other = new Lists();
        new FieldState(other, true).restore(state.take());
        assertEquals(OwnList.class, other.own.getClass());
        assertEquals(List.of("a"), other.own);

        service.plain = new OwnList();
        assertRefused(state, "plain");
        service.plain = new ArrayList<>();
        service.view = new OwnList();
        assertRefused(state, "view");
        service.view = Collections.unmodifiableList(new OwnList());
        service.nested.put("n", new OwnList());
        assertRefused(state, "nested");
    }

    private static void assertRefused(FieldState state, String field) {
        String why = assertThrows(IllegalArgumentException.class, state::take).getMessage();
        assertTrue(
                why.startsWith("field Lists." + field + " cannot be kept in a snapshot: a " + OwnList.class.getName()),
                why);
        assertTrue(why.contains("use a collection of the JDK"), why);
    }
}
