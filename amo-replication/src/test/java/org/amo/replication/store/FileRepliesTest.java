package org.amo.replication.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.amo.base.ClientId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class FileRepliesTest {
    private static final int SEGMENT = 50_000;

    @TempDir
    private Path folder;

    private static ClientId client(long number) {
        return new ClientId(number % 3, 7);
    }

    private static byte[] reply(Random random) {
        byte[] reply = new byte[FileReplies.SHORTEST + random.nextInt(10_000)];
        random.nextBytes(reply);
        return reply;
    }

    /** A table searches keys of one hash by their order, if they have one. */
    @Test
    void keysOfOneHashHaveAnOrder() {
        Set<FileReplies.Key> keys = new TreeSet<>();
        for (long number = 1; number <= 20_000; number++) {
            keys.add(new FileReplies.Key(client(1), number * ((1L << 32) + 1)));
        }
        assertEquals(20_000, keys.size());
        assertEquals(
                1, keys.stream().mapToInt(FileReplies.Key::hashCode).distinct().count());
        FileReplies.Key key = new FileReplies.Key(client(1), 5);
        assertEquals(0, key.compareTo(new FileReplies.Key(client(1), 5)));
        assertNotEquals(0, key.compareTo(new FileReplies.Key(client(2), 5)));
    }

    /** As a map does. Files of which all replies have gone are given back. */
    @Test
    void whatWasTakenComesBackUntilItIsRemoved() {
        Random random = new Random(44);
        FileReplies store = new FileReplies(folder, 1 << 30, SEGMENT);
        Map<Long, byte[]> model = new HashMap<>();
        for (long number = 0; number < 3_000; number++) {
            byte[] reply = reply(random);
            assertTrue(store.put(client(number), number, reply));
            model.put(number, reply);
            while (model.size() > random.nextInt(60)) {
                List<Long> numbers = new ArrayList<>(model.keySet());
                long any = numbers.get(random.nextInt(numbers.size()));
                assertArrayEquals(model.get(any), store.get(client(any), any));
                assertEquals(model.remove(any).length, store.remove(client(any), any));
            }
            assertEquals(model.values().stream().mapToLong(each -> each.length).sum(), store.bytes());
            assertTrue(store.files() <= model.size() + 1, store.files() + " files for " + model.size());
        }
        for (Map.Entry<Long, byte[]> each : model.entrySet()) {
            assertArrayEquals(each.getValue(), store.get(client(each.getKey()), each.getKey()));
        }
        store.clear();
        assertEquals(0, store.files());
        assertEquals(0, store.bytes());
        assertThrows(IllegalStateException.class, () -> store.get(client(1), 1));
    }

    @Test
    void aProcessThatEndsLeavesNoFile() throws IOException {
        FileReplies store = new FileReplies(folder, 1 << 30, SEGMENT);
        assertEquals(0, store.files());
        assertTrue(store.put(client(1), 1, new byte[5_000]));
        assertEquals(1, store.files());
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(), files.toList());
        }
        store.close();
    }

    @Test
    void shortRepliesAreNotTaken() {
        FileReplies store = new FileReplies(folder, 1 << 30, SEGMENT);
        assertFalse(store.put(client(1), 1, new byte[FileReplies.SHORTEST - 1]));
        assertEquals(0, store.files());
        assertFalse(store.isFull());
    }

    @Test
    void beyondItsRoomItSaysSoAndTakesWhatIsUnderWay() {
        FileReplies store = new FileReplies(folder, 10_000, SEGMENT);
        assertTrue(store.put(client(1), 1, new byte[9_000]));
        assertFalse(store.isFull());
        assertTrue(store.put(client(2), 2, new byte[5_000]));
        assertTrue(store.isFull());
        assertEquals(9_000, store.remove(client(1), 1));
        assertFalse(store.isFull());
        store.close();
    }

    @Test
    void aDiskThatTakesNoFileMakesItFullUntilAReplyGoes() throws IOException {
        Path own = folder.resolve("own");
        FileReplies store = new FileReplies(own, 1 << 30, 2_000);
        assertTrue(store.put(client(1), 1, new byte[5_000]));
        // The next one needs a new file.
        Files.delete(own);
        Files.write(own, new byte[1]);
        assertFalse(store.put(client(2), 2, new byte[5_000]));
        assertTrue(store.isFull());
        assertEquals(5_000, store.remove(client(1), 1));
        assertFalse(store.isFull());
        Files.delete(own);
        byte[] reply = reply(new Random(1));
        assertTrue(store.put(client(2), 2, reply));
        assertTrue(store.put(client(3), 3, new byte[5_000]));
        assertArrayEquals(reply, store.get(client(2), 2));
        assertEquals(5_000 + reply.length, store.bytes());
        store.close();
    }

    /** No reply is in a file that could go. */
    @Test
    void aDiskThatTakesNotEvenTheFirstReplyMakesItFullUntilOneOnTheHeapGoes() throws IOException {
        Path own = Files.write(folder.resolve("own"), new byte[1]);
        FileReplies store = new FileReplies(own, 1 << 30, SEGMENT);
        assertFalse(store.put(client(1), 1, new byte[5_000]));
        assertTrue(store.isFull());
        store.forgotten(5_000);
        assertFalse(store.isFull());
        assertFalse(store.put(client(2), 2, new byte[5_000]), "the disk is still full");
        assertTrue(store.isFull());
        store.close();
    }

    @Test
    void aReplyThatTheDiskTakesShowsThatThereIsRoomAgain() throws IOException {
        Path own = Files.write(folder.resolve("own"), new byte[1]);
        FileReplies store = new FileReplies(own, 1 << 30, SEGMENT);
        assertFalse(store.put(client(1), 1, new byte[5_000]));
        Files.delete(own);
        assertTrue(store.put(client(2), 2, new byte[5_000]));
        assertFalse(store.isFull());
        store.close();
    }

    /** The files have no names, so the test reaches them as open files of this process. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aReplyOfWhichTheDiskChangedABitIsNotTold() throws IOException {
        Random random = new Random(7);
        FileReplies store = new FileReplies(folder, 1 << 30, SEGMENT);
        byte[] first = reply(random);
        byte[] second = reply(random);
        assertTrue(store.put(client(1), 1, first));
        assertTrue(store.put(client(2), 2, second));
        try (FileChannel file = FileChannel.open(OpenDescriptors.of(folder, "replies-"), StandardOpenOption.WRITE)) {
            byte[] flipped = {(byte) (first[100] ^ 1)};
            assertEquals(1, file.write(ByteBuffer.wrap(flipped), 100));
        }
        UncheckedIOException why = assertThrows(UncheckedIOException.class, () -> store.get(client(1), 1));
        assertTrue(why.getMessage().contains(folder + ": it is damaged"), why.getMessage());
        assertArrayEquals(second, store.get(client(2), 2));
        assertEquals(first.length, store.remove(client(1), 1));
        store.close();
    }
}
