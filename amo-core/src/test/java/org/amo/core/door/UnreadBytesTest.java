package org.amo.core.door;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The connection that gives way if too much waits for peers to read it. */
final class UnreadBytesTest {
    private static final long SECOND = 1_000_000_000L;

    private final UnreadBytes<String> unread = new UnreadBytes<>(1_000);

    @Test
    void onePeerThatReadsNothingGivesWay() {
        assertEquals(List.of(), unread.add("deaf", 600, false, 0));
        assertEquals(List.of(), unread.add("deaf", 400, false, SECOND));
        assertEquals(List.of("deaf"), unread.add("deaf", 1, false, SECOND));
        assertEquals(0, unread.total());
    }

    @Test
    void whoReadsIsKeptHoweverMuchWaits() {
        assertEquals(List.of(), unread.add("deaf", 100, false, 0));
        assertEquals(List.of(), unread.add("reader", 900, false, SECOND));
        unread.read("reader", 300, 20 * SECOND);
        assertEquals(List.of("deaf"), unread.add("reader", 301, false, 20 * SECOND + 1_000));
        assertEquals(901, unread.total());
    }

    @Test
    void ofTwoThatReadAlikeTheOneWithMostGivesWay() {
        assertEquals(List.of(), unread.add("few", 200, false, 0));
        assertEquals(List.of(), unread.add("many", 800, false, 0));
        assertEquals(List.of("many"), unread.add("few", 1, false, SECOND));
        assertEquals(201, unread.total());
    }

    @Test
    void severalGiveWayForALongReply() {
        assertEquals(List.of(), unread.add("a", 300, false, 0));
        assertEquals(List.of(), unread.add("b", 400, false, 0));
        assertEquals(List.of("b", "a"), unread.add("c", 900, false, 10 * SECOND));
        assertEquals(900, unread.total());
    }

    @Test
    void oneReplyMayBeOfAnyLength() {
        assertEquals(List.of(), unread.add("other", 600, true, 0));
        assertEquals(List.of(), unread.add("long", 300, true, 0));
        assertEquals(List.of(), unread.add("long", 5_000, true, 0));
        assertEquals(List.of(), unread.add("other", 400, false, SECOND), "it is not counted");
        assertEquals(List.of("other"), unread.add("other", 1, false, SECOND));
        assertEquals(List.of(), unread.add("long", 1, true, SECOND));
        assertEquals(List.of("long"), unread.add("long", 1, false, SECOND), "a second reply");
        assertEquals(0, unread.total());
    }

    @Test
    void ofTwoRepliesThatAreLongerThanAllMayBeOneGivesWay() {
        assertEquals(List.of(), unread.add("first", 5_000, true, 0));
        assertEquals(List.of("second"), unread.add("second", 5_000, true, 0));
        unread.read("first", 5_000, SECOND);
        assertEquals(List.of(), unread.add("second", 5_000, true, SECOND));
        unread.leave("second");
        assertEquals(List.of(), unread.add("third", 5_000, true, SECOND));
        assertEquals(5_000, unread.total());
    }

    /** It has had no time to read. */
    @Test
    void aLongReplyThatWasJustWrittenDoesNotDriveOutReaders() {
        assertEquals(List.of(), unread.add("reader", 10, false, 0));
        assertEquals(List.of("long"), unread.add("long", 995, false, 1_000_000));
        assertEquals(10, unread.total());
    }

    @Test
    void whatIsReadOrLeftWaitsNoMore() {
        for (int i = 0; i < 100; i++) {
            assertEquals(List.of(), unread.add("a", 900, false, i));
            unread.read("a", 500, i);
            unread.read("a", 400, i);
            assertEquals(List.of(), unread.add("b", 1_000, false, i));
            unread.leave("b");
            unread.read("b", 1_000, i);
        }
        assertEquals(0, unread.total());
    }
}
