package org.amo.core.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

@SuppressWarnings("NonApiType") // The class is what this is about.
final class HashTablesTest {
    private static final int SEEDS = Boolean.getBoolean("amo.allSeeds") ? 20 : 10;

    /** A key whose hash meets others'. */
    private record Key(int value) implements Serializable {
        @Override
        public int hashCode() {
            return value % 97 * 5;
        }
    }

    private static HashMap<Object, Object> copy(HashMap<Object, Object> map) {
        HashTables.Shape shape = HashTables.of(map);
        HashMap<Object, Object> copy = HashTables.map(shape);
        HashTables.fill(copy, shape, entries(map));
        return copy;
    }

    private static HashMap<Object, Object> copyInPlace(HashMap<Object, Object> map) {
        HashTables.Shape shape = HashTables.of(map);
        HashMap<Object, Object> copy = new HashMap<>();
        if (!HashTables.reshape(copy, shape)) {
            return copy(map);
        }
        HashTables.fill(copy, shape, entries(map));
        return copy;
    }

    private static ConcurrentHashMap<Object, Object> copy(ConcurrentHashMap<Object, Object> map) {
        HashTables.Shape shape = HashTables.of(map);
        ConcurrentHashMap<Object, Object> copy = HashTables.concurrentMap(shape);
        map.forEach(copy::put);
        HashTables.check(copy, shape);
        return copy;
    }

    private static List<Map.Entry<Object, Object>> entries(Map<Object, Object> map) {
        List<Map.Entry<Object, Object>> entries = new ArrayList<>();
        map.forEach((key, value) -> entries.add(new AbstractMap.SimpleImmutableEntry<>(key, value)));
        return entries;
    }

    /** Whether the lists of their entries are equal, without the lists. */
    private static boolean iterateAlike(Map<Object, Object> one, Map<Object, Object> other) {
        Iterator<Map.Entry<Object, Object>> others = other.entrySet().iterator();
        for (Map.Entry<Object, Object> entry : one.entrySet()) {
            if (!others.hasNext() || !entry.equals(others.next())) {
                return false;
            }
        }
        return !others.hasNext();
    }

    private static void change(Map<Object, Object> map, Random random, int keys) {
        Key key = new Key(random.nextInt(keys));
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> map.remove(key);
            case 3 -> map.computeIfAbsent(key, made -> "c");
            case 4 -> map.merge(key, "m", (old, more) -> "mm");
            case 5 -> map.compute(key, (made, old) -> old == null ? "n" : null);
            case 6 -> {
                if (random.nextInt(60) == 0) {
                    map.clear();
                }
            }
            case 7 -> {
                if (random.nextInt(30) == 0) {
                    Map<Key, String> more = new LinkedHashMap<>();
                    for (int i = random.nextInt(keys / 4); i > 0; i--) {
                        more.put(new Key(random.nextInt(keys)), "p");
                    }
                    map.putAll(more);
                }
            }
            default -> map.put(key, "v");
        }
    }

    /** Copies at random moments, and both go on: at every moment they must iterate alike. */
    private static <M extends Map<Object, Object>> int copiesThatStayEqual(
            long seed, M begin, Function<M, M> copier, int keys) {
        Random random = new Random(seed);
        M original = begin;
        M copy = copier.apply(original);
        int copies = 0;
        for (int step = 0; step < 3_000; step++) {
            long draw = random.nextLong();
            change(original, new Random(draw), keys);
            change(copy, new Random(draw), keys);
            if (!iterateAlike(original, copy)) {
                assertEquals(entries(original), entries(copy), "seed " + seed + " step " + step);
            }
            if (random.nextInt(40) == 0) {
                try {
                    copy = copier.apply(original);
                    copies++;
                } catch (IllegalArgumentException tooManyInABucket) {
                    // Buckets that were trees stay out of the claim: the rest of the run is another one.
                    return copies;
                }
            }
        }
        return copies;
    }

    @Test
    void aCopyOfAHashMapIteratesAsItsOriginalNowAndAfterFurtherChanges() {
        int copies = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            copies += copiesThatStayEqual(seed, new HashMap<>(), HashTablesTest::copy, 250);
            copies += copiesThatStayEqual(seed, new HashMap<>(1 << seed % 8), HashTablesTest::copy, 60);
            copies += copiesThatStayEqual(seed, new HashMap<>(), HashTablesTest::copyInPlace, 150);
        }
        assertTrue(copies > 50 * SEEDS, "copies=" + copies);
    }

    @Test
    void aCopyOfAConcurrentHashMapIteratesAsItsOriginalNowAndAfterFurtherChanges() {
        int copies = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            copies += copiesThatStayEqual(seed, new ConcurrentHashMap<>(), HashTablesTest::copy, 250);
            copies += copiesThatStayEqual(seed, filled(1 << seed % 8), HashTablesTest::copy, 60);
        }
        assertTrue(copies > 35 * SEEDS, "copies=" + copies);
    }

    private static <T> T streamed(T object) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            @SuppressWarnings("unchecked")
            T read = (T) in.readObject();
            return read;
        }
    }

    /** As a member writes and reads it. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T> T written(Object object, Class<?> type) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new Replacing(bytes)) {
            out.writeObject(object);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (T) type.cast(in.readObject());
        }
    }

    private static final class Replacing extends ObjectOutputStream {
        Replacing(OutputStream out) throws IOException {
            super(out);
            enableReplaceObject(true);
        }

        @Override
        protected Object replaceObject(Object object) {
            return KeptTables.standIn(object);
        }
    }

    private static ConcurrentHashMap<Object, Object> throughAStream(ConcurrentHashMap<Object, Object> map) {
        try {
            return written(map, ConcurrentHashMap.class);
        } catch (IllegalArgumentException tooManyInABucket) {
            throw tooManyInABucket;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static ConcurrentHashMap<Object, Object> copyInPlace(ConcurrentHashMap<Object, Object> map) {
        HashTables.Shape shape = HashTables.of(map);
        ConcurrentHashMap<Object, Object> copy = new ConcurrentHashMap<>();
        if (!HashTables.reshape(copy, shape)) {
            return copy(map);
        }
        map.forEach(copy::put);
        HashTables.check(copy, shape);
        return copy;
    }

    private static Hashtable<Object, Object> throughAStream(Hashtable<Object, Object> table) {
        try {
            return written(table, Hashtable.class);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aConcurrentMapThatWentThroughAStreamIteratesAsItsOriginalNowAndAfterFurtherChanges() {
        int copies = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            copies += copiesThatStayEqual(seed, new ConcurrentHashMap<>(), HashTablesTest::throughAStream, 250);
            copies += copiesThatStayEqual(seed, filled(1 << seed % 8), HashTablesTest::throughAStream, 60);
            copies += copiesThatStayEqual(seed, new ConcurrentHashMap<>(), HashTablesTest::copyInPlace, 250);
        }
        assertTrue(copies > 50 * SEEDS, "copies=" + copies);
    }

    /** A capacity is kept from the first entry on. */
    private static ConcurrentHashMap<Object, Object> filled(int capacity) {
        ConcurrentHashMap<Object, Object> map = new ConcurrentHashMap<>(capacity);
        map.put(new Key(1), "v");
        return map;
    }

    /** A Hashtable has no trees. */
    @Test
    @SuppressWarnings("JdkObsolete")
    void aHashtableThatWentThroughAStreamIteratesAsItsOriginalNowAndAfterFurtherChanges() {
        int copies = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            copies += copiesThatStayEqual(seed, new Hashtable<>(), HashTablesTest::throughAStream, 250);
            copies += copiesThatStayEqual(seed, new Hashtable<>((int) seed), HashTablesTest::throughAStream, 60);
        }
        assertTrue(copies > 100 * SEEDS, "copies=" + copies);
    }

    /** The JDK alone chooses the places when it reads one. */
    @Test
    @SuppressWarnings("JdkObsolete")
    void aHashtableOfAnySizeKeepsItsPlaces() throws Exception {
        for (int places = 1; places < 4_000; places += places < 150 ? 1 : 37) {
            Hashtable<Object, Object> table = new Hashtable<>(places);
            for (int i = 0; i < places * 3 / 8; i++) {
                table.put(31 * i + 7 * places, i);
            }
            Hashtable<Object, Object> read = written(table, Hashtable.class);
            Hashtable<Object, Object> again = written(read, Hashtable.class);
            assertEquals(HashTables.places(table), HashTables.places(read));
            assertEquals(Collections.list(table.keys()), Collections.list(read.keys()));
            assertEquals(Collections.list(table.keys()), Collections.list(again.keys()));
            Hashtable<Object, Object> plain = streamed(read);
            assertEquals(Hashtable.class, plain.getClass());
        }
    }

    /** One that the JDK would size by its first entries was copied as one of 16 buckets. */
    @Test
    void aMapThatWasNeverFilledTakesItsBucketsFromItsFirstEntries() {
        for (int size : new int[] {1, 3, 7, 12, 50}) {
            Map<Key, String> more = new LinkedHashMap<>();
            for (int i = 0; i < size; i++) {
                more.put(new Key(i), "p");
            }
            for (HashMap<Object, Object> original :
                    List.of(new HashMap<>(), new HashMap<>(16), new HashMap<>(0), new HashMap<>(64))) {
                HashMap<Object, Object> copy = copy(original);
                HashMap<Object, Object> inPlace = copyInPlace(original);
                HashMap<Object, Object> read = throughAStream(original);
                for (HashMap<Object, Object> each : List.of(original, copy, inPlace, read)) {
                    each.putAll(more);
                    assertEquals(HashTables.of(original), HashTables.of(each));
                }
            }
        }
    }

    /** As a member does with the map that the constructor made, since others may refer to it. */
    @Test
    void aConcurrentMapGrowsToTheBucketsOfAnother() {
        for (int capacity = 2; capacity <= 1 << 16; capacity *= 2) {
            HashTables.Shape shape = new HashTables.Shape(capacity, true);
            ConcurrentHashMap<Object, Object> map = new ConcurrentHashMap<>(0);
            assertTrue(HashTables.reshape(map, shape), shape.toString());
            assertEquals(shape, HashTables.of(map));
            assertEquals(shape, HashTables.of(HashTables.concurrentMap(shape)));
        }
        assertFalse(
                HashTables.reshape(HashTables.concurrentMap(new HashTables.Shape(64, true)), HashTables.Shape.FRESH));
    }

    /** Members look at different moments, so a look must not change anything. */
    @Test
    void aLookAtAConcurrentMapDoesNotChangeIt() {
        for (int size : new int[] {1, 3, 7, 12, 50}) {
            Map<Key, String> more = new LinkedHashMap<>();
            for (int i = 0; i < size; i++) {
                more.put(new Key(i), "p");
            }
            ConcurrentHashMap<Object, Object> untouched = new ConcurrentHashMap<>();
            ConcurrentHashMap<Object, Object> seen = new ConcurrentHashMap<>();
            ConcurrentHashMap<Object, Object> copy = copy(seen);
            ConcurrentHashMap<Object, Object> read = throughAStream(seen);
            for (ConcurrentHashMap<Object, Object> each : List.of(untouched, seen, copy, read)) {
                each.putAll(more);
                assertEquals(HashTables.of(untouched), HashTables.of(each));
            }
        }
    }

    private static HashMap<Object, Object> throughAStream(HashMap<Object, Object> map) {
        try {
            return written(map, HashMap.class);
        } catch (IllegalArgumentException tooManyInABucket) {
            throw tooManyInABucket;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aMapThatWentThroughAStreamIteratesAsItsOriginalNowAndAfterFurtherChanges() {
        int copies = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            copies += copiesThatStayEqual(seed, new HashMap<>(), HashTablesTest::throughAStream, 250);
            copies += copiesThatStayEqual(seed, new HashMap<>(1 << seed % 8), HashTablesTest::throughAStream, 60);
            copies += copiesThatStayEqual(seed, throughAStream(new HashMap<>(1)), HashTablesTest::throughAStream, 60);
        }
        assertTrue(copies > 35 * SEEDS, "copies=" + copies);
    }

    /** The JDK's own serial form makes another table of it. */
    @Test
    void aSmallSetThatWentThroughAStreamIteratesAsItsOriginal() throws Exception {
        HashSet<Object> set = new HashSet<>(Set.of("north", "east", "south"));
        KeptHashSet read = streamed(new KeptHashSet(set));
        assertEquals(new ArrayList<>(set), new ArrayList<>(read));
        assertEquals(
                new ArrayList<>(set), new ArrayList<>(HashTablesTest.<HashSet<Object>>written(read, HashSet.class)));
        assertEquals(HashTables.of(set), HashTables.of(read));
        assertTrue(!new ArrayList<>(set).equals(new ArrayList<>(streamed(set))), "the test shows nothing");
    }

    /** Content alone does not tell: a table that was larger once keeps its buckets. */
    @Test
    void aTableThatShrankKeepsItsOrderOnlyWithItsBuckets() {
        HashMap<Object, Object> map = new HashMap<>();
        for (int i = 0; i < 1_000; i++) {
            map.put("key" + i, i);
        }
        map.keySet().removeIf(key -> key.hashCode() % 100 != 0);
        assertEquals(2_048, HashTables.of(map).capacity());
        assertEquals(List.copyOf(map.keySet()), List.copyOf(copy(map).keySet()));
        HashMap<Object, Object> byContent = new HashMap<>();
        map.forEach(byContent::put);
        assertTrue(!List.copyOf(map.keySet()).equals(List.copyOf(byContent.keySet())), "the test shows nothing");
    }

    @Test
    void aHashSetIsRebuiltInItsOrder() {
        for (int size : new int[] {0, 1, 3, 12, 13, 500}) {
            HashSet<Object> set = new HashSet<>();
            for (int i = 0; i < 2 * size; i++) {
                set.add("e" + i * 7919);
            }
            for (int i = 0; i < size; i++) {
                set.remove("e" + i * 7919);
            }
            HashTables.Shape shape = HashTables.of(set);
            HashSet<Object> copy = HashTables.set(shape);
            HashTables.fill(copy, shape, new ArrayList<>(set));
            assertEquals(new ArrayList<>(set), new ArrayList<>(copy));
            HashSet<Object> present = new HashSet<>();
            assertTrue(HashTables.reshape(present, shape), shape.toString());
            HashTables.fill(present, shape, new ArrayList<>(set));
            assertEquals(new ArrayList<>(set), new ArrayList<>(present));
        }
    }

    @Test
    void aBucketThatIsATreeAndAnotherLoadFactorAreRefusedInOneLine() {
        Map<Object, Object> map = new HashMap<>();
        for (int i = 0; i < 9; i++) {
            map.put(new Key(97 * i), i);
        }
        IllegalArgumentException tree =
                assertThrows(IllegalArgumentException.class, () -> HashTables.of((HashMap<Object, Object>) map));
        assertTrue(tree.getMessage().contains("use a LinkedHashMap or TreeMap"), tree.getMessage());
        IllegalArgumentException factor = assertThrows(
                IllegalArgumentException.class, () -> HashTables.of(new HashMap<Object, Object>(16, 0.5f)));
        assertTrue(factor.getMessage().startsWith("a hash table has the load factor 0.5"), factor.getMessage());
    }

    @Test
    void aWrapperShowsTheCollectionBehindIt() {
        List<String> list = new ArrayList<>(List.of("a"));
        assertSame(list, SerialForm.behind(Collections.unmodifiableList(list)).orElseThrow());
        Map<String, Object> map = new HashMap<>(Map.of("a", new Object()));
        assertSame(map, SerialForm.behind(Collections.synchronizedMap(map)).orElseThrow());
        Set<String> set = new HashSet<>();
        assertSame(set, SerialForm.behind(Collections.unmodifiableSet(set)).orElseThrow());
        assertEquals(Optional.empty(), SerialForm.behind("text"));
    }
}
