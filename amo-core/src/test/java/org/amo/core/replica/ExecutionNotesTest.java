package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
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
    private static final long BOOT = 0x1122334455667788L;

    /** Promises behind their generation: FIRST ran, THIRD is held, and a request at position 11 is skipped. */
    private static final String PROMISED = "1122334455667788" + "00000001" + "0000000000000007" + "00000000"
            + "00000001" + "0000000000000009" + "00000000" + "00000001" + "000000000000000b" + "00000003" + "00000000";

    private final ByteBuffer memory = ByteBuffer.allocate(ExecutionNotes.BYTES);
    private ExecutionNotes notes = new ExecutionNotes(memory, () -> {}, BOOT);

    @Override
    public List<Decoder> decoders() {
        ByteBuffer used = ByteBuffer.allocate(ExecutionNotes.BYTES);
        ExecutionNotes first = new ExecutionNotes(used, () -> {}, BOOT);
        first.hold(SECOND);
        first.skip(THIRD);
        first.begin(FIRST);
        return List.of(Decoder.of(
                "notes of executions",
                IllegalStateException.class,
                bytes -> new ExecutionNotes(ByteBuffer.wrap(Arrays.copyOf(bytes, ExecutionNotes.BYTES)), () -> {}, BOOT)
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
        notes = new ExecutionNotes(memory, () -> {}, BOOT);
    }

    @Test
    void whatRanToItsEndIsNoDeath() {
        assertTrue(notes.isFresh());
        assertEquals(Turn.RUN, notes.begin(FIRST));
        notes.ended(FIRST);
        die();
        assertFalse(notes.isFresh());
        assertEquals(List.of(), notes.died());
    }

    @Test
    void oneDeathIsAnAccidentAndTwoAreNot() {
        notes.begin(FIRST);
        die();
        assertEquals(List.of(), notes.died());
        assertEquals(Turn.RUN, notes.begin(FIRST));
        die();
        assertEquals(List.of(FIRST), notes.died());
        assertEquals(Turn.WAIT, notes.begin(FIRST));
        die();
        assertEquals(List.of(FIRST), notes.died(), "it was not begun");
    }

    @Test
    void aProcessThatEndsWhileTheRequestWaitsForOthersDidNotDieOfIt() {
        for (int i = 0; i < 3; i++) {
            assertEquals(Turn.RUN, notes.begin(FIRST));
            notes.waits();
            assertFalse(notes.hold(FIRST), "it has begun");
            die();
            assertEquals(List.of(), notes.died());
        }
        for (int i = 0; i < 2; i++) {
            notes.begin(FIRST);
            notes.waits();
            notes.goesOn(FIRST);
            die();
        }
        assertEquals(List.of(FIRST), notes.died());
    }

    @Test
    void ofSeveralRequestsThatRanAtOnceNoneIsCountedAndAllRunAloneOnce() {
        notes.takesPart(1);
        beginAtOnce(0, FIRST);
        beginAtOnce(1, SECOND);
        beginAtOnce(2, THIRD);
        notes.ends(1, SECOND);
        die();
        assertEquals(List.of(), notes.died());
        assertEquals(Optional.empty(), notes.ran(), "SECOND ended, and its reply did not leave");
        assertTrue(notes.runsAlone(FIRST) && notes.runsAlone(SECOND) && notes.runsAlone(THIRD));
        assertFalse(notes.runsAlone(new Place(9, 1)));
        beginAtOnce(0, FIRST);
        notes.ends(0, FIRST);
        notes.ended(FIRST);
        beginAtOnce(0, SECOND);
        die();
        assertEquals(List.of(), notes.died(), "one death in SECOND alone");
        assertTrue(notes.runsAlone(SECOND));
        assertFalse(notes.runsAlone(THIRD));
        beginAtOnce(0, SECOND);
        die();
        assertEquals(List.of(SECOND), notes.died());
        assertEquals(Turn.WAIT, notes.admit(SECOND));
    }

    @Test
    void anErrorOfOneOfSeveralRequestsProvesWhichItWas() {
        beginAtOnce(0, FIRST);
        beginAtOnce(1, SECOND);
        notes.failed(1, SECOND);
        die();
        assertEquals(List.of(SECOND), notes.died());
        assertEquals(Turn.RUN, notes.admit(FIRST));
    }

    /** The reply of a request leaves when all before it have ended, so until then no client has it. */
    @Test
    void ofRequestsThatRanAtOnceThoseCountAsExecutedWhoseRepliesLeft() {
        notes.takesPart(1);
        beginAtOnce(0, FIRST);
        beginAtOnce(1, SECOND);
        beginAtOnce(2, THIRD);
        notes.ends(2, THIRD);
        notes.ends(0, FIRST);
        notes.ended(FIRST);
        die();
        assertEquals(Optional.of(FIRST), notes.ran());
        assertEquals(List.of(), notes.died(), "one death in SECOND");
        assertTrue(notes.hold(THIRD), "it ran, and its reply did not leave");
    }

    @Test
    void anAdmittedRequestCountsAsBegun() {
        assertEquals(Turn.RUN, notes.admit(SECOND));
        assertFalse(notes.hold(FIRST));
        assertFalse(notes.hold(SECOND));
        assertTrue(notes.hold(THIRD));
        die();
        assertEquals(List.of(), notes.died());
        assertTrue(notes.hold(SECOND), "another process may promise it");
    }

    @Test
    void aLossOfPowerOrAnEndOnRequestLeavesNoSuspects() {
        beginAtOnce(0, FIRST);
        beginAtOnce(31, SECOND);
        notes = new ExecutionNotes(memory, () -> {}, BOOT + 1);
        assertFalse(notes.runsAlone(FIRST));
        beginAtOnce(0, FIRST);
        beginAtOnce(31, SECOND);
        notes.left();
        notes = new ExecutionNotes(memory, () -> {}, BOOT + 1);
        assertFalse(notes.runsAlone(FIRST));
        assertFalse(notes.wasDamaged());
    }

    private void beginAtOnce(int slot, Place place) {
        assertEquals(Turn.RUN, notes.admit(place));
        notes.begins(slot, place);
    }

    @Test
    void anErrorOfTheRequestItselfIsNoAccident() {
        notes.begin(FIRST);
        notes.failed(FIRST);
        die();
        assertEquals(List.of(FIRST), notes.died());
        assertEquals(Turn.WAIT, notes.begin(FIRST));
        die();
        assertEquals(List.of(FIRST), notes.died(), "it was not begun");
        notes.letGo(FIRST);
        notes.begin(FIRST);
        die();
        assertEquals(List.of(), notes.died(), "the error is forgotten with the deaths");
    }

    @Test
    void wantOfMemoryIsNoAccidentForARequestThatRanAlone() {
        notes.begin(FIRST);
        dieWithoutMemory();
        assertEquals(List.of(FIRST), notes.died());
        assertEquals(Turn.WAIT, notes.begin(FIRST));
    }

    @Test
    void wantOfMemoryWhileNoRequestRanIsNoDeathInOne() {
        run(FIRST);
        notes.begin(SECOND);
        notes.waits();
        dieWithoutMemory();
        assertEquals(List.of(), notes.died());
        notes.begin(SECOND);
        die();
        assertEquals(List.of(), notes.died(), "it was the first death in it");
    }

    @Test
    void wantOfMemoryDoesNotTellWhichOfSeveralRequestsTookIt() {
        beginAtOnce(0, FIRST);
        beginAtOnce(1, SECOND);
        dieWithoutMemory();
        assertEquals(List.of(), notes.died());
        assertTrue(notes.runsAlone(SECOND));
    }

    @Test
    void wantOfMemoryBeforeALossOfPowerIsNotBelieved() {
        notes.begin(FIRST);
        notes = new ExecutionNotes(memory, () -> {}, BOOT + 1, true);
        assertEquals(List.of(), notes.died());
    }

    @Test
    void aRequestThatTookTheMemoryOnceMayRunAgainAndIsCounted() {
        notes.begin(FIRST);
        dieWithoutMemory();
        assertTrue(notes.diedOnce(FIRST));
        notes.letGo(FIRST);
        assertFalse(notes.diedOnce(FIRST));
        assertEquals(Turn.RUN, notes.begin(FIRST));
        die();
        assertEquals(List.of(FIRST), notes.died(), "the first death is counted still");
        assertFalse(notes.diedOnce(FIRST), "the second one is no accident");
    }

    @Test
    void theDeathOfARequestThatRanInTheEndIsForgotten() {
        notes.begin(FIRST);
        dieWithoutMemory();
        notes.letGo(FIRST);
        assertItsEndForgetsTheDeathsBeforeIt();
    }

    @Test
    void memoryThatTheRequestItselfDidNotFindCountsLikeThatOfTheProcess() {
        notes.begin(FIRST);
        notes.foundNoMemory(FIRST);
        die();
        assertEquals(List.of(FIRST), notes.died());
        assertTrue(notes.diedOnce(FIRST));
        notes.begin(SECOND);
        notes.failed(SECOND);
        die();
        assertEquals(List.of(FIRST, SECOND), notes.died());
        assertFalse(notes.diedOnce(FIRST), "a later process died, too");
        assertFalse(notes.diedOnce(SECOND), "the stack is the same the next time");
    }

    private void dieWithoutMemory() {
        notes = new ExecutionNotes(memory, () -> {}, BOOT, true);
    }

    @Test
    void anErrorBeforeALossOfPowerIsNotBelieved() {
        notes.begin(FIRST);
        notes.failed(FIRST);
        notes = new ExecutionNotes(memory, () -> {}, BOOT + 1);
        assertEquals(List.of(), notes.died(), "the note was not forced, and may be from before its end");
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
        assertEquals(List.of(), notes.died());
    }

    @Test
    void aProcessThatWasAskedToEndDiedOfNothing() {
        for (int i = 0; i < 3; i++) {
            notes.begin(FIRST);
            notes.left();
            die();
        }
        assertEquals(List.of(), notes.died());
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

    // ------------------------------------------------- how far earlier processes ran

    private static Place upTo(long position) {
        return new Place(position, Integer.MAX_VALUE);
    }

    @Test
    void whatAnEarlierProcessRanIsNotHeld() {
        notes.takesPart(1);
        run(FIRST);
        notes.begin(SECOND);
        die();
        assertEquals(Optional.of(FIRST), notes.ran());
        assertTrue(notes.knowsHowFarItRan());
        assertFalse(notes.hold(FIRST), "a client may have its reply");
        assertTrue(notes.hold(SECOND), "it ended the process");
        notes.begin(new Place(3, 0));
        die();
        assertEquals(Optional.of(FIRST), notes.ran(), "what runs again from the log is no news");
    }

    @Test
    void whatLiesBeforeASnapshotCountsAsRunInLaterProcessesToo() {
        notes.takesPart(1);
        notes.restored(8, false);
        die();
        assertEquals(Optional.of(upTo(8)), notes.ran());
        assertFalse(notes.hold(SECOND));
        assertTrue(notes.hold(THIRD));
    }

    /** Its clients have heard nothing, and the group may have skipped what it ran. */
    @Test
    void whatRanBeforeAMemberTookPartDoesNotCount() {
        run(FIRST);
        die();
        assertFalse(notes.hasTakenPart());
        assertEquals(Optional.empty(), notes.ran());
        notes.takesPart(20);
        assertEquals(Optional.empty(), notes.ran());
        assertTrue(notes.hold(FIRST));
        die();
        assertTrue(notes.hasTakenPart());
    }

    @Test
    void afterALossOfPowerAllCountsAsRunThatWasOrderedBeforeTheMemberTookPartAgain() {
        notes.takesPart(1);
        run(FIRST);
        notes = new ExecutionNotes(memory, () -> {}, BOOT + 1);
        assertFalse(notes.knowsHowFarItRan());
        assertFalse(notes.hold(THIRD), "nothing is said before");
        notes = new ExecutionNotes(memory, () -> {}, BOOT + 1);
        assertFalse(notes.knowsHowFarItRan(), "nor by the next process");
        notes.takesPart(30);
        assertTrue(notes.knowsHowFarItRan());
        assertEquals(Optional.of(upTo(30)), notes.ran());
        assertFalse(notes.hold(THIRD));
        assertTrue(notes.hold(new Place(31, 0)));
        notes = new ExecutionNotes(memory, () -> {}, BOOT + 1);
        assertEquals(Optional.of(upTo(30)), notes.ran());
        assertTrue(notes.knowsHowFarItRan());
    }

    @Test
    void aDeathIsNotBelievedAfterALossOfPowerUnlessAStartHasFoundTwo() {
        notes.takesPart(1);
        notes.begin(FIRST);
        die();
        notes.begin(FIRST);
        ExecutionNotes after = new ExecutionNotes(copyOfMemory(), () -> {}, BOOT + 1);
        assertEquals(List.of(), after.died(), "the note of the second may be from before its end");
        die();
        assertEquals(List.of(FIRST), notes.died());
        after = new ExecutionNotes(copyOfMemory(), () -> {}, BOOT + 1);
        assertEquals(List.of(FIRST), after.died());
    }

    @Test
    void aDeathBeforeALossOfPowerDoesNotCountWithOneAfterIt() {
        notes.takesPart(1);
        notes.begin(FIRST);
        die();
        notes = new ExecutionNotes(memory, () -> {}, BOOT + 1);
        notes.begin(FIRST);
        notes = new ExecutionNotes(memory, () -> {}, BOOT + 1);
        assertEquals(List.of(), notes.died());
    }

    @Test
    void aStartIsNoDeath() {
        notes.begin(FIRST);
        die();
        die();
        assertEquals(List.of(), notes.died(), "the second process began nothing");
        notes.begin(FIRST);
        die();
        assertEquals(List.of(FIRST), notes.died());
    }

    @Test
    void anEndThatEarlierProcessesNotedIsNoneOfALaterExecution() {
        notes.takesPart(1);
        run(FIRST);
        for (int deaths = 0; deaths < 2; deaths++) {
            die();
            notes.begin(FIRST);
        }
        die();
        assertEquals(List.of(FIRST), notes.died());
        assertTrue(notes.diedOfWhatRan(FIRST), "a client may have the reply of the first process");
    }

    @Test
    void whetherItRanBeforeIsRememberedForThatRequestAlone() {
        notes.takesPart(1);
        run(FIRST);
        for (Place place : List.of(FIRST, THIRD, THIRD)) {
            die();
            notes.begin(place);
        }
        die();
        assertEquals(List.of(THIRD), notes.died());
        assertFalse(notes.diedOfWhatRan(THIRD));
        die();
        assertFalse(notes.diedOfWhatRan(THIRD));
    }

    @Test
    void aRequestThatEndedTheMemberByItsOwnErrorIsNotTakenForOneThatRan() {
        notes.takesPart(1);
        run(FIRST);
        die();
        dieTwiceOf(FIRST);
        assertTrue(notes.diedOfWhatRan(FIRST));
        notes.begin(THIRD);
        notes.failed(THIRD);
        die();
        assertEquals(List.of(FIRST, THIRD), notes.died());
        assertTrue(notes.diedOfWhatRan(FIRST));
        assertFalse(notes.diedOfWhatRan(THIRD), "that was the other request");
    }

    @Test
    void aSnapshotChangesNothingForRequestsBehindIt() {
        Place behind = new Place(9, 1);
        for (int deaths = 0; deaths < 2; deaths++) {
            notes.begin(THIRD);
            die();
        }
        assertTrue(notes.hold(behind));
        assertTrue(notes.hold(SECOND));
        notes.restored(8, false);
        assertEquals(List.of(behind), notes.held());
        assertEquals(List.of(THIRD), notes.died());
        notes.restored(9, false);
        assertEquals(List.of(), notes.held());
        assertEquals(List.of(), notes.died());
    }

    @Test
    void anEndForgetsTheDeathsBeforeIt() {
        notes.begin(FIRST);
        die();
        assertItsEndForgetsTheDeathsBeforeIt();
    }

    /** One more death of the first request would be the second one. */
    private void assertItsEndForgetsTheDeathsBeforeIt() {
        run(FIRST);
        die();
        notes.begin(FIRST);
        die();
        assertEquals(List.of(), notes.died());
    }

    @Test
    void whatIsLetGoIsForgottenOnDisk() {
        notes.begin(FIRST);
        die();
        notes.begin(FIRST);
        die();
        notes.hold(SECOND);
        notes.letGo(SECOND);
        notes.letGo(FIRST);
        die();
        assertEquals(List.of(), notes.died());
        assertEquals(List.of(), notes.held());
        notes.begin(FIRST);
        die();
        assertEquals(List.of(), notes.died(), "counted anew");
    }

    @Test
    void aSkippedRequestIsNoLongerOneThatTheMemberDiedOf() {
        notes.begin(FIRST);
        die();
        notes.begin(FIRST);
        die();
        notes.skip(FIRST);
        for (int i = 0; i < 200; i++) {
            notes.skip(new Place(100 + i, 0));
        }
        assertEquals(List.of(), notes.died(), "although its skip is forgotten");
    }

    @Test
    void deathsAndTheirEndAreForced() {
        List<String> forced = new ArrayList<>();
        Runnable force = () -> forced.add("forced");
        notes.begin(FIRST);
        notes = new ExecutionNotes(memory, force, BOOT);
        assertEquals(3, forced.size(), "two copies of the promises, and the death");
        forced.clear();
        run(FIRST);
        assertEquals(List.of(), forced, "an execution forces nothing");
        notes.begin(SECOND);
        die();
        notes.begin(SECOND);
        notes = new ExecutionNotes(memory, force, BOOT);
        forced.clear();
        notes.letGo(SECOND);
        assertEquals(2, forced.size(), "a loss of power must not bring back the deaths");
    }

    @Test
    void aSnapshotSettlesWhatStandsAtItsVeryPosition() {
        Place at = new Place(8, 0);
        notes.begin(at);
        die();
        notes.begin(at);
        die();
        notes.hold(new Place(8, 1));
        notes.restored(8, false);
        assertEquals(List.of(), notes.died());
        assertEquals(List.of(), notes.held());
        assertTrue(notes.skip(at), "the state is from behind it");
        notes.begin(THIRD);
        notes.restored(8, false);
        assertTrue(notes.skip(THIRD), "it has begun");
    }

    @Test
    void aProcessThatIsKilledWhenItNotesAnEndHasRunTheRequest() {
        notes.takesPart(1);
        notes.begin(FIRST);
        memory.putLong(1_024, FIRST.position()).putInt(1_024 + 16, 1);
        die();
        assertTrue(notes.wasDamaged());
        assertEquals(Optional.of(FIRST), notes.ran());
        notes.begin(FIRST);
        die();
        assertEquals(List.of(), notes.died(), "this was the first death");
        assertTrue(notes.knowsHowFarItRan());
    }

    @Test
    void aDamagedNoteOfAnEndIsNotTakenForNone() {
        notes.takesPart(1);
        run(FIRST);
        notes.left();
        memory.put(1_024 + 7, (byte) 1);
        die();
        assertFalse(notes.knowsHowFarItRan());
    }

    private void run(Place place) {
        assertEquals(Turn.RUN, notes.begin(place));
        notes.ended(place);
    }

    private ByteBuffer copyOfMemory() {
        return ByteBuffer.wrap(memory.array().clone());
    }

    // ------------------------------------------------- the verdict

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
        assertEquals(List.of(), notes.died());
        die();
        assertEquals(List.of(), notes.died());
        assertEquals(Turn.SKIP, notes.begin(FIRST));
    }

    @Test
    void aSnapshotFromBehindItSettlesIt() {
        notes.begin(FIRST);
        die();
        notes.begin(FIRST);
        die();
        notes.hold(SECOND);
        notes.restored(8, false);
        assertEquals(List.of(), notes.died());
        assertEquals(List.of(), notes.held());
        assertFalse(notes.hold(SECOND));
        assertTrue(notes.hold(THIRD));
    }

    @Test
    void theOldestOfManyThatWereSkippedIsForgotten() {
        for (int i = 1; i <= 201; i++) {
            notes.skip(new Place(i, 0));
        }
        assertEquals(Turn.SKIP, notes.begin(new Place(1, 0)), "this process has heard of it");
        assertTrue(notes.knowsAllSkips());
        die();
        assertEquals(Turn.RUN, notes.begin(new Place(1, 0)));
        assertEquals(Turn.SKIP, notes.begin(new Place(2, 0)));
        assertEquals(Turn.SKIP, notes.begin(new Place(201, 0)));
        assertFalse(notes.knowsAllSkips(), "it must not answer before it has heard of all");
        notes.takesPart(500);
        assertTrue(notes.knowsAllSkips());
        die();
        assertFalse(notes.knowsAllSkips(), "the next process begins anew");
    }

    @Test
    void theOldestOfManyThatWereSkippedIsInTheStateOfASnapshot() {
        notes.restored(1, false);
        for (int i = 1; i <= 201; i++) {
            notes.skip(new Place(i, 0));
        }
        die();
        assertTrue(notes.knowsAllSkips());
        assertEquals(1, notes.coveredPosition(), "without the snapshot it would run");
        assertEquals(Turn.SKIP, notes.begin(new Place(2, 0)));
    }

    /** The snapshot may be damaged later, and the log be there from its beginning. */
    @Test
    void laterProcessesKnowUpToWhereThePromisesRestOnASnapshot() {
        notes.restored(6, false);
        die();
        assertEquals(0, notes.coveredPosition(), "nothing was promised up to there");
        notes.hold(FIRST);
        notes.restored(8, false);
        die();
        assertEquals(8, notes.coveredPosition());
        dieTwiceOf(THIRD);
        notes.restored(9, false);
        die();
        assertEquals(9, notes.coveredPosition());
        notes.restored(12, true);
        notes.restored(11, true);
        die();
        assertEquals(12, notes.coveredPosition(), "the group skipped requests of which this member heard nothing");
    }

    @Test
    void laterProcessesKnowThatTheMemberDivergedAndWhetherItIsEqualAgain() {
        assertFalse(notes.isDiverged());
        notes.diverged(7);
        die();
        assertTrue(notes.isDiverged());
        assertEquals(7, notes.divergedAt());
        notes.equalAgain();
        die();
        assertFalse(notes.isDiverged());
        assertEquals(7, notes.divergedAt(), "its state may rest on a snapshot from behind it");
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
        notes.diverged(5);
        byte[] whole = new byte[ExecutionNotes.BYTES];
        memory.get(0, whole);
        int healed = 0;
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            memory.put(0, whole);
            memory.put(bit / 8, (byte) (whole[bit / 8] ^ 1 << bit % 8));
            die();
            assertEquals(List.of(THIRD), notes.held(), "bit " + bit);
            assertEquals(Turn.SKIP, notes.begin(SECOND), "bit " + bit);
            assertEquals(List.of(FIRST), notes.died(), "bit " + bit);
            assertTrue(notes.isDiverged(), "bit " + bit);
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

    /** The disk reported the write of one copy, and lost it: that copy is whole and old. */
    @Test
    void aLostWriteOfOneCopyBreaksNoPromise() {
        for (int copy : new int[] {4_096, 8_192}) {
            notes = new ExecutionNotes(memory.put(0, new byte[ExecutionNotes.BYTES]), () -> {}, BOOT);
            byte[] old = copyOf(copy);
            notes.takesPart(1);
            notes.hold(THIRD);
            notes.diverged(5);
            memory.put(copy, old);
            die();
            assertTrue(notes.isDiverged(), "copy at " + copy);
            assertTrue(notes.wasDamaged(), "copy at " + copy);
            assertTrue(notes.hasTakenPart(), "copy at " + copy);
            assertEquals(List.of(THIRD), notes.held(), "copy at " + copy);
            die();
            assertFalse(notes.wasDamaged(), "it is said once");
            assertEquals(List.of(THIRD), notes.held());
        }
    }

    /** The first copy is on disk before the second is written, so no crash leaves the second one alone newer. */
    @Test
    void theLastWriteOfTheFirstCopyIsMissedToo() {
        byte[] old = copyOf(4_096);
        notes.hold(THIRD);
        memory.put(4_096, old);
        die();
        assertTrue(notes.wasDamaged());
        assertEquals(List.of(THIRD), notes.held());
    }

    @Test
    void aCrashBetweenTheCopiesIsNoDamage() {
        byte[] old = copyOf(8_192);
        notes.hold(THIRD);
        memory.put(8_192, old);
        die();
        assertFalse(notes.wasDamaged());
        assertEquals(List.of(THIRD), notes.held());
    }

    private byte[] copyOf(int at) {
        byte[] copy = new byte[4_096];
        memory.get(at, copy);
        return copy;
    }

    @Test
    void eachCopyIsForcedBeforeTheNext() {
        List<String> copies = new ArrayList<>();
        ExecutionNotes forced =
                new ExecutionNotes(memory, () -> copies.add(hex(4_096 + 8, 48) + " " + hex(8_192 + 8, 48)), BOOT);
        copies.clear();
        String none = hex(4_096 + 8, 48);
        forced.hold(FIRST);
        String held = hex(4_096 + 8, 48);
        assertEquals(List.of(held + " " + none, held + " " + held), copies);
    }

    @Test
    void goldenBytes() {
        notes.takesPart(1);
        run(FIRST);
        die();
        notes.begin(SECOND);
        die();
        run(FIRST);
        notes.begin(SECOND);
        notes.hold(THIRD);
        notes.skip(new Place(11, 3));
        assertEquals("0000000000000007" + "00000001" + "00000000" + "bd013b5c", hex(0, 20));
        assertEquals("0000000000000007" + "00000001" + "00000001" + "4f6ab85f", hex(512, 20));
        assertEquals("0000000000000007" + "00000000" + "00000000" + "851054f0", hex(1_024, 20));
        String promises = "616d6f4e" + "00000005" + "0000000000000006" + PROMISED;
        for (int copy : new int[] {4_096, 8_192}) {
            assertEquals(promises, hex(copy, promises.length() / 2));
            assertEquals("50b893bf", hex(copy + 4_092, 4));
        }
    }

    @Test
    void goldenBytesOfADivergenceAndOfAPositionThatASnapshotCovers() {
        notes.restored(8, true);
        notes.diverged(9);
        String promises = "616d6f4e" + "00000005" + "0000000000000003" + "1122334455667788" + "00000008"
                + "0000000000000008" + "7fffffff" + "00000000" + "00000000" + "00000000" + "0000000000000008"
                + "0000000000000009";
        for (int copy : new int[] {4_096, 8_192}) {
            assertEquals(promises, hex(copy, promises.length() / 2));
            assertEquals("66bc1e57", hex(copy + 4_092, 4));
        }
    }

    /** The report that it died of the first one may stand in the order: the group skips what no member begins. */
    @Test
    void whatItDiedOfTwiceDoesNotBeginAfterADeathInAnotherRequest() {
        Place earlier = new Place(7, 0);
        Place deadly = new Place(15, 0);
        notes.takesPart(1);
        for (int death = 0; death < ExecutionNotes.DEATHS; death++) {
            run(earlier);
            assertEquals(Turn.RUN, notes.begin(deadly));
            die();
        }
        assertEquals(List.of(deadly), notes.died());
        assertEquals(Turn.RUN, notes.begin(earlier));
        die();
        assertEquals(List.of(deadly), notes.died(), "and it still says so");
        run(earlier);
        assertEquals(Turn.WAIT, notes.begin(deadly));
        notes.letGo(deadly);
        assertEquals(Turn.RUN, notes.begin(deadly));
    }

    @Test
    void itMayDieOfAsManyAsThereIsRoomFor() {
        notes.takesPart(1);
        for (int i = 1; i <= 33; i++) {
            notes.begin(new Place(i, 0));
            notes.failed(new Place(i, 0));
            die();
        }
        assertEquals(32, notes.died().size());
        assertEquals(Turn.RUN, notes.begin(new Place(33, 0)), "nothing was said of it");
        notes.skip(new Place(1, 0));
        die();
        assertEquals(32, notes.died().size());
        assertEquals(Turn.WAIT, notes.begin(new Place(33, 0)));
    }

    private void dieTwiceOf(Place place) {
        for (int death = 0; death < ExecutionNotes.DEATHS; death++) {
            assertEquals(Turn.RUN, notes.begin(place));
            die();
        }
        assertEquals(List.of(place), notes.died());
    }

    /** The report that it died may stand in the order, and the process may be killed, or power be lost, behind each write. */
    @Test
    void aVerdictIsNotedBeforeTheDeathsAreForgotten() {
        notes.takesPart(1);
        dieTwiceOf(FIRST);
        List<ByteBuffer> moments = new ArrayList<>();
        notes = new ExecutionNotes(memory, () -> moments.add(copyOfMemory()), BOOT);
        moments.clear();
        notes.skip(FIRST);
        assertFalse(moments.isEmpty());
        for (ByteBuffer moment : moments) {
            assertNotEquals(Turn.RUN, new ExecutionNotes(moment, () -> {}, BOOT).begin(FIRST));
        }
    }

    /** A loss of power behind any write of the start that finds it: none takes back what the one before promised. */
    @Test
    void theSecondDeathIsAPromiseFromItsFirstWriteOn() {
        notes.takesPart(1);
        notes.begin(FIRST);
        die();
        notes.begin(FIRST);
        List<ByteBuffer> moments = new ArrayList<>();
        notes = new ExecutionNotes(memory, () -> moments.add(copyOfMemory()), BOOT);
        assertEquals(List.of(FIRST), notes.died());
        boolean promised = false;
        for (ByteBuffer moment : moments) {
            ByteBuffer goesOn = ByteBuffer.allocate(ExecutionNotes.BYTES).put(0, moment, 0, ExecutionNotes.BYTES);
            new ExecutionNotes(goesOn, () -> {}, BOOT).begin(FIRST);
            assertEquals(List.of(FIRST), new ExecutionNotes(goesOn, () -> {}, BOOT).died(), "one death more at most");
            boolean waits = new ExecutionNotes(moment, () -> {}, BOOT + 1).begin(FIRST) == Turn.WAIT;
            assertTrue(waits || !promised, "a promise is gone");
            promised = waits;
        }
        assertTrue(promised);
    }

    /** A replay comes to the oldest of many skipped requests while the later ones are noted. */
    @Test
    void aVerdictOnAnOldRequestHoldsForTheReplayThatIsBeforeIt() {
        for (int i = 2; i <= 201; i++) {
            notes.skip(new Place(i, 0));
        }
        notes.skip(new Place(1, 0));
        assertEquals(Turn.SKIP, notes.begin(new Place(1, 0)));
        die();
        assertEquals(Turn.SKIP, notes.begin(new Place(1, 0)));
    }

    /** A timer fires before the requests of its entry, and behind those of the entry before. */
    @Test
    void aTimerIsNotedHeldAndSkippedAsARequestIs() {
        Place timer = Place.ofTimer(7, 1);
        notes.takesPart(1);
        run(new Place(6, 4));
        run(Place.ofTimer(7, 0));
        assertEquals(Turn.RUN, notes.begin(timer));
        assertEquals("0000000000000007" + "80000001" + "00000000", hex(0, 16));
        assertFalse(notes.hold(timer), "it has begun");
        notes.failed(timer);
        die();
        assertEquals(List.of(timer), notes.died());
        assertFalse(notes.diedOfWhatRan(timer));
        assertEquals(Optional.of(Place.ofTimer(7, 0)), notes.ran());
        assertEquals(Turn.WAIT, notes.begin(timer));
        assertTrue(notes.hold(timer));
        assertTrue(notes.hold(FIRST));
        die();
        assertEquals(List.of(timer, FIRST), notes.held());
        assertFalse(notes.skip(timer), "it has not begun");
        die();
        assertEquals(List.of(), notes.died());
        assertEquals(Turn.SKIP, notes.begin(timer));
        assertEquals(Turn.RUN, notes.begin(Place.ofTimer(7, 2)));
        assertTrue(notes.skip(Place.ofTimer(7, 0)), "another has begun behind it");
    }

    @Test
    void aSnapshotSettlesTheTimersOfItsEntryAndNoneOfTheNext() {
        notes.hold(Place.ofTimer(7, 0));
        notes.hold(Place.ofTimer(8, 0));
        notes.restored(7, false);
        assertEquals(List.of(Place.ofTimer(8, 0)), notes.held());
        assertFalse(notes.hold(Place.ofTimer(7, 5)));
    }

    /** Version 4 had the deaths in one note alone, however many they were. */
    @Test
    void deathsInNotesOfTheVersionBeforeAreKept() {
        byte[] before = HexFormat.of().parseHex("616d6f4e" + "00000004" + "0000000000000006" + PROMISED);
        for (int copy : new int[] {4_096, 8_192}) {
            memory.put(copy, new byte[4_096]).put(copy, before).putInt(copy + 4_092, 0xe12c1c09);
        }
        memory.put(512, HexFormat.of().parseHex("000000000000000d" + "00000001" + "80000002" + "5b78aa62"));
        Place deadly = new Place(13, 1);
        for (int lives = 0; lives < 2; lives++) {
            die();
            assertFalse(notes.wasDamaged());
            assertEquals(List.of(deadly), notes.died());
            assertTrue(notes.diedOfWhatRan(deadly));
            assertEquals(List.of(THIRD), notes.held());
        }
        assertEquals(0, memory.getInt(512 + 16), "it has moved");
    }

    /** Version 3 had no generation. */
    @Test
    void promisesWithoutAGenerationAreKept() {
        for (int copy : new int[] {4_096, 8_192}) {
            byte[] before = HexFormat.of().parseHex("616d6f4e" + "00000003" + PROMISED);
            memory.put(copy, new byte[4_096]).put(copy, before).putInt(copy + 4_092, 0x7ac2468e);
        }
        die();
        assertFalse(notes.wasDamaged());
        assertEquals(List.of(THIRD), notes.held());
        assertEquals(Turn.SKIP, notes.begin(new Place(11, 3)));
        assertEquals(Optional.of(FIRST), notes.ran());
        assertEquals("00000005" + "0000000000000001", hex(4_096 + 4, 12));
    }

    /** The process dies between the two copies of the first promise in the new version. */
    @Test
    void aCopyOfTheVersionBeforeIsOlderThanOneOfThisVersion() {
        byte[] before = HexFormat.of().parseHex("616d6f4e" + "00000003" + PROMISED);
        memory.put(8_192, new byte[4_096]).put(8_192, before).putInt(8_192 + 4_092, 0x7ac2468e);
        die();
        assertFalse(notes.wasDamaged());
        assertEquals(List.of(), notes.held());
    }

    private String hex(int at, int length) {
        byte[] bytes = new byte[length];
        memory.get(at, bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
