package org.amo.replication.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.amo.base.ClientId;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.GroupParameters;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.reply.ClientRecord;
import org.amo.core.reply.ForeignRecord;
import org.amo.core.reply.LiveEntry;
import org.amo.core.reply.RecordMemory;
import org.amo.core.reply.RowPages;
import org.amo.core.reply.Shares;
import org.amo.core.request.Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Replies beyond a heap budget in a file, and rows of clients in another. */
class SpilledRepliesTest {
    private static final ClientId CLIENT = new ClientId(1, 2);

    @TempDir
    Path folder;

    @Test
    void whatTheHeapBudgetDoesNotHoldGoesToTheFileAndComesBack() throws Exception {
        ChronicleReplies file = ChronicleReplies.inFolder(folder, 64_000, 512);
        SpilledReplies replies = new SpilledReplies(3_000, file);
        for (int number = 1; number <= 3; number++) {
            assertFalse(replies.put(CLIENT, number, new byte[1_000]), "the first three stay on the heap");
        }
        byte[] fourth = {4, 4, 4};
        assertTrue(replies.put(CLIENT, 4, fourth));
        assertEquals(3_000, replies.heapBytes());
        assertEquals(3, file.bytes());
        assertArrayEquals(fourth, replies.get(CLIENT, 4));
        assertEquals(1, maps(folder));
        replies.forgotten(1_000);
        assertFalse(replies.put(CLIENT, 5, new byte[1_000]), "there is room on the heap again");
        assertEquals(3, replies.remove(CLIENT, 4));
        assertEquals(0, file.bytes());
        replies.close();
    }

    @Test
    void aFullDiskRefusesUntilTheHeapIsBelowItsPart() throws Exception {
        Path own = Files.write(folder.resolve("own"), new byte[1]);
        SpilledReplies replies = new SpilledReplies(4_000, new FileReplies(own, 1L << 30, 64L << 20));
        for (int number = 1; number <= 4; number++) {
            assertFalse(replies.put(CLIENT, number, new byte[2_000]));
        }
        assertTrue(replies.isFull());
        replies.forgotten(2_000);
        assertTrue(replies.isFull(), "the heap has still more than its part");
        replies.forgotten(2_000);
        assertFalse(replies.isFull());
        replies.close();
    }

    /** A thousand replies of 1 MB would take a gigabyte; the records of own and foreign clients share the part of the heap. */
    @Test
    void repliesToOwnAndForeignClientsShareThePartOfTheHeap() {
        int length = 1 << 20;
        FileReplies files = new FileReplies(folder, 1L << 40, 64L << 20);
        SpilledReplies replies = new SpilledReplies(4L * length, files);
        RecordMemory memory = new RecordMemory(1, replies, RowPages.HEAP, Shares::new);
        ForeignRecord foreign = memory.newForeignRecords().findOrMake(CLIENT, Principal.UNKNOWN);
        ClientRecord own = memory.newClientRecords().findOrMake(CLIENT, Principal.UNKNOWN);
        for (int number = 1; number <= 2; number++) {
            own.accept(number, running());
            own.complete(number, new byte[length]);
        }
        for (int id = 0; id < 100; id++) {
            foreign.accept(id, running());
            byte[] reply = new byte[length];
            reply[id] = (byte) id;
            foreign.complete(id, reply);
        }
        assertEquals(4L * length, replies.heapBytes());
        assertEquals(98L * length, files.bytes());
        assertEquals(100L * length, foreign.replyBytes());
        for (int id = 0; id < 100; id++) {
            byte[] reply = foreign.live(id).flatMap(LiveEntry::reply).orElseThrow();
            assertEquals(length, reply.length);
            assertEquals((byte) id, reply[id]);
        }
        assertEquals(100, foreign.expire(1_001));
        assertEquals(0, files.bytes());
        assertEquals(2L * length, replies.heapBytes(), "those of the own client are there");
        memory.close();
    }

    private static LiveEntry running() {
        return new LiveEntry(1, 1_000, 7, 10);
    }

    @Test
    void aFileOfAnEarlierOpeningIsDeletedAndNotRead() throws Exception {
        ChronicleReplies before = ChronicleReplies.inFolder(folder, 64_000, 512);
        assertTrue(before.put(CLIENT, 1, new byte[10]));
        // As a killed process leaves it: not closed.
        ChronicleReplies after = ChronicleReplies.inFolder(folder, 64_000, 512);
        assertEquals(1, maps(folder));
        assertThrows(IllegalStateException.class, () -> after.get(CLIENT, 1));
        after.close();
        before.close();
    }

    @Test
    void pagesOfRowsAreApartAndComeAgainAfterAClear() throws Exception {
        MappedRows rows = MappedRows.in(folder);
        int bytes = 512 * 52;
        for (int page = 0; page < 400; page++) {
            ByteBuffer each = rows.page(bytes);
            assertEquals(bytes, each.capacity());
            each.putInt(0, page).putInt(bytes - 4, page);
        }
        assertEquals(12L << 20, rows.fileBytes());
        rows.clear();
        for (int page = 0; page < 400; page++) {
            ByteBuffer each = rows.page(bytes);
            assertEquals(page, each.getInt(0));
            assertEquals(page, each.getInt(bytes - 4));
        }
        assertEquals(12L << 20, rows.fileBytes(), "the same file");
        rows.close();
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(), left.toList());
        }
    }

    /** A store to a hole of a mapped file ends the process if the disk is full. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void theFileOfRowsHasNoHoles() throws Exception {
        MappedRows rows = MappedRows.in(folder);
        rows.page(512 * 52);
        Process stat = new ProcessBuilder(
                        "stat",
                        "-L",
                        "-c",
                        "%b",
                        OpenDescriptors.of(folder, "rows-").toString())
                .redirectErrorStream(true)
                .start();
        String blocks = new String(stat.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertTrue(Long.parseLong(blocks) * 512 >= rows.fileBytes(), blocks);
        rows.close();
    }

    @Test
    void aMemberOfEitherKindOpensItsMemoryInItsFolder() throws Exception {
        RecordMemory memory = ReplyStores.open(settings(ReplicaSettings.Store.CHRONICLE), 1);
        assertEquals(1, maps(folder.resolve("group").resolve("a")));
        memory.close();
        assertFalse(ReplyStores.open(settings(ReplicaSettings.Store.HEAP), 1)
                .replies()
                .put(CLIENT, 1, new byte[1]));
    }

    @Test
    void aFolderThatCannotHoldAFileIsToldInOneLine() throws Exception {
        Files.write(folder.resolve("group"), new byte[1]);
        OrderedLogException why = assertThrows(
                OrderedLogException.class, () -> ReplyStores.open(settings(ReplicaSettings.Store.CHRONICLE), 1));
        String text = String.valueOf(why.getMessage());
        assertTrue(text.contains("amo.store=chronicle") && !text.contains("\n"), text);
        assertTrue(text.contains("make room in " + folder.resolve("group").resolve("a")), text);
        assertEquals(OrderedLogException.Fault.ENVIRONMENT, why.fault());
    }

    private static long maps(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().matches("replies-.*\\.map"))
                    .count();
        }
    }

    private ReplicaSettings settings(ReplicaSettings.Store store) {
        return ReplicaSettings.builder("group", "a", List.of(new Member("a", "localhost", 1, 2)))
                .log(ReplicaSettings.Log.FILE)
                .data(folder)
                .parameters(GroupParameters.builder().budgetBytes(1 << 20).build())
                .store(store)
                .build();
    }
}
