package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.amo.core.replica.ExecutionNotes.Turn;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** docs/wire/execution-notes.md: what one life of a member leaves to the next. */
class ExecutionNotesTest implements HostileBytes {
    private static final Place FIRST = new Place(7, 0);
    private static final Place SECOND = new Place(7, 1);
    private static final Place THIRD = new Place(9, 0);

    private final ByteBuffer memory = ByteBuffer.allocate(ExecutionNotes.BYTES);
    private ExecutionNotes notes = new ExecutionNotes(memory, () -> {});

    @Override
    public List<Decoder> decoders() {
        ByteBuffer used = ByteBuffer.allocate(ExecutionNotes.BYTES);
        ExecutionNotes first = new ExecutionNotes(used, () -> {});
        first.hold(SECOND);
        first.skip(THIRD);
        first.begin(FIRST);
        return List.of(Decoder.of(
                "notes of executions",
                IllegalStateException.class,
                bytes -> new ExecutionNotes(ByteBuffer.wrap(Arrays.copyOf(bytes, ExecutionNotes.BYTES)), () -> {})
                        .died(),
                used.array(),
                new byte[0]));
    }

    @Test
    void asManyArePromisedAndSkippedAsThereIsRoomFor() {
        for (int i = 0; i < 32; i++) {
            assertTrue(notes.hold(new Place(100 + i, i)));
        }
        assertFalse(notes.hold(new Place(200, 0)));
        for (int i = 0; i < 201; i++) {
            notes.skip(new Place(1_000 + i, i));
        }
        die();
        assertEquals(32, notes.held().size());
        assertEquals(Turn.RUN, notes.begin(new Place(1_000, 0)), "the oldest was forgotten");
        assertEquals(Turn.SKIP, notes.begin(new Place(1_001, 1)));
        assertEquals(Turn.SKIP, notes.begin(new Place(1_200, 200)));
    }

    /** The process ends, whatever it does, and begins again. */
    private void die() {
        notes = new ExecutionNotes(memory, () -> {});
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
        memory.put(0, new byte[ExecutionNotes.BYTES]).putInt(0, 0x12345678);
        assertThrows(IllegalStateException.class, this::die);
    }

    /** One bit, wherever it is: no promise is lost, and no request is taken for one that the member died of. */
    @Test
    void noFlippedBitBreaksAPromise() {
        notes.begin(FIRST);
        die();
        notes.begin(FIRST);
        die();
        notes.hold(THIRD);
        notes.skip(SECOND);
        byte[] whole = new byte[ExecutionNotes.BYTES];
        memory.get(0, whole);
        int healed = 0;
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            memory.put(0, whole);
            memory.put(bit / 8, (byte) (whole[bit / 8] ^ 1 << bit % 8));
            die();
            assertEquals(List.of(THIRD), notes.held(), "bit " + bit);
            assertEquals(Turn.SKIP, notes.begin(SECOND), "bit " + bit);
            Optional<Place> died = notes.died();
            assertTrue(died.isEmpty() || died.equals(Optional.of(FIRST)), "bit " + bit + ": " + died);
            assertTrue(notes.wasDamaged() || died.isPresent(), "bit " + bit + " of a death is lost without a word");
            healed += notes.wasDamaged() ? 1 : 0;
            die();
            assertFalse(notes.wasDamaged(), "bit " + bit + " is still damaged");
        }
        assertTrue(healed >= 2 * 8 * 4_096, healed + " flips noticed");
    }

    @Test
    void twoDamagedCopiesOfThePromisesAreNoneTakenForNoPromise() {
        notes.hold(THIRD);
        for (int copy : new int[] {4_096, 8_192}) {
            memory.put(copy + 20, (byte) (memory.get(copy + 20) ^ 1));
        }
        String message = assertThrows(IllegalStateException.class, this::die).getMessage();
        assertTrue(message.contains("both copies"), message);
    }

    /** The process dies at each byte of the memory that a promise writes: the promise before or the new one holds. */
    @Test
    void aPromiseThatIsHalfWrittenLeavesThoseBefore() {
        notes.hold(THIRD);
        byte[] before = new byte[ExecutionNotes.BYTES];
        memory.get(0, before);
        notes.hold(SECOND);
        byte[] after = new byte[ExecutionNotes.BYTES];
        memory.get(0, after);
        for (int written = 0; written <= ExecutionNotes.BYTES; written++) {
            memory.put(0, after, 0, written).put(written, before, written, before.length - written);
            die();
            assertTrue(notes.held().contains(THIRD), written + " bytes: " + notes.held());
            byte[] first = new byte[4_096];
            memory.get(4_096, first);
            byte[] second = new byte[4_096];
            memory.get(8_192, second);
            assertArrayEquals(first, second, "both copies are the same from then on");
        }
    }

    @Test
    void eachCopyIsForcedBeforeTheNext() {
        List<String> copies = new ArrayList<>();
        ExecutionNotes forced =
                new ExecutionNotes(memory, () -> copies.add(hex(4_096 + 8, 16) + " " + hex(8_192 + 8, 16)));
        copies.clear();
        String none = hex(4_096 + 8, 16);
        forced.hold(FIRST);
        String held = hex(4_096 + 8, 16);
        assertEquals(List.of(held + " " + none, held + " " + held), copies);
    }

    @Test
    void goldenBytes() {
        notes.begin(FIRST);
        die();
        notes.begin(SECOND);
        notes.hold(THIRD);
        notes.skip(new Place(11, 3));
        assertEquals("0000000000000007" + "00000001" + "00000000" + "bd013b5c", hex(0, 20));
        assertEquals("0000000000000007" + "00000000" + "00000001" + "777bd7f3", hex(512, 20));
        String promises = "616d6f4e" + "00000002" + "00000001" + "0000000000000009" + "00000000" + "00000001"
                + "000000000000000b" + "00000003" + "00000000";
        for (int copy : new int[] {4_096, 8_192}) {
            assertEquals(promises, hex(copy, promises.length() / 2));
            assertEquals("e95f4ed3", hex(copy + 4_092, 4));
        }
    }

    private String hex(int at, int length) {
        byte[] bytes = new byte[length];
        memory.get(at, bytes);
        return java.util.HexFormat.of().formatHex(bytes);
    }
}
