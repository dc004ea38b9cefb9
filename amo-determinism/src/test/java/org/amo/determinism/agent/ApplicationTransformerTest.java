package org.amo.determinism.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.amo.determinism.runtime.MemberOperations;
import org.amo.determinism.runtime.ThreadStarts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What rewritten classes draw inside operations and outside of them. */
final class ApplicationTransformerTest {
    private static final byte[] KEY = {1, 2, 3};
    private static final long NOON = 1_700_000_000_000L;

    /** A process in which the classes are rewritten, with one member. */
    private static final class OneProcess {
        private final Class<?> sources;
        private final MemberOperations member;

        OneProcess(byte[] key, Kind... kinds) throws ClassNotFoundException {
            sources = RewrittenLoader.sources(kinds);
            member = new MemberOperations(key);
        }

        @SuppressWarnings("unchecked")
        Map<String, Supplier<Object>> all() throws ReflectiveOperationException {
            return new TreeMap<>(
                    (Map<String, Supplier<Object>>) sources.getMethod("all").invoke(null));
        }

        <T> T operation(long position, long timeMillis, Work<T> work) throws Exception {
            member.begin(position, 5, 6, position, timeMillis);
            try {
                return work.run();
            } finally {
                member.end();
            }
        }

        Object call(String method, Object... arguments) throws ReflectiveOperationException {
            return arguments.length == 0
                    ? sources.getMethod(method).invoke(null)
                    : sources.getMethod(method, long.class).invoke(null, arguments);
        }
    }

    @FunctionalInterface
    private interface Work<T> {
        T run() throws Exception;
    }

    private static Map<String, String> drawn(OneProcess process, long position) throws Exception {
        Map<String, String> drawn = new TreeMap<>();
        for (Map.Entry<String, Supplier<Object>> entry : process.all().entrySet()) {
            drawn.put(
                    entry.getKey(),
                    String.valueOf(process.<Object>operation(
                            position, NOON + position, () -> entry.getValue().get())));
        }
        return drawn;
    }

    @Test
    void twoProcessesDrawTheSameFromEachSource() throws Exception {
        Map<String, String> one = drawn(new OneProcess(KEY), 10);
        // In another thread: no number may depend on that.
        CompletableFuture<Map<String, String>> other = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                other.complete(drawn(new OneProcess(KEY), 10));
            } catch (Exception e) {
                other.completeExceptionally(e);
            }
        });
        thread.start();
        assertEquals(one, other.get(30, TimeUnit.SECONDS));
        Map<String, String> behind = drawn(new OneProcess(KEY), 11);
        one.forEach((source, value) -> assertNotEquals(value, behind.get(source), source + " at another position"));
    }

    /** The seed of the entry is the only source then: members of groups with other secrets draw the same. */
    @Test
    void withASeedAllRandomNumbersFollowFromItAndFromThePlace() throws Exception {
        byte[] seed = new byte[32];
        Map<String, String> one = seeded(KEY, seed, 10, 0);
        assertEquals(one, seeded(new byte[] {9}, seed, 10, 0));
        seed[31]++;
        Map<String, String> otherSeed = seeded(KEY, seed, 10, 0);
        seed[31]--;
        Map<String, String> otherPosition = seeded(KEY, seed, 11, 0);
        Map<String, String> otherIndex = seeded(KEY, seed, 10, 1);
        Map<String, String> withoutSeed = drawn(new OneProcess(KEY), 10);
        one.forEach((source, value) -> {
            assertNotEquals(value, otherSeed.get(source), source + " with another seed");
            assertNotEquals(value, otherPosition.get(source), source + " at another position");
            assertNotEquals(value, otherIndex.get(source), source + " of another request of the entry");
            assertNotEquals(value, withoutSeed.get(source), source + " without a seed");
        });
    }

    /** Work on the state is not part of an operation, and the next operation has its own seed or none. */
    @Test
    void aSeedEndsWithItsOperation() throws Exception {
        OneProcess process = new OneProcess(KEY, Kind.RANDOM);
        Object unseeded =
                process.operation(10, NOON, () -> process.all().get("UUID").get());
        process.member.begin(9, 5, 6, 9, NOON);
        process.member.drawFrom(new byte[32], 0);
        process.member.end();
        assertEquals(
                unseeded,
                process.operation(10, NOON, () -> process.all().get("UUID").get()));
    }

    private static final List<String> RANDOM_SOURCES = List.of(
            "Math.random",
            "new Random",
            "early Random",
            "stream",
            "SplittableRandom",
            "ThreadLocalRandom",
            "RandomGenerator",
            "SecureRandom",
            "early SecureRandom",
            "SecureRandom.getInstance",
            "UUID",
            "shuffle");

    /** The first random numbers of an operation, from each source. */
    private static Map<String, String> seeded(byte[] key, byte[] seed, long position, int index) throws Exception {
        OneProcess process = new OneProcess(key);
        Map<String, Supplier<Object>> sources = process.all();
        Map<String, String> drawn = new TreeMap<>();
        for (String source : RANDOM_SOURCES) {
            drawn.put(source, draw(process, seed, position, index, sources.get(source)));
        }
        return drawn;
    }

    private static String draw(OneProcess process, byte[] seed, long position, int index, Supplier<Object> source) {
        process.member.begin(position, 5, 6, position, NOON);
        process.member.drawFrom(seed, index);
        try {
            return String.valueOf(source.get());
        } finally {
            process.member.end();
        }
    }

    /** Or the test above would prove nothing. */
    @Test
    void withoutTheAgentEachSourceDiffers() throws Exception {
        Map<String, Supplier<Object>> sources = Sources.all();
        sources.forEach((name, source) -> {
            if (!name.equals("currentTimeMillis")) {
                assertNotEquals(source.get().toString(), source.get().toString(), name);
            }
        });
    }

    @Test
    void outsideOfAnOperationTheClocksAreTheSystemsAndNumbersDiffer() throws Exception {
        Map<String, Supplier<Object>> one = new OneProcess(KEY).all();
        long before = System.currentTimeMillis();
        long read = (long) one.get("currentTimeMillis").get();
        assertTrue(read >= before && read <= System.currentTimeMillis(), "the wall clock");
        Map<String, Supplier<Object>> other = new OneProcess(KEY).all();
        for (String source : one.keySet()) {
            if (!source.equals("currentTimeMillis") && !isIdentity(source)) {
                assertNotEquals(
                        one.get(source).get().toString(),
                        other.get(source).get().toString(),
                        source);
            }
        }
    }

    private static boolean isIdentity(String source) {
        return source.toLowerCase(java.util.Locale.ROOT).contains("hashcode")
                || source.equals("toString")
                || source.startsWith("below");
    }

    /** Start-up code runs alike at all members, so objects made there have the same numbers. */
    @Test
    void outsideOfAnOperationIdentityHashesFollowFromTheCountOfTheClass() throws Exception {
        OneProcess one = new OneProcess(KEY);
        OneProcess other = new OneProcess(KEY);
        int first = one.call("plain").hashCode();
        assertEquals(first, other.call("plain").hashCode());
        assertNotEquals(first, one.call("plain").hashCode());
    }

    /** A member that began from a snapshot initializes the class in a later operation than the others. */
    @Test
    void aStaticInitializerLeavesNoTraceInItsOperation() throws Exception {
        for (String method : List.of("behindAnInitializer", "behindAFailure")) {
            OneProcess early = new OneProcess(KEY);
            OneProcess late = new OneProcess(KEY);
            early.operation(1, NOON, () -> early.call(method));
            assertEquals(
                    early.operation(2, NOON + 2, () -> early.call(method)),
                    late.operation(2, NOON + 2, () -> late.call(method)),
                    method);
        }
    }

    @Test
    void aStaticInitializerDrawsByItsClass() throws Exception {
        OneProcess early = new OneProcess(KEY);
        OneProcess late = new OneProcess(KEY);
        Object drawn = early.operation(1, NOON, () -> early.call("initialized"));
        assertEquals(drawn, late.operation(2, NOON, () -> late.call("initialized")));
        OneProcess other = new OneProcess(new byte[] {9});
        assertNotEquals(drawn, other.operation(1, NOON, () -> other.call("initialized")));
        OneProcess seeded = new OneProcess(KEY);
        Object secret = seeded.operation(1, NOON, () -> {
            seeded.member.drawFrom(new byte[32], 0);
            return seeded.call("initialized");
        });
        assertNotEquals(drawn, secret);
    }

    @Test
    void unpredictableNumbersFollowFromTheKeyAndTimesDoNot() throws Exception {
        Map<String, String> one = drawn(new OneProcess(KEY), 10);
        Map<String, String> other = drawn(new OneProcess(new byte[] {9}), 10);
        assertNotEquals(one.get("UUID"), other.get("UUID"));
        assertNotEquals(one.get("SecureRandom"), other.get("SecureRandom"));
        assertEquals(one.get("Instant.now"), other.get("Instant.now"));
    }

    @Test
    void aLoopThatWaitsForTheClockEndsAndTheNextOperationGoesOnFromThere() throws Exception {
        OneProcess process = new OneProcess(KEY);
        long end = process.operation(1, NOON, () -> (long) process.call("waitFor", 60_000L));
        assertEquals(NOON + 60_000, end);
        long next = process.operation(
                2, NOON + 1, () -> (long) process.all().get("currentTimeMillis").get());
        assertTrue(next >= end, "never back: " + (next - NOON));
        assertTrue(process.member.clockAhead() > TimeUnit.SECONDS.toNanos(59));

        OneProcess restored = new OneProcess(KEY);
        restored.member.restoreClock(process.member.clock());
        assertEquals(drawn(process, 3).get("Instant.now"), drawn(restored, 3).get("Instant.now"), "after a snapshot");
    }

    /** A member that was restored from a snapshot has not made the draws before it. */
    @Test
    void aGeneratorKeepsNoNumberForTheNextOperation() throws Exception {
        for (String source : List.of("early Random", "early SecureRandom's Gaussian")) {
            OneProcess one = new OneProcess(KEY);
            OneProcess restored = new OneProcess(KEY);
            one.operation(1, NOON, () -> one.all().get(source).get());
            assertEquals(
                    one.<Object>operation(2, NOON, () -> one.all().get(source).get()),
                    restored.<Object>operation(
                            2, NOON, () -> restored.all().get(source).get()),
                    source);
        }
    }

    @Test
    void sleepingByTheNameOfASubclassMovesTheClockOnUnlessThatHasItsOwn() throws Exception {
        OneProcess process = new OneProcess(KEY);
        assertEquals(10L, process.operation(1, NOON, () -> process.call("sleepBelow", 10L)));
    }

    @Test
    void sleepingMovesTheClockOn() throws Exception {
        OneProcess process = new OneProcess(KEY);
        assertEquals(20L, process.operation(1, NOON, () -> process.call("sleep", 10L)));
    }

    /** Each turn of the loop moved it on by two microseconds, so that the operation waited a million times. */
    @Test
    @Timeout(30)
    void waitingForANotificationMovesTheClockOnIfTheLimitElapses() throws Exception {
        OneProcess process = new OneProcess(KEY);
        assertEquals(2L, process.operation(1, NOON, () -> process.call("waitGuarded", 50L)));
    }

    /** When another thread ends the wait differs from member to member. */
    @Test
    @Timeout(30)
    void aWaitThatAnotherThreadEndsOrThatFailsDoesNotMoveTheClock() throws Exception {
        OneProcess process = new OneProcess(KEY);
        assertEquals(
                "monitor negative negative interrupted 0",
                process.operation(1, NOON, () -> process.call("waitOtherwise")));
    }

    /** It could not be read at all. */
    @Test
    void aSecureRandomOfAClassOfTheApplicationSurvivesSerialization() throws Exception {
        OneProcess process = new OneProcess(KEY);
        SecureRandom own = (SecureRandom) process.call("ownSecureRandom");
        SecureRandom read = (SecureRandom) copy(own, process.sources.getClassLoader());
        assertEquals("own 8", read.toString());
        Long drawn = process.operation(9, NOON, own::nextLong);
        assertEquals(drawn, process.<Long>operation(9, NOON, read::nextLong));
        assertNotEquals(read.nextLong(), read.nextLong());
    }

    @Test
    void aGeneratorWithASeedOfTheApplicationsKeepsIt() throws Exception {
        assertEquals(Sources.seeded(), new OneProcess(KEY).<Object>operation(1, NOON, () -> new OneProcess(KEY)
                .call("seeded")));
    }

    @Test
    void aKindThatIsOffIsTheJdks() throws Exception {
        Map<String, String> time = drawn(new OneProcess(KEY, Kind.TIME), 1);
        assertEquals(
                time.get("Instant.now"),
                drawn(new OneProcess(KEY, Kind.TIME), 1).get("Instant.now"));
        assertNotEquals(
                time.get("UUID"), drawn(new OneProcess(KEY, Kind.TIME), 1).get("UUID"));
        Map<String, String> random = drawn(new OneProcess(KEY, Kind.RANDOM), 1);
        assertEquals(
                random.get("UUID"), drawn(new OneProcess(KEY, Kind.RANDOM), 1).get("UUID"));
        assertNotEquals(
                random.get("nanoTime"),
                drawn(new OneProcess(KEY, Kind.RANDOM), 1).get("nanoTime"));
    }

    @Test
    void anIdentityHashSurvivesSerializationAndTheClassKeepsItsVersion() throws Exception {
        OneProcess process = new OneProcess(KEY);
        for (String kind : new String[] {"plain", "derived", "belowNotSerializable"}) {
            Object object = process.operation(4, NOON, () -> process.call(kind));
            int hash = process.operation(5, NOON, object::hashCode);
            assertEquals(hash, object.hashCode());
            assertEquals(
                    ObjectStreamClass.lookup(Class.forName(object.getClass().getName()))
                            .getSerialVersionUID(),
                    ObjectStreamClass.lookup(object.getClass()).getSerialVersionUID());
            assertEquals(hash, copy(object, process.sources.getClassLoader()).hashCode());
        }
    }

    /** Not every member takes the state there, and a number would stay with the object. */
    @Test
    void takingTheStateGivesNoObjectANumber() throws Exception {
        OneProcess taking = new OneProcess(KEY);
        OneProcess other = new OneProcess(KEY);
        Object taken = taking.operation(4, NOON, () -> taking.call("plain"));
        Object same = other.operation(4, NOON, () -> other.call("plain"));
        long before = taking.member.beginReading();
        assertEquals(0, taken.hashCode());
        taking.member.endState(before);
        int hash = taking.operation(5, NOON, taken::hashCode);
        assertNotEquals(0, hash);
        int ofOther = other.operation(5, NOON, same::hashCode);
        assertEquals(ofOther, hash);
        assertEquals(hash, taken.hashCode());
        before = taking.member.beginReading();
        assertEquals(hash, taken.hashCode(), "one that has a number keeps it");
        taking.member.endState(before);
    }

    private static Object copy(Object object, ClassLoader loader) throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())) {
            @Override
            protected Class<?> resolveClass(ObjectStreamClass type) throws ClassNotFoundException {
                return Class.forName(type.getName(), false, loader);
            }
        }) {
            return in.readObject();
        }
    }

    @Test
    void aTaskForAnotherThreadIsReportedOnceOrRefused() throws Exception {
        OneProcess process = new OneProcess(KEY);
        @SuppressWarnings("unchecked")
        Map<String, Runnable> tasks =
                (Map<String, Runnable>) process.sources.getMethod("tasks").invoke(null);
        List<String> reports = new CopyOnWriteArrayList<>();
        ThreadStarts.configure("warn", (line, where) -> {
            reports.add(line);
            assertTrue(
                    Arrays.stream(where.getStackTrace())
                            .anyMatch(frame -> frame.getClassName().startsWith(Sources.class.getName())),
                    line);
        });
        try {
            tasks.values().forEach(Runnable::run);
            assertEquals(List.of(), reports, "outside of operations");
            for (int i = 1; i < 4; i++) {
                process.operation(i, NOON, () -> {
                    tasks.values().forEach(Runnable::run);
                    return true;
                });
            }
            assertEquals(tasks.size(), reports.size(), reports.toString());
            ThreadStarts.configure("refuse", (line, where) -> {});
            for (Map.Entry<String, Runnable> task : tasks.entrySet()) {
                IllegalStateException refusal = assertThrows(
                        IllegalStateException.class,
                        () -> process.operation(9, NOON, () -> {
                            task.getValue().run();
                            return true;
                        }),
                        task.getKey());
                assertTrue(refusal.getMessage().contains("--threads warn"));
                assertTrue(
                        refusal.getMessage().contains(task.getKey())
                                || task.getKey().startsWith("a thread"),
                        refusal.getMessage());
            }
            tasks.values().forEach(Runnable::run);
        } finally {
            ThreadStarts.configure("warn", (line, where) -> {});
        }
    }

    /** The servant may swallow the exception, and a CORBA client sees no message. */
    @Test
    void aRefusedTaskIsReportedToo() throws Exception {
        OneProcess process = new OneProcess(KEY);
        List<String> reports = new CopyOnWriteArrayList<>();
        List<String> refusals = new ArrayList<>();
        try {
            for (String treatment : List.of("refuse", ThreadStarts.ORDERED)) {
                ThreadStarts.configure(treatment, (line, where) -> reports.add(line));
                refusals.add(assertThrows(
                                IllegalStateException.class,
                                () -> process.operation(1, NOON, () -> {
                                    ThreadStarts.starts("a method that " + treatment + " does not let through");
                                    return true;
                                }))
                        .getMessage());
            }
        } finally {
            ThreadStarts.configure("warn", (line, where) -> {});
        }
        assertEquals(refusals, reports);
    }

    @Test
    void aClassFileThatIsBrokenOrTooNewStaysAsItIsAndIsNamed() {
        RewrittenLoader loader = new RewrittenLoader(EnumSet.allOf(Kind.class));
        byte[] tooNew = RewrittenLoader.bytes(Sources.class.getName());
        tooNew[7] = (byte) 200;
        assertArrayEquals(tooNew, loader.rewrite("com.example.TooNew", tooNew));
        byte[] broken = RewrittenLoader.bytes(Sources.class.getName());
        broken[10] = 99;
        assertArrayEquals(broken, loader.rewrite("com.example.Broken", broken));
        assertEquals(2, loader.left().size(), loader.left().toString());
        assertTrue(
                loader.left().get(0).contains("TooNew") && loader.left().get(0).contains("version"));
    }

    /** The rewritten classes of all tests have come through the JDK's verifier; none was left. */
    @Test
    void aClassWithoutASourceStaysAsItIs() {
        RewrittenLoader loader = new RewrittenLoader(EnumSet.allOf(Kind.class));
        byte[] plain = RewrittenLoader.bytes(SerialNumber.class.getName());
        assertArrayEquals(plain, loader.rewrite("com.example.SerialNumber", plain));
        assertTrue(loader.left().isEmpty());
    }
}
