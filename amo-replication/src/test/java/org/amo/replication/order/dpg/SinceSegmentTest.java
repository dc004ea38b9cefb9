package org.amo.replication.order.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What a member that begins with a segment takes from those that were there. */
class SinceSegmentTest {
    private static final byte[] ONE = {1};
    private static final byte[] TWO = {2};
    private static final byte[] THREE = {3};

    private final SinceSegment since = new SinceSegment();

    /** The answer to a mark does not tell what came between it and the next one, which was set since the answer was late. */
    @Test
    void anAnswerIsFollowedByWhatCameBehindTheMarkThatItAnswers() {
        since.add(ONE);
        since.onMark(10);
        since.add(TWO);
        since.onMark(11);
        since.add(THREE);
        assertEquals(List.of(TWO, THREE), since.behind(10));
        assertEquals(List.of(THREE), since.behind(11));
        assertFalse(since.has(12));
    }

    @Test
    void aNewSegmentHasNothingOfTheFormer() {
        since.add(ONE);
        since.onMark(10);
        since.clear();
        assertFalse(since.has(10));
        since.add(TWO);
        since.onMark(11);
        assertTrue(since.has(11));
        assertEquals(List.of(), since.behind(11));
        assertEquals(List.of(TWO), since.all());
    }
}
