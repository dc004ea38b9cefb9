package org.amo.replication.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.amo.base.ClientId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Replies outside the heap: none is lost, and what is full says so. */
final class ChronicleRepliesTest {
    private static final ClientId CLIENT = new ClientId(7, 8);
    private static final int EXPECTED = 100;
    private static final int ENTRIES = 2_000;

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
    void nothingTellsAWebSiteWhoUsesIt() {
        assertThrows(ClassNotFoundException.class, () -> Class.forName("net.openhft.chronicle.analytics.Analytics"));
    }

    private static byte[] reply(int length, int seed) {
        byte[] reply = new byte[length];
        Arrays.fill(reply, (byte) seed);
        return reply;
    }
}
