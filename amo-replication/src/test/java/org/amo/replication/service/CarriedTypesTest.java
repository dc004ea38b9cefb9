package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.amo.base.wire.MalformedFrameException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The types of parameters and results, from a proxy to the service and back. */
@Timeout(60)
final class CarriedTypesTest {

    /** The interface as a client has it, before a service: what a member and a proxy do with each call, without a group between them. */
    static <T> T carried(Class<T> type, T service) {
        MethodTable client = new MethodTable(type);
        TypedService member = new TypedService(MethodTable.ofService(type), service);
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> {
                    MethodTable.Entry entry = client.of(method);
                    byte[] request = MethodTable.request(entry, given == null ? new Object[0] : given);
                    MethodTable.Call call = member.methods().read(request);
                    Object result = call.entry().method().invoke(member.target(), call.arguments());
                    return MethodTable.readResult(entry, MethodTable.result(call.entry(), result));
                }));
    }

    record Dates(
            LocalDate date,
            LocalTime time,
            LocalDateTime both,
            OffsetDateTime offset,
            OffsetTime offsetTime,
            ZoneOffset zone,
            Period period,
            MonthDay day,
            Year year,
            YearMonth month) {}

    interface Calendar {
        Dates echo(Dates dates);
    }

    @Test
    void datesAndTimesArriveAsTheyWere() {
        Calendar calendar = carried(Calendar.class, dates -> dates);
        Dates usual = new Dates(
                LocalDate.of(2026, 2, 28),
                LocalTime.of(10, 15),
                LocalDateTime.of(1, 1, 1, 0, 0, 0, 1),
                OffsetDateTime.of(2026, 1, 1, 0, 0, 0, 0, ZoneOffset.ofHoursMinutes(-9, -30)),
                OffsetTime.of(1, 2, 3, 4, ZoneOffset.UTC),
                ZoneOffset.ofTotalSeconds(3_661),
                Period.of(-1, 20, -300),
                MonthDay.of(2, 29),
                Year.of(5),
                YearMonth.of(12_345, 6));
        assertEquals(usual, calendar.echo(usual));
        Dates least = new Dates(
                LocalDate.MIN,
                LocalTime.MIN,
                LocalDateTime.MIN,
                OffsetDateTime.MIN,
                OffsetTime.MIN,
                ZoneOffset.MIN,
                Period.of(Integer.MIN_VALUE, Integer.MIN_VALUE, Integer.MIN_VALUE),
                MonthDay.of(1, 1),
                Year.of(Year.MIN_VALUE),
                YearMonth.of(Year.MIN_VALUE, 1));
        assertEquals(least, calendar.echo(least));
        Dates most = new Dates(
                LocalDate.MAX,
                LocalTime.MAX,
                LocalDateTime.MAX,
                OffsetDateTime.MAX,
                OffsetTime.MAX,
                ZoneOffset.MAX,
                Period.of(Integer.MAX_VALUE, 0, 0),
                MonthDay.of(12, 31),
                Year.of(Year.MAX_VALUE),
                YearMonth.of(Year.MAX_VALUE, 12));
        assertEquals(most, calendar.echo(most));
        Dates none = new Dates(null, null, null, null, null, null, null, null, null, null);
        assertEquals(none, calendar.echo(none));
    }

    interface Zoned {
        ZonedDateTime echo(ZoneId zone);
    }

    /** Two members with other rules of a time zone would read another instant. */
    @Test
    void timesWithTheRulesOfAZoneAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new MethodTable(Zoned.class));
    }

    interface Numbers {
        int sum(int... numbers);

        String join(String separator, String... parts);

        long[][] transposed(long[][] rows);

        boolean[] not(boolean[] values);

        List<Integer>[] lists(Optional<String>[] texts);
    }

    private static final class NumbersInMemory implements Numbers {
        @Override
        public int sum(int... numbers) {
            int sum = 0;
            for (int each : numbers) {
                sum += each;
            }
            return sum;
        }

        @Override
        public String join(String separator, String... parts) {
            return String.join(separator, parts);
        }

        @Override
        public long[][] transposed(long[][] rows) {
            long[][] columns = new long[rows[0].length][rows.length];
            for (int i = 0; i < rows.length; i++) {
                for (int j = 0; j < rows[i].length; j++) {
                    columns[j][i] = rows[i][j];
                }
            }
            return columns;
        }

        @Override
        public boolean[] not(boolean[] values) {
            boolean[] not = new boolean[values.length];
            for (int i = 0; i < not.length; i++) {
                not[i] = !values[i];
            }
            return not;
        }

        @Override
        @SuppressWarnings({"unchecked", "rawtypes"})
        public List<Integer>[] lists(Optional<String>[] texts) {
            return new List[] {
                List.of(texts.length),
                texts[0].map(text -> List.of(text.length())).orElseThrow()
            };
        }
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"})
    void arraysAndVariableArgumentsArriveInTheirOrder() {
        Numbers numbers = carried(Numbers.class, new NumbersInMemory());
        assertEquals(6, numbers.sum(1, 2, 3));
        assertEquals(0, numbers.sum());
        assertEquals("a-null-c", numbers.join("-", "a", null, "c"));
        assertArrayEquals(
                new long[][] {{1, 4}, {2, 5}, {3, 6}}, numbers.transposed(new long[][] {{1, 2, 3}, {4, 5, 6}}));
        assertArrayEquals(new boolean[] {false, true}, numbers.not(new boolean[] {true, false}));
        assertArrayEquals(new List[] {List.of(1), List.of(4)}, numbers.lists(new Optional[] {Optional.of("four")}));
    }

    /** The length that is claimed would take gigabytes. */
    @Test
    void anArrayThatIsLongerThanItsBytesIsMalformed() throws NoSuchMethodException {
        MethodTable table = new MethodTable(Numbers.class);
        MethodTable.Entry not = table.of(Numbers.class.getMethod("not", boolean[].class));
        byte[] result = {1, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x7f, 1};
        assertThrows(MalformedFrameException.class, () -> MethodTable.readResult(not, result));
    }

    enum Unit {
        METRE,
        MILE {
            @Override
            double metres() {
                return 1_609.344;
            }
        };

        double metres() {
            return 1;
        }
    }

    sealed interface Shape permits Circle, Polygon, Nothing {}

    record Circle(double radius, Unit unit) implements Shape {}

    sealed interface Polygon extends Shape permits Square, Group {}

    record Square(double side) implements Polygon {}

    record Group(List<Shape> shapes) implements Polygon {}

    enum Nothing implements Shape {
        NOTHING
    }

    interface Shapes {
        Shape doubled(Shape shape);

        Group group(Shape first, Square second);

        /** Is read before the others, and meets Group before Shape. */
        Circle circle(Group group);
    }

    private static final class ShapesInMemory implements Shapes {
        @Override
        public Shape doubled(Shape shape) {
            if (shape instanceof Circle circle) {
                return new Circle(2 * circle.radius(), circle.unit());
            }
            if (shape instanceof Square square) {
                return new Square(2 * square.side());
            }
            return shape instanceof Group group
                    ? new Group(group.shapes().stream().map(this::doubled).toList())
                    : shape;
        }

        @Override
        public Group group(Shape first, Square second) {
            return new Group(List.of(first, second));
        }

        @Override
        public Circle circle(Group group) {
            return new Circle(group.shapes().size(), Unit.METRE);
        }
    }

    @Test
    void valuesOfSealedInterfacesArriveAsTheirOwnTypes() {
        Shapes shapes = carried(Shapes.class, new ShapesInMemory());
        assertEquals(new Circle(4, Unit.MILE), shapes.doubled(new Circle(2, Unit.MILE)));
        Group group = new Group(List.of(new Square(1), Nothing.NOTHING, new Group(List.of())));
        assertEquals(new Group(List.of(new Square(2), Nothing.NOTHING, new Group(List.of()))), shapes.doubled(group));
        assertEquals(new Group(List.of(Nothing.NOTHING, new Square(3))), shapes.group(Nothing.NOTHING, new Square(3)));
        assertNull(shapes.doubled(null));
    }

    interface ShapesLater {
        CompletionStage<Group> group(Shape first, Square second);
    }

    /** Square is met first there, and Shape here: a client with another set of methods still calls the same method. */
    @Test
    void theSchemaOfAMethodDoesNotDependOnTheOthers() throws NoSuchMethodException {
        Method here = Shapes.class.getMethod("group", Shape.class, Square.class);
        Method there = ShapesLater.class.getMethod("group", Shape.class, Square.class);
        assertEquals(
                new MethodTable(Shapes.class).of(here).schema(),
                new MethodTable(ShapesLater.class).of(there).schema());
    }

    sealed interface Opened permits Closed, Open {}

    record Closed(int number) implements Opened {}

    non-sealed interface Open extends Opened {}

    interface OfOpen {
        Opened get();
    }

    @Test
    void aSealedInterfaceWithAnOpenTypeIsRefusedWithItsName() {
        String why = String.valueOf(assertThrows(IllegalArgumentException.class, () -> new MethodTable(OfOpen.class))
                .getMessage());
        assertTrue(why.startsWith("OfOpen.get: amo does not carry the type " + Open.class.getName()), why);
    }

    record Page<T>(List<T> items, Optional<Page<T>> next) {}

    record Pair<A, B>(A first, B second) {}

    sealed interface Result<T> permits Good, Bad {}

    record Good<V>(V value) implements Result<V> {}

    record Bad<V>(String why) implements Result<V> {}

    interface Repository<K, V> {
        Optional<V> find(K key);

        void save(K key, V value);

        Map<K, V> all();

        Page<Pair<K, V>> pages(int size);

        Result<V> get(K key);

        K[] keys(V[] values);
    }

    interface Squares extends Repository<String, Square> {
        @Override
        Result<Square> get(String key);
    }

    private static final class SquaresInMemory implements Squares {
        private final Map<String, Square> squares = new TreeMap<>();

        @Override
        public Optional<Square> find(String key) {
            return Optional.ofNullable(squares.get(key));
        }

        @Override
        public void save(String key, Square value) {
            squares.put(key, value);
        }

        @Override
        public Map<String, Square> all() {
            return squares;
        }

        @Override
        public Page<Pair<String, Square>> pages(int size) {
            List<Pair<String, Square>> items = new ArrayList<>();
            squares.forEach((key, square) -> items.add(new Pair<>(key, square)));
            Optional<Page<Pair<String, Square>>> next = items.size() <= size
                    ? Optional.empty()
                    : Optional.of(new Page<>(items.subList(size, items.size()), Optional.empty()));
            return new Page<>(items.subList(0, Math.min(size, items.size())), next);
        }

        @Override
        public Result<Square> get(String key) {
            return find(key).<Result<Square>>map(Good::new).orElseGet(() -> new Bad<>("no " + key));
        }

        @Override
        public String[] keys(Square[] values) {
            return squares.entrySet().stream()
                    .filter(entry -> List.of(values).contains(entry.getValue()))
                    .map(Map.Entry::getKey)
                    .toArray(String[]::new);
        }
    }

    @Test
    void theMethodsOfAGenericInterfaceAboveAndRecordsWithParametersAreCarried() {
        Squares squares = carried(Squares.class, new SquaresInMemory());
        squares.save("a", new Square(1));
        squares.save("b", new Square(2));
        assertEquals(Optional.of(new Square(1)), squares.find("a"));
        assertEquals(Map.of("a", new Square(1), "b", new Square(2)), squares.all());
        assertEquals(
                new Page<>(
                        List.of(new Pair<>("a", new Square(1))),
                        Optional.of(new Page<>(List.of(new Pair<>("b", new Square(2))), Optional.empty()))),
                squares.pages(1));
        assertEquals(new Good<>(new Square(2)), squares.get("b"));
        assertEquals(new Bad<>("no c"), squares.get("c"));
        assertArrayEquals(new String[] {"b"}, squares.keys(new Square[] {new Square(2)}));
    }

    record Endless<T>(Optional<Endless<List<T>>> next) {}

    interface OfEndless {
        Endless<String> get();
    }

    @Test
    void aTypeOfEverFurtherTypesIsRefused() {
        String why = String.valueOf(assertThrows(IllegalArgumentException.class, () -> new MethodTable(OfEndless.class))
                .getMessage());
        assertTrue(why.contains("holds ever further types of its own kind"), why);
    }

    interface Overloaded {
        String put(int value);

        String put(String value);

        String put(String value, int times);

        default String put() {
            return put("default");
        }
    }

    private static final class OverloadedInMemory implements Overloaded {
        @Override
        public String put(int value) {
            return "int " + value;
        }

        @Override
        public String put(String value) {
            return "text " + value;
        }

        @Override
        public String put(String value, int times) {
            return "times " + value.repeat(times);
        }
    }

    interface Alike {
        void put(List<String> values);

        void put(Collection<String> values);
    }

    @Test
    void overloadsAreToldApartUnlessTheirParametersAreWrittenAlike() {
        Overloaded overloaded = carried(Overloaded.class, new OverloadedInMemory());
        assertEquals("int 7", overloaded.put(7));
        assertEquals("text seven", overloaded.put("seven"));
        assertEquals("times abab", overloaded.put("ab", 2));
        String why = String.valueOf(assertThrows(IllegalArgumentException.class, () -> new MethodTable(Alike.class))
                .getMessage());
        assertTrue(why.contains("has two methods put"), why);
    }

    interface Sorted {
        SortedMap<String, Integer> from(SortedMap<String, Integer> map, String least);

        NavigableMap<LocalDate, List<String>> days(NavigableMap<LocalDate, List<String>> days);

        SortedSet<Integer> numbers(Set<Integer> unordered, SortedSet<Integer> ordered);
    }

    private static final class SortedInMemory implements Sorted {
        @Override
        public SortedMap<String, Integer> from(SortedMap<String, Integer> map, String least) {
            return map.tailMap(least);
        }

        @Override
        public NavigableMap<LocalDate, List<String>> days(NavigableMap<LocalDate, List<String>> days) {
            return days.descendingMap();
        }

        @Override
        public SortedSet<Integer> numbers(Set<Integer> unordered, SortedSet<Integer> ordered) {
            ordered.addAll(unordered);
            return ordered;
        }
    }

    @Test
    void sortedCollectionsKeepTheirOrder() {
        Sorted sorted = carried(Sorted.class, new SortedInMemory());
        TreeMap<String, Integer> ignoring = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        ignoring.putAll(Map.of("a", 1, "B", 2, "c", 3));
        SortedMap<String, Integer> tail = sorted.from(ignoring, "b");
        assertEquals(List.of("B", "c"), List.copyOf(tail.keySet()));
        assertEquals(2, tail.get("b"), "the order came, too");
        TreeMap<LocalDate, List<String>> days =
                new TreeMap<>(Map.of(LocalDate.of(2026, 1, 1), List.of("x"), LocalDate.of(2025, 1, 1), List.of()));
        assertEquals(LocalDate.of(2026, 1, 1), sorted.days(days).firstKey());
        TreeSet<Integer> down = new TreeSet<>(Comparator.reverseOrder());
        down.addAll(List.of(1, 5));
        assertEquals(List.of(5, 3, 1), List.copyOf(sorted.numbers(Set.of(3), down)));
        TreeMap<String, Integer> own = new TreeMap<>(Comparator.comparing(String::length));
        String why = String.valueOf(assertThrows(IllegalArgumentException.class, () -> sorted.from(own, "a"))
                .getMessage());
        assertTrue(why.contains("cannot be sent"), why);
    }

    interface Unsortable {
        SortedSet<Square> squares();
    }

    interface Numbered {
        SortedSet<Integer> numbers();
    }

    @Test
    void whatCannotBeComparedIsRefused() throws NoSuchMethodException {
        String why =
                String.valueOf(assertThrows(IllegalArgumentException.class, () -> new MethodTable(Unsortable.class))
                        .getMessage());
        assertTrue(why.startsWith("Unsortable.squares: ") && why.contains("is not Comparable"), why);
        MethodTable.Entry numbers = new MethodTable(Numbered.class).of(Numbered.class.getMethod("numbers"));
        byte[] withNull = {1, 0, 1, 0};
        assertThrows(IllegalArgumentException.class, () -> MethodTable.readResult(numbers, withNull));
        byte[] ofTexts =
                new byte[] {1, 13, 'i', 'g', 'n', 'o', 'r', 'i', 'n', 'g', ' ', 'c', 'a', 's', 'e', 1, 1, 0, 0, 0, 7};
        assertThrows(IllegalArgumentException.class, () -> MethodTable.readResult(numbers, ofTexts));
    }

    interface Archive {
        void put(Shape shape, LocalDate day);

        @ReadOnly
        int count();
    }

    static final class ArchiveInMemory implements Archive {
        private final List<Shape> shapes = new ArrayList<>();
        private final Map<LocalDate, Integer> byDay = new HashMap<>();
        private final Map<Pair<Unit, Integer>, Long> ofUnits = new HashMap<>();
        private Result<LocalDate> latest = new Bad<>("nothing yet");

        @Override
        public void put(Shape shape, LocalDate day) {
            shapes.add(shape);
            byDay.merge(day, 1, Integer::sum);
            ofUnits.merge(new Pair<>(Unit.MILE, shapes.size()), 1L, Long::sum);
            latest = new Good<>(day);
        }

        @Override
        public int count() {
            return latest instanceof Good<LocalDate> ? shapes.size() : 0;
        }
    }

    private static final class Tables {
        private final Map<Pair<Unit, Integer>, Long> ofUnits;
        private final Map<Shape, Long> ofShapes;
        private final Map<Circle, Long> ofCircles;
        private final Map<Pair<String, Integer>, Long> ofTexts;

        Tables(int capacity, boolean withTexts) {
            ofUnits = new HashMap<>(capacity);
            ofShapes = new HashMap<>(capacity);
            ofCircles = new HashMap<>(capacity);
            ofTexts = new HashMap<>(withTexts ? capacity : 16);
            for (int i = 0; i < 10; i++) {
                ofUnits.put(new Pair<>(Unit.METRE, i), 1L);
                ofShapes.put(new Circle(i, Unit.METRE), 1L);
                ofCircles.put(new Circle(i, Unit.METRE), 1L);
                ofTexts.put(new Pair<>("a", i), 1L);
            }
        }

        byte[] state() {
            return new FieldState(this, true).take();
        }
    }

    /** The hash of an enum differs between processes, so that the buckets of such a table are no part of the state. */
    @Test
    void theBucketsOfTablesWithEnumsInTheirKeysAreNotInTheState() {
        assertArrayEquals(new Tables(16, false).state(), new Tables(1_024, false).state());
        assertFalse(Arrays.equals(new Tables(16, true).state(), new Tables(1_024, true).state()));
    }

    /** A service keeps what it is given, so that a snapshot must hold it, too. The group checks a snapshot behind each request. */
    @Test
    void aServiceMayKeepThemInItsState() {
        try (EmbeddedGroup group = EmbeddedGroup.of(1, Archive.class, ArchiveInMemory::new)) {
            Archive archive = group.client().proxy(Archive.class);
            for (int i = 0; i < 20; i++) {
                archive.put(new Group(List.of(new Circle(i, Unit.METRE))), LocalDate.of(2026, 1, 1 + i));
            }
            assertEquals(20, archive.count());
            assertTrue(group.awaitAgreement(Duration.ofSeconds(10)));
        }
        ArchiveInMemory service = new ArchiveInMemory();
        service.put(Nothing.NOTHING, LocalDate.MAX);
        ArchiveInMemory other = new ArchiveInMemory();
        new FieldState(other, true).restore(new FieldState(service, true).take());
        assertEquals(service.shapes, other.shapes);
        assertEquals(service.ofUnits, other.ofUnits);
        assertEquals(service.latest, other.latest);
        assertFalse(other.byDay.isEmpty());
        assertNotNull(other.byDay.get(LocalDate.MAX));
    }
}
