package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Year;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.amo.base.ClientId;
import org.amo.base.wire.FrameLimitException;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.client.ClientCall;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** Damaged requests, results and states get the exception that is declared, and take no memory for what they claim. */
@SuppressWarnings("UnusedVariable") // Snapshots read them.
final class MutatedFramesTest implements HostileBytes {
    enum Colour {
        RED,
        GREEN
    }

    sealed interface Figure permits Dot, Row {}

    record Dot(int x, LocalDate day) implements Figure {}

    record Row(List<Figure> figures) implements Figure {}

    record Pair<A, B>(A first, B second) {}

    record Extras(SortedMap<String, Pair<Figure, Year>> sorted, Figure figure) {}

    record Part(String name, List<Part> parts, Optional<Colour> colour, Extras extras) {
        Part(String name, List<Part> parts, Optional<Colour> colour) {
            this(name, parts, colour, null);
        }

        Part {
            if (name != null && name.startsWith("x")) {
                throw new IllegalArgumentException("refused");
            }
        }
    }

    interface Shop {
        Map<String, Set<Part>> put(Part part, List<byte[]> more, Map<Integer, Double> numbers);
    }

    private static final class State {
        // No hash tables: their number of buckets is believed, since a snapshot has a checksum.
        private final Map<String, Set<Integer>> sets = new LinkedHashMap<>();
        private final Map<String, SortedMap<Integer, String>> maps = new TreeMap<>();
        private Map<Colour, Queue<String>> queues = new EnumMap<>(Colour.class);
        private final BitSet bits = new BitSet();
        private int[][] numbers = {{1, 2}, {3}};
        private BigDecimal number = BigDecimal.ONE;
        private Part part = new Part("p", List.of(), Optional.of(Colour.RED));

        static State filled() {
            State state = new State();
            state.sets.put("a", new LinkedHashSet<>(List.of(1, 2, 3)));
            state.maps.put("m", new TreeMap<>(Map.of(1, "one")));
            state.queues.put(Colour.RED, new ArrayDeque<>(List.of("q")));
            state.queues.put(Colour.GREEN, new PriorityQueue<>(List.of("r", "s")));
            state.bits.set(70);
            return state;
        }
    }

    private static final MethodTable TABLE = new MethodTable(Shop.class);
    private static final MethodTable.Entry PUT = TABLE.of(Shop.class.getMethods()[0]);
    private static final Figure FIGURE = new Row(List.of(new Dot(7, LocalDate.of(2026, 1, 2)), new Row(List.of())));
    private static final Part PART = new Part(
            "p",
            List.of(new Part(null, List.of(), Optional.empty())),
            Optional.of(Colour.GREEN),
            new Extras(new TreeMap<>(Map.of("k", new Pair<>(FIGURE, Year.of(5)))), FIGURE));

    private static final byte[] REQUEST =
            MethodTable.request(PUT, new Object[] {PART, List.of(new byte[3]), Map.of(1, 2.0)});

    private static void readResult(byte[] reply) {
        try {
            MethodTable.readResult(PUT, reply);
        } catch (IllegalArgumentException e) {
            // A value that its own class refuses. A client makes one exception of both.
            throw new MalformedFrameException(String.valueOf(e.getMessage()));
        }
    }

    private static void open(byte[] reply) {
        try {
            Payloads.open(reply);
        } catch (AmoServiceException | AmoNotExecutedException e) {
            assertTrue(reply[0] > 0, "it says what became of the call");
            if (e instanceof AmoServiceException thrown) {
                Optional<Throwable> unused = DeclaredExceptions.of(REJECTS, thrown);
            }
        }
    }

    interface Rejects {
        void run() throws ExceptionDataTest.Rejected;
    }

    private static final Method REJECTS = Rejects.class.getMethods()[0];

    private static void openNested(byte[] result) {
        try {
            ServiceCall.open("bank", Optional.of(result));
        } catch (AmoNotExecutedException e) {
            assertTrue(result[0] > 0, "it says what became of the call");
        }
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(
                Decoder.of(
                        "result of a nested call of a Java service",
                        MalformedFrameException.class,
                        MutatedFramesTest::openNested,
                        ServiceCall.replied(Payloads.reply(new byte[] {1, 2})),
                        ServiceCall.notExecuted(new AmoNotExecutedException("late", Optional.of(Refusal.EXPIRED)))),
                Decoder.of(
                        "identity of a nested call of a Java service",
                        MalformedFrameException.class,
                        ServiceCall::decode,
                        ServiceCall.encode(new ClientCall.Identity(
                                RequestId.own(new ClientId(1, 2), 300), 1_700_000_000_000L, 1_700_000_010_000L))),
                Decoder.of(
                        "request of a Java client",
                        AmoProtocolException.class,
                        body -> TABLE.read(Envelope.of(body).request()),
                        REQUEST,
                        new Envelope(Map.of("tenant", "a", "trace", "b"), REQUEST).toBytes()),
                Decoder.of(
                        "result of a Java service",
                        MalformedFrameException.class,
                        MutatedFramesTest::readResult,
                        MethodTable.result(PUT, Map.of("r", Set.of(PART)))),
                Decoder.of(
                        "reply of a Java service",
                        MalformedFrameException.class,
                        MutatedFramesTest::open,
                        Payloads.reply(new byte[] {1, 2}),
                        Payloads.thrown(new IllegalStateException("no")),
                        Payloads.thrownWithData(new ExceptionDataTest.Rejected("a", 7), Answer.MAX_REPLY_BYTES),
                        Payloads.skipped()),
                Decoder.of(
                                "state of a Java service",
                                IllegalStateException.class,
                                bytes -> new FieldState(new State(), true).restore(bytes),
                                new FieldState(State.filled(), true).take())
                        // The codecs of the service's types, which are made for each.
                        .taking(64_000));
    }

    @Test
    void whatIsAsLongAsItMayBeIsRead() {
        byte[] longest = new byte[Answer.MAX_REPLY_BYTES - 1];
        assertEquals(longest.length, Payloads.open(Payloads.reply(longest)).length);
        byte[] tooLong = new byte[Answer.MAX_REPLY_BYTES];
        assertThrows(FrameLimitException.class, () -> Payloads.reply(tooLong));
        String message = "\uFFFD".repeat(100_000) + "\uD83D";
        AmoServiceException thrown = assertThrows(
                AmoServiceException.class, () -> Payloads.open(Payloads.thrown(new IllegalStateException(message))));
        assertTrue(String.valueOf(thrown.getMessage()).contains("\uFFFD".repeat(1_000)));
    }

    record Every(
            byte one,
            short two,
            char three,
            long four,
            float five,
            double six,
            BigInteger seven,
            BigDecimal eight,
            Instant nine,
            Duration ten,
            UUID eleven,
            String twelve) {}

    interface Echo {
        Every echo(Every value);
    }

    /** A snapshot that held one could not be read any more. */
    @Test
    void aNumberThatItsOwnClassCannotReadIsRefusedByTheWriter() {
        State state = new State();
        state.number = new BigDecimal(BigInteger.ONE, Integer.MIN_VALUE);
        FieldState fields = new FieldState(state, true);
        assertTrue(
                fields.obstacle().orElseThrow().contains("scale"),
                fields.obstacle().orElseThrow());
    }

    @Test
    void everyValueComesBackAtItsLimits() {
        List<Every> values = List.of(
                new Every(
                        Byte.MIN_VALUE,
                        Short.MIN_VALUE,
                        Character.MIN_VALUE,
                        Long.MIN_VALUE,
                        Float.MIN_VALUE,
                        Double.MIN_VALUE,
                        BigInteger.TEN.pow(65_000).negate(),
                        new BigDecimal(BigInteger.ONE, -Integer.MAX_VALUE + 1),
                        Instant.MIN,
                        Duration.ofSeconds(Long.MIN_VALUE),
                        new UUID(0, 0),
                        ""),
                new Every(
                        Byte.MAX_VALUE,
                        Short.MAX_VALUE,
                        Character.MAX_VALUE,
                        Long.MAX_VALUE,
                        Float.NaN,
                        Double.NEGATIVE_INFINITY,
                        BigInteger.TEN.pow(65_535),
                        new BigDecimal(BigInteger.ONE, Integer.MAX_VALUE - 1),
                        Instant.MAX,
                        Duration.ofSeconds(Long.MAX_VALUE, 999_999_999),
                        new UUID(-1, -1),
                        "\0\uD83D\uDE00\uFFFF"),
                new Every(
                        (byte) 0,
                        (short) 0,
                        'x',
                        0,
                        -0.0f,
                        -0.0,
                        BigInteger.ZERO,
                        new BigDecimal("-0.000"),
                        Instant.EPOCH.minusNanos(1),
                        Duration.ofSeconds(Long.MIN_VALUE, 1),
                        new UUID(1, -1),
                        "x"));
        MethodTable table = new MethodTable(Echo.class);
        MethodTable.Entry echo = table.of(Echo.class.getMethods()[0]);
        for (Every value : values) {
            MethodTable.Call call = table.read(MethodTable.request(echo, new Object[] {value}));
            assertEquals(value, call.arguments()[0]);
            assertEquals(value, MethodTable.readResult(echo, MethodTable.result(echo, value)));
        }
        Every tooLong = new Every(
                (byte) 0,
                (short) 0,
                'x',
                0,
                0,
                0,
                BigInteger.TEN.pow(65_536),
                BigDecimal.ONE,
                Instant.EPOCH,
                Duration.ZERO,
                new UUID(0, 0),
                "");
        assertThrows(IllegalArgumentException.class, () -> MethodTable.result(echo, tooLong));
    }

    interface Deep {
        Part echo(Part value);
    }

    @Test
    void whatTheWriterNestsTheReaderReads() {
        MethodTable table = new MethodTable(Deep.class);
        MethodTable.Entry echo = table.of(Deep.class.getMethods()[0]);
        int deepest = 0;
        Part part = new Part("0", List.of(), Optional.empty());
        for (int depth = 1; depth < 120; depth++) {
            part = new Part("" + depth, List.of(part), Optional.empty());
            byte[] written;
            try {
                written = MethodTable.result(echo, part);
            } catch (IllegalArgumentException e) {
                continue;
            }
            assertEquals(part, MethodTable.readResult(echo, written));
            deepest = depth;
        }
        assertTrue(deepest > 40, "deepest " + deepest);
    }
}
