package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.amo.core.replica.ExecutionNotes.Turn;
import org.junit.jupiter.api.Test;

/** docs/wire/execution-notes.md: what one life of a member leaves to the next. */
class ExecutionNotesTest {
    private static final Place FIRST = new Place(7, 0);
    private static final Place SECOND = new Place(7, 1);
    private static final Place THIRD = new Place(9, 0);

    private final ByteBuffer memory = ByteBuffer.allocate(ExecutionNotes.BYTES);
    private ExecutionNotes notes = new ExecutionNotes(memory);

    /** The process ends, whatever it does, and begins again. */
    private void die() {
        notes = new ExecutionNotes(memory);
    }

    @Test
    void whatRanToItsEndIsNoDeath() {
        assertTrue(notes.isFresh());
        assertEquals(Turn.RUN, notes.begin(FIRST));
        notes.ended(FIRST);
        die();
        assertFalse(notes.isFresh());
        assertEquals(Optional.empty(), notes.died());
    }

    @Test
    void oneDeathIsAnAccidentAndTwoAreNot() {
        notes.begin(FIRST);
        die();
        assertEquals(Optional.empty(), notes.died());
        assertEquals(Turn.RUN, notes.begin(FIRST));
        die();
        assertEquals(Optional.of(FIRST), notes.died());
        assertEquals(Turn.WAIT, notes.begin(FIRST));
        die();
        assertEquals(Optional.of(FIRST), notes.died(), "it was not begun");
    }

    @Test
    void deathsInDifferentRequestsAreNotAddedUp() {
        notes.begin(FIRST);
        die();
        notes.begin(FIRST);
        notes.ended(FIRST);
        notes.begin(SECOND);
        die();
        notes.begin(FIRST);
        die();
        assertEquals(Optional.empty(), notes.died());
    }

    @Test
    void aProcessThatWasAskedToEndDiedOfNothing() {
        for (int i = 0; i < 3; i++) {
            notes.begin(FIRST);
            notes.left();
            die();
        }
        assertEquals(Optional.empty(), notes.died());
    }

    @Test
    void aPromiseNotToBeginIsKeptByLaterLives() {
        assertTrue(notes.hold(SECOND));
        assertEquals(Turn.RUN, notes.begin(FIRST));
        notes.ended(FIRST);
        assertEquals(Turn.WAIT, notes.begin(SECOND));
        die();
        assertEquals(List.of(SECOND), notes.held());
        assertEquals(Turn.WAIT, notes.begin(SECOND));
        notes.letGo(SECOND);
        assertEquals(Turn.RUN, notes.begin(SECOND));
    }

    @Test
    void whatHasBegunIsNotHeld() {
        notes.begin(SECOND);
        assertFalse(notes.hold(SECOND));
        assertFalse(notes.hold(FIRST));
        assertTrue(notes.hold(THIRD));
    }

    @Test
    void whatIsSkippedNeverRunsAgainAndIsToldWhereItHasBegun() {
        assertFalse(notes.skip(FIRST));
        assertEquals(Turn.SKIP, notes.begin(FIRST));
        notes.begin(SECOND);
        assertTrue(notes.skip(SECOND), "its state is worth nothing");
        die();
        assertEquals(Turn.SKIP, notes.begin(FIRST));
        assertEquals(Turn.SKIP, notes.begin(SECOND));
        assertFalse(notes.skip(SECOND));
        assertEquals(Turn.RUN, notes.begin(THIRD));
        assertFalse(notes.skip(FIRST), "it was skipped, and did not run");
    }

    @Test
    void theVerdictFreesTheOneThatDied() {
        notes.begin(FIRST);
        die();
        notes.begin(FIRST);
        die();
        assertFalse(notes.skip(FIRST));
        assertEquals(Optional.empty(), notes.died());
        die();
        assertEquals(Optional.empty(), notes.died());
        assertEquals(Turn.SKIP, notes.begin(FIRST));
    }

    @Test
    void aSnapshotFromBehindItSettlesIt() {
        notes.begin(FIRST);
        die();
        notes.begin(FIRST);
        die();
        notes.hold(SECOND);
        notes.restored(8);
        assertEquals(Optional.empty(), notes.died());
        assertEquals(List.of(), notes.held());
        assertFalse(notes.hold(SECOND));
        assertTrue(notes.hold(THIRD));
    }

    @Test
    void theOldestOfManyThatWereSkippedIsForgotten() {
        for (int i = 1; i <= 201; i++) {
            notes.skip(new Place(i, 0));
        }
        die();
        assertEquals(Turn.RUN, notes.begin(new Place(1, 0)));
        assertEquals(Turn.SKIP, notes.begin(new Place(2, 0)));
        assertEquals(Turn.SKIP, notes.begin(new Place(201, 0)));
    }

    @Test
    void moreThanItCanNoteIsNotPromised() {
        for (int i = 1; i <= 32; i++) {
            assertTrue(notes.hold(new Place(i, 0)));
        }
        assertFalse(notes.hold(new Place(33, 0)));
        die();
        assertEquals(32, notes.held().size());
    }

    @Test
    void otherBytesAreNotTakenForNotes() {
        memory.putInt(0, 0x12345678);
        assertThrows(IllegalStateException.class, this::die);
    }

    @Test
    void goldenBytes() {
        notes.begin(FIRST);
        die();
        notes.begin(SECOND);
        notes.hold(THIRD);
        notes.skip(new Place(11, 3));
        assertEquals("616d6f4e00000001", hex(0, 8));
        assertEquals("0000000000000007" + "00000001", hex(8, 12));
        assertEquals("0000000000000007" + "00000000", hex(24, 12));
        assertEquals("00000001", hex(40, 4));
        assertEquals("0000000000000009" + "00000000" + "00000000" + "0000000000000000", hex(48, 24));
        assertEquals("000000000000000b" + "00000003" + "00000000" + "0000000000000000", hex(576, 24));
    }

    private String hex(int at, int length) {
        byte[] bytes = new byte[length];
        memory.get(at, bytes);
        return java.util.HexFormat.of().formatHex(bytes);
    }
}
