package org.amo.interceptors.jacorb.door;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The connection that gives way if too much waits for peers to read it. */
final class UnreadBytesTest {
    private static final long SECOND = 1_000_000_000L;

    private final UnreadBytes<String> unread = new UnreadBytes<>(1_000);

    @Test
    void onePeerThatReadsNothingGivesWay() {
        assertEquals(List.of(), unread.add("deaf", 600, 0));
        assertEquals(List.of(), unread.add("deaf", 400, SECOND));
        assertEquals(List.of("deaf"), unread.add("deaf", 1, SECOND));
        assertEquals(0, unread.total());
    }

    @Test
    void whoReadsIsKeptHoweverMuchWaits() {
        assertEquals(List.of(), unread.add("deaf", 100, 0));
        assertEquals(List.of(), unread.add("reader", 900, SECOND));
        unread.read("reader", 300, 2 * SECOND);
        assertEquals(List.of("deaf"), unread.add("reader", 301, 2 * SECOND + 1_000));
        assertEquals(901, unread.total());
    }

    @Test
    void ofTwoThatReadAlikeTheOneWithMostGivesWay() {
        assertEquals(List.of(), unread.add("few", 200, 0));
        assertEquals(List.of(), unread.add("many", 800, 0));
        assertEquals(List.of("many"), unread.add("few", 1, SECOND));
        assertEquals(201, unread.total());
    }

    @Test
    void severalGiveWayForALongReply() {
        assertEquals(List.of(), unread.add("a", 300, 0));
        assertEquals(List.of(), unread.add("b", 400, 0));
        assertEquals(List.of("b", "a"), unread.add("c", 900, SECOND));
        assertEquals(900, unread.total());
    }

    @Test
    void whatIsReadOrLeftWaitsNoMore() {
        for (int i = 0; i < 100; i++) {
            assertEquals(List.of(), unread.add("a", 900, i));
            unread.read("a", 500, i);
            unread.read("a", 400, i);
            assertEquals(List.of(), unread.add("b", 1_000, i));
            unread.leave("b");
            unread.read("b", 1_000, i);
        }
        assertEquals(0, unread.total());
    }
}
