package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tags that never come again: each that was added is refused for good, and what is refused without that is far behind. */
class DeliveredTagsTest {
    private static final long ORIGIN = 7;
    private final DeliveredTags tags = new DeliveredTags(2, 1_000);

    private static Tag tag(long number) {
        return new Tag(ORIGIN, number);
    }

    @Test
    void theRootIsAlwaysThereAndTakesNoRoom() {
        assertTrue(tags.contains(Tag.ROOT));
        tags.add(Tag.ROOT, 0);
        assertFalse(tags.contains(tag(1)), "of an origin that was never heard");
    }

    @Test
    void whatWasAddedIsRefusedAndWhatWasNotIsAdmittedNearby() {
        Random random = new Random(3);
        for (int spread : new int[] {2, 70, 500}) {
            DeliveredTags some = new DeliveredTags(1, 1_000);
            Set<Long> model = new HashSet<>();
            long next = 1;
            for (int i = 0; i < 20_000; i++) {
                long number = Math.max(1, next - random.nextInt(spread));
                next = Math.max(next, number + 1);
                some.add(tag(number), 0);
                model.add(number);
                assertTrue(some.contains(tag(number)));
                long probe = Math.max(1, next + 3 - random.nextInt(spread + 3));
                assertEquals(model.contains(probe), some.contains(tag(probe)), "number " + probe + " of " + next);
            }
        }
    }

    /** Of each origin 8,192 numbers at least are told apart. */
    @Test
    void aJumpAheadRaisesTheBoundAndKeepsAWindow() {
        tags.add(tag(3), 0);
        tags.add(tag(2 * 8_192), 0);
        assertFalse(tags.contains(tag(4)), "twice the window is still exact");
        tags.add(tag(2 * 8_192 + 1), 0);
        assertTrue(tags.contains(tag(4)), "below the window all count as delivered");
        assertTrue(tags.contains(tag(8_193)));
        assertFalse(tags.contains(tag(8_194)));
        assertTrue(tags.contains(tag(2 * 8_192)));
        assertTrue(tags.contains(tag(2 * 8_192 + 1)));
        assertFalse(tags.contains(tag(2 * 8_192 + 2)));
        tags.add(tag(4), 0);
        assertFalse(tags.contains(tag(8_194)), "a late one changes nothing");
    }

    @Test
    void aJumpBeyondAllIntegersIsRefusedBelowToo() {
        tags.add(tag(1L << 40), 0);
        assertTrue(tags.contains(tag(1L << 40)));
        assertTrue(tags.contains(tag((1L << 40) - 8_192)));
        assertFalse(tags.contains(tag((1L << 40) - 8_191)));
        assertFalse(tags.contains(tag((1L << 40) + 1)));
        assertFalse(tags.contains(tag(1L << 50)));
    }

    @Test
    void anOriginIsForgottenAfterTheLifetimeOfATagAndOnlyForAnother() {
        tags.add(tag(1), 100);
        assertTrue(tags.admits(8, 200));
        assertFalse(tags.admits(9, 1_100), "the first was silent for the lifetime and no longer");
        assertTrue(tags.admits(9, 1_101));
        assertFalse(tags.contains(tag(1)), "it made room");
        assertTrue(tags.admits(8, 1_150));
        assertTrue(tags.admits(9, 2_140));
        assertFalse(tags.admits(ORIGIN, 2_150), "both were heard of since");
    }

    /** It is in the common order, which no site can refuse. */
    @Test
    void whatWasDeliveredIsRememberedBeyondTheRoom() {
        tags.add(tag(1), 100);
        assertTrue(tags.admits(8, 200));
        assertFalse(tags.admits(9, 1_100));
        tags.add(new Tag(9, 5), 1_100);
        assertTrue(tags.contains(new Tag(9, 5)));
        assertTrue(tags.contains(tag(1)), "at the cost of no other");
        assertFalse(tags.admits(10, 1_100));
        tags.add(new Tag(11, 1), 1_101);
        assertTrue(tags.contains(new Tag(11, 1)));
        assertFalse(tags.contains(tag(1)), "its origin was silent for longer than the lifetime");
        assertFalse(tags.admits(10, 1_101), "three are still remembered, and there is room for two");
    }
}
