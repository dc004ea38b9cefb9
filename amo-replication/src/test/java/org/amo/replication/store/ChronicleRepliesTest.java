package org.amo.replication.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import net.openhft.chronicle.map.ChronicleMap;
import org.amo.base.ClientId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replies outside the heap: none is lost, and what is full says so. */
final class ChronicleRepliesTest {
    private static final ClientId CLIENT = new ClientId(7, 8);
    private static final int EXPECTED = 100;
    private static final int ENTRIES = 2_000;

    @TempDir
    private Path folder;

    private final ChronicleReplies replies = ChronicleReplies.open((long) ENTRIES * EXPECTED, EXPECTED);

    @AfterEach
    void close() {
        replies.close();
    }

    @Test
    void whatIsTakenComesBackUntilItIsRemoved() {
        Random random = new Random(1);
        for (int number = 1; number <= 500; number++) {
            byte[] reply = reply(random.nextInt(2 * EXPECTED), number);
            assertTrue(replies.put(CLIENT, number, reply));
            assertArrayEquals(reply, replies.get(CLIENT, number));
            if (number % 3 == 0) {
                assertEquals(reply.length, replies.remove(CLIENT, number));
                assertThrows(IllegalStateException.class, () -> replies.get(CLIENT, 3), "gone is gone");
            }
        }
        assertFalse(replies.isFull());
    }

    @Test
    void aFullStoreRefusesAndDropsNothingAndTakesAgainWhenThereIsRoom() {
        List<Integer> taken = new ArrayList<>();
        for (int number = 1; number <= 2 * ENTRIES; number++) {
            if (replies.put(CLIENT, number, reply(EXPECTED, number))) {
                taken.add(number);
            }
        }
        assertTrue(taken.size() <= ENTRIES, "taken " + taken.size());
        assertTrue(taken.size() >= ENTRIES / 2, "taken " + taken.size());
        assertTrue(replies.isFull());
        for (int number : taken) {
            assertArrayEquals(reply(EXPECTED, number), replies.get(CLIENT, number));
        }
        taken.subList(0, taken.size() / 2).forEach(number -> replies.remove(CLIENT, number));
        assertFalse(replies.isFull());
        assertTrue(replies.put(CLIENT, 2 * ENTRIES + 1, reply(EXPECTED, 1)));
    }

    @Test
    void aReplyOutOfAllProportionIsNotTakenAndMakesNothingFull() {
        assertFalse(replies.put(CLIENT, 1, new byte[ENTRIES * EXPECTED / 2]));
        assertFalse(replies.isFull());
    }

    @Test
    void aClearedStoreIsEmpty() {
        replies.put(CLIENT, 1, reply(EXPECTED, 1));
        replies.clear();
        assertThrows(IllegalStateException.class, () -> replies.remove(CLIENT, 1));
        assertFalse(replies.isFull());
    }

    @Test
    void aReplyThatComesBackWithAnotherBitIsNotTold() {
        try (ChronicleMap<byte[], byte[]> map = map()) {
            ChronicleReplies store = new ChronicleReplies(map, Optional.empty(), ENTRIES * EXPECTED, ENTRIES);
            assertTrue(store.put(CLIENT, 1, reply(EXPECTED, 1)));
            assertTrue(store.put(CLIENT, 2, reply(EXPECTED, 2)));
            byte[] first = key(1);
            byte[] value = map.get(first);
            value[3] ^= 1;
            map.put(first, value);
            UncheckedIOException why = assertThrows(UncheckedIOException.class, () -> store.get(CLIENT, 1));
            assertTrue(why.getMessage().contains("it is damaged"), why.getMessage());
            map.put(first, map.get(key(2)));
            assertThrows(UncheckedIOException.class, () -> store.get(CLIENT, 1), "a reply of another request");
            map.put(first, new byte[2]);
            assertThrows(UncheckedIOException.class, () -> store.get(CLIENT, 1), "too short for a checksum");
            assertArrayEquals(reply(EXPECTED, 2), store.get(CLIENT, 2));
        }
    }

    /** Chronicle Map lengthens its file, asks for its blocks, and wraps the error of the disk. */
    @Test
    void aFileThatCannotGrowRefusesUntilAReplyGoesAndIsAsLongAsBefore() throws IOException {
        Path path = Files.write(folder.resolve("map"), new byte[1_000]);
        AtomicReference<Optional<RuntimeException>> failure = new AtomicReference<>(Optional.empty());
        try (ChronicleMap<byte[], byte[]> map = map()) {
            AtomicLong mapped = new AtomicLong(1_000);
            MapFile file = new MapFile(path, mapped::get);
            ChronicleReplies store = new ChronicleReplies(refusing(map, failure), Optional.of(file), 1 << 20, ENTRIES);
            failure.set(Optional.of(new IllegalArgumentException("map", new IOException("No space left on device"))));
            Files.write(path, new byte[5_000]);
            assertFalse(store.put(CLIENT, 1, reply(EXPECTED, 1)));
            assertEquals(1_000, Files.size(path));
            assertTrue(store.isFull(), "although no reply is in it");
            store.forgotten(EXPECTED);
            assertFalse(store.isFull());
            assertFalse(store.put(CLIENT, 2, reply(EXPECTED, 2)));
            assertTrue(store.isFull());
            Optional<RuntimeException> full = failure.getAndSet(Optional.empty());
            assertTrue(store.put(CLIENT, 3, reply(EXPECTED, 3)));
            assertTrue(store.isFull(), "the file had room for this one without growing");
            Files.write(path, new byte[5_000]);
            mapped.set(5_000);
            assertTrue(store.put(CLIENT, 4, reply(EXPECTED, 4)));
            assertFalse(store.isFull());
            assertArrayEquals(reply(EXPECTED, 3), store.get(CLIENT, 3));
            failure.set(full);
            assertFalse(store.put(CLIENT, 5, reply(EXPECTED, 5)));
            assertTrue(store.isFull());
            assertEquals(EXPECTED, store.remove(CLIENT, 3));
            assertFalse(store.isFull());
            assertFalse(store.put(CLIENT, 6, reply(EXPECTED, 6)));
            store.clear();
            assertFalse(store.isFull());
            assertEquals(5_000, Files.size(path), "what the map uses is kept");
        }
    }

    @Test
    void anotherFailureOfTheMapIsNoLackOfRoom() throws IOException {
        RuntimeException broken = new RuntimeException("broken");
        MapFile file = new MapFile(Files.write(folder.resolve("map"), new byte[1_000]), () -> 1_000);
        try (ChronicleMap<byte[], byte[]> map = map()) {
            ChronicleMap<byte[], byte[]> refusing = refusing(map, new AtomicReference<>(Optional.of(broken)));
            ChronicleReplies store = new ChronicleReplies(refusing, Optional.of(file), 1 << 20, ENTRIES);
            assertEquals(broken, assertThrows(RuntimeException.class, () -> store.put(CLIENT, 1, reply(EXPECTED, 1))));
        }
    }

    private static ChronicleMap<byte[], byte[]> map() {
        return ChronicleMap.of(byte[].class, byte[].class)
                .constantKeySizeBySample(key(0))
                .averageValueSize(EXPECTED)
                .entries(ENTRIES)
                .create();
    }

    /** The same map, whose put fails in this way. */
    @SuppressWarnings("unchecked")
    private static ChronicleMap<byte[], byte[]> refusing(
            ChronicleMap<byte[], byte[]> map, AtomicReference<Optional<RuntimeException>> failure) {
        return (ChronicleMap<byte[], byte[]>) Proxy.newProxyInstance(
                ChronicleMap.class.getClassLoader(),
                new Class<?>[] {ChronicleMap.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("put") && failure.get().isPresent()) {
                        throw failure.get().get();
                    }
                    return method.invoke(map, arguments);
                });
    }

    private static byte[] key(long number) {
        return ByteBuffer.allocate(24)
                .putLong(CLIENT.high())
                .putLong(CLIENT.low())
                .putLong(number)
                .array();
    }

    @Test
    void nothingTellsAWebSiteWhoUsesIt() {
        assertThrows(ClassNotFoundException.class, () -> Class.forName("net.openhft.chronicle.analytics.Analytics"));
    }

    private static byte[] reply(int length, int seed) {
        byte[] reply = new byte[length];
        Arrays.fill(reply, (byte) seed);
        return reply;
    }
}
