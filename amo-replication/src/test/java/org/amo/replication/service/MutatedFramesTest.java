package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.amo.core.wire.MalformedFrameException;
import org.amo.core.wire.WireReader;
import org.amo.replication.lease.LeaseService;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Damaged requests, results and states get the exception that is declared, and take no memory for what they claim. */
@SuppressWarnings("UnusedVariable") // Snapshots read them.
final class MutatedFramesTest {
    enum Colour {
        RED,
        GREEN
    }

    record Part(String name, List<Part> parts, Optional<Colour> colour) {
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

    private interface Decoder {
        void decode(byte[] frame);
    }

    private static byte[] mutated(byte[] frame, Random random) {
        byte[] copy = random.nextInt(10) == 0 ? Arrays.copyOf(frame, random.nextInt(frame.length + 8)) : frame.clone();
        for (int changes = random.nextInt(4); changes >= 0 && copy.length > 0; changes--) {
            int at = random.nextInt(copy.length);
            switch (random.nextInt(4)) {
                case 0 -> copy[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> copy[at] = (byte) random.nextInt(256);
                case 2 -> Arrays.fill(copy, at, Math.min(copy.length, at + 5), (byte) 0xFF);
                default -> copy[at] = (byte) (random.nextBoolean() ? 0x7F : 0);
            }
        }
        return copy;
    }

    private static void run(int count) {
        MethodTable table = new MethodTable(Shop.class);
        MethodTable.Entry put = table.of(Shop.class.getMethods()[0]);
        Part part = new Part("p", List.of(new Part(null, List.of(), Optional.empty())), Optional.of(Colour.GREEN));
        byte[] request = MethodTable.request(put, new Object[] {part, List.of(new byte[3]), Map.of(1, 2.0)});
        byte[] result = MethodTable.result(put, Map.of("r", Set.of(part)));
        byte[] state = new FieldState(State.filled()).take();
        Map<String, Decoder> decoders = new LinkedHashMap<>();
        decoders.put("request", frame -> {
            try {
                table.read(frame);
            } catch (AmoProtocolException declared) {
                assertTrue(declared.getMessage().length() < 1_000);
            }
        });
        decoders.put("result", frame -> {
            try {
                MethodTable.readResult(put, frame);
            } catch (MalformedFrameException | IllegalArgumentException declared) {
                assertTrue(declared.getMessage().length() < 100_000);
            }
        });
        decoders.put("state", frame -> {
            FieldState to = new FieldState(new State());
            try {
                to.restore(frame);
            } catch (IllegalStateException declared) {
                assertTrue(declared.getMessage().length() < 100_000);
            }
        });
        LeaseService leases = new LeaseService(1_000, 10);
        decoders.put("lease", frame -> {
            try {
                leases.handle(new WireReader("lease", frame), 5, () -> 0);
            } catch (MalformedFrameException declared) {
                assertTrue(declared.getMessage().length() < 1_000);
            }
        });
        Map<String, byte[]> frames =
                Map.of("request", request, "result", result, "state", state, "lease", new byte[] {2, (byte) 0xac, 2});
        decoders.forEach((name, decoder) -> {
            decoder.decode(frames.get(name));
            Random random = new Random(31);
            for (int i = 0; i < count; i++) {
                byte[] frame = mutated(frames.get(name), random);
                try {
                    decoder.decode(frame);
                } catch (RuntimeException | Error e) {
                    throw new AssertionError(
                            name + " " + i + ": " + HexFormat.of().formatHex(frame), e);
                }
            }
        });
        assertArrayEquals(state, new FieldState(State.filled()).take());
    }

    @Test
    void damagedFramesGetTheDeclaredException() {
        run(100_000);
    }

    @Test
    @Tag("slow")
    void aMillionDamagedFramesGetTheDeclaredException() {
        run(1_000_000);
    }
}
