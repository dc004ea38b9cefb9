package org.amo.determinism.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.util.EnumSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.amo.determinism.runtime.MemberOperations;
import org.junit.jupiter.api.Test;

/** What rewritten classes draw inside operations and outside of them. */
final class ApplicationTransformerTest {
    private static final byte[] KEY = {1, 2, 3};
    private static final long NOON = 1_700_000_000_000L;

    /** A process in which the classes are rewritten, with one member. */
    private static final class Process {
        private final Class<?> sources;
        private final MemberOperations member;

        Process(byte[] key, Kind... kinds) throws ClassNotFoundException {
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

    private static Map<String, String> drawn(Process process, long position) throws Exception {
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
        Map<String, String> one = drawn(new Process(KEY), 10);
        // In another thread: no number may depend on that.
        CompletableFuture<Map<String, String>> other = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                other.complete(drawn(new Process(KEY), 10));
            } catch (Exception e) {
                other.completeExceptionally(e);
            }
        });
        thread.start();
        assertEquals(one, other.get(30, TimeUnit.SECONDS));
        Map<String, String> behind = drawn(new Process(KEY), 11);
        one.forEach((source, value) -> assertNotEquals(value, behind.get(source), source + " at another position"));
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
        Map<String, Supplier<Object>> one = new Process(KEY).all();
        long before = System.currentTimeMillis();
        long read = (long) one.get("currentTimeMillis").get();
        assertTrue(read >= before && read <= System.currentTimeMillis(), "the wall clock");
        Map<String, Supplier<Object>> other = new Process(KEY).all();
        for (String source : one.keySet()) {
            if (!source.equals("currentTimeMillis") && !isIdentity(source)) {
                assertNotEquals(
                        one.get(source).get().toString(), other.get(source).get().toString(), source);
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
        Process one = new Process(KEY);
        Process other = new Process(KEY);
        int first = one.call("plain").hashCode();
        assertEquals(first, other.call("plain").hashCode());
        assertNotEquals(first, one.call("plain").hashCode());
    }

    @Test
    void unpredictableNumbersFollowFromTheKeyAndTimesDoNot() throws Exception {
        Map<String, String> one = drawn(new Process(KEY), 10);
        Map<String, String> other = drawn(new Process(new byte[] {9}), 10);
        assertNotEquals(one.get("UUID"), other.get("UUID"));
        assertNotEquals(one.get("SecureRandom"), other.get("SecureRandom"));
        assertEquals(one.get("Instant.now"), other.get("Instant.now"));
    }

    @Test
    void aLoopThatWaitsForTheClockEndsAndTheNextOperationGoesOnFromThere() throws Exception {
        Process process = new Process(KEY);
        long end = process.operation(1, NOON, () -> (long) process.call("waitFor", 60_000L));
        assertEquals(NOON + 60_000, end);
        long next = process.operation(2, NOON + 1, () -> (long)
                process.all().get("currentTimeMillis").get());
        assertTrue(next >= end, "never back: " + (next - NOON));
        assertTrue(process.member.clockAhead() > TimeUnit.SECONDS.toNanos(59));

        Process restored = new Process(KEY);
        restored.member.restoreClock(process.member.clock());
        assertEquals(
                drawn(process, 3).get("Instant.now"), drawn(restored, 3).get("Instant.now"), "after a snapshot");
    }

    @Test
    void sleepingMovesTheClockOn() throws Exception {
        Process process = new Process(KEY);
        assertEquals(20L, process.operation(1, NOON, () -> process.call("sleep", 10L)));
    }

    @Test
    void aGeneratorWithASeedOfTheApplicationsKeepsIt() throws Exception {
        assertEquals(
                Sources.seeded(), new Process(KEY).<Object>operation(1, NOON, () -> new Process(KEY).call("seeded")));
    }

    @Test
    void aKindThatIsOffIsTheJdks() throws Exception {
        Map<String, String> time = drawn(new Process(KEY, Kind.TIME), 1);
        assertEquals(time.get("Instant.now"), drawn(new Process(KEY, Kind.TIME), 1).get("Instant.now"));
        assertNotEquals(time.get("UUID"), drawn(new Process(KEY, Kind.TIME), 1).get("UUID"));
        Map<String, String> random = drawn(new Process(KEY, Kind.RANDOM), 1);
        assertEquals(random.get("UUID"), drawn(new Process(KEY, Kind.RANDOM), 1).get("UUID"));
        assertNotEquals(random.get("nanoTime"), drawn(new Process(KEY, Kind.RANDOM), 1).get("nanoTime"));
    }

    @Test
    void anIdentityHashSurvivesSerializationAndTheClassKeepsItsVersion() throws Exception {
        Process process = new Process(KEY);
        for (String kind : new String[] {"plain", "derived"}) {
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
    void aClassFileThatIsBrokenOrTooNewStaysAsItIsAndIsNamed() {
        RewrittenLoader loader = new RewrittenLoader(EnumSet.allOf(Kind.class));
        byte[] tooNew = RewrittenLoader.bytes(Sources.class.getName());
        tooNew[7] = (byte) 200;
        assertArrayEquals(tooNew, loader.rewrite("com.example.TooNew", tooNew));
        byte[] broken = RewrittenLoader.bytes(Sources.class.getName());
        broken[10] = 99;
        assertArrayEquals(broken, loader.rewrite("com.example.Broken", broken));
        assertEquals(2, loader.left().size(), loader.left().toString());
        assertTrue(loader.left().get(0).contains("TooNew") && loader.left().get(0).contains("version"));
    }

    /** The rewritten classes of all tests have come through the JDK's verifier; none was left. */
    @Test
    void aClassWithoutASourceStaysAsItIs() {
        RewrittenLoader loader = new RewrittenLoader(EnumSet.allOf(Kind.class));
        byte[] kind = RewrittenLoader.bytes(Kind.class.getName());
        assertArrayEquals(kind, loader.rewrite("com.example.Kind", kind));
        assertTrue(loader.left().isEmpty());
    }
}
