package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Request;
import org.junit.jupiter.api.Test;

/** What one member says of a request that ended members, what it asks of its shell, and what it does until the verdict. */
final class RequestsThatEndMembersTest {
    /** The request of {@link #poisoned}. */
    private static final Place PLACE = new Place(2, 0);

    private static final List<String> MEMBERS = List.of("a", "b", "c");

    private final ByteBuffer memory = ByteBuffer.allocate(ExecutionNotes.BYTES);

    private long submissions = 100;

    // ------------------------------------------------- what a member says

    @Test
    void aMemberThatDiedOfARequestSaysSo() {
        ReplicaRig rig = poisoned(true);
        rig.tick();
        assertEquals(List.of(new ExecutionReport(PLACE, Word.DIED, 2, MEMBERS, List.of())), said(rig));
    }

    @Test
    void aMemberSaysNothingWhileItMayStillRunTheRequestOrRunsIt() {
        ReplicaRig rig = poisoned(false);
        rig.tick();
        deliver(rig, "b", Word.DIED);
        rig.now += 2_000;
        rig.tick();
        assertEquals(List.of(), said(rig));
        assertEquals(List.of(), rig.asked, "one member of three is no majority");
    }

    @Test
    void aMemberThatRanTheRequestSaysSoOnceAnotherDiedOfIt() {
        ReplicaRig rig = poisoned(false);
        rig.executeAll();
        rig.tick();
        assertEquals(List.of(), said(rig), "of other requests nobody speaks");
        deliver(rig, "b", Word.DIED);
        rig.tick();
        assertEquals(List.of(new ExecutionReport(PLACE, Word.EXECUTED, 3, MEMBERS, List.of())), said(rig));
    }

    @Test
    void aWordThatTheOrderDoesNotKnowIsSaidAgainAfterASecond() {
        ReplicaRig rig = poisoned(true);
        rig.tick();
        rig.submitted.clear();
        rig.now += 999;
        rig.tick();
        assertEquals(List.of(), said(rig));
        rig.now += 1;
        rig.tick();
        assertEquals(1, said(rig).size());
        rig.deliver(rig.submitted.remove().entry());
        rig.now += 5_000;
        rig.tick();
        assertEquals(List.of(), said(rig), "it is known now");
    }

    @Test
    void withoutALeaderNothingIsSaid() {
        ReplicaRig rig = poisoned(true);
        rig.replica.onLeader("", rig.now);
        rig.tick();
        assertEquals(List.of(), said(rig));
    }

    // ------------------------------------------------- timers of operations

    /** The entry has no other timer, and its request is never reached. */
    @Test
    void aTimerThatEndsMembersIsReportedAndSkippedAsARequestIs() {
        Place timer = Place.ofTimer(PLACE.position(), 0);
        ReplicaRig rig = started(replica -> {
            notesOfAMember().begin(timer);
            notes(1).begin(timer);
            replica.onNotes(notes(1));
        });
        rig.tick();
        assertEquals(List.of(new ExecutionReport(timer, Word.DIED, 2, MEMBERS, List.of())), said(rig));
        rig.copy("x", rig.request(9));
        assertEquals("OVERLOADED", rig.answer("x"), "it holds");
        rig.deliverNext();
        deliver(rig, "b", timer, Word.DIED);
        assertEquals(List.of(), rig.asked);
        deliver(rig, "c", timer, Word.HELD);
        assertEquals(List.of("skip 2/t0"), rig.asked);
    }

    @Test
    void aTimerThatRanHereIsReportedAndKeepsTheGroupFromSkippingIt() {
        Place timer = Place.ofTimer(PLACE.position(), 0);
        ReplicaRig rig = poisoned(false);
        deliver(rig, "b", timer, Word.DIED);
        rig.tick();
        assertEquals(List.of(), said(rig), "it may still run");
        rig.replica.operations().onTimerRan(timer);
        rig.tick();
        assertEquals(List.of(new ExecutionReport(timer, Word.EXECUTED, 3, MEMBERS, List.of())), said(rig));
        rig.deliverNext();
        deliver(rig, "c", timer, Word.DIED);
        assertEquals(List.of(), rig.asked);
    }

    /** They may be pending for ever, as a periodic one is. */
    @Test
    void aMemberThatDiedOfATimerRunsItAgainWhileTheTimersOfTheOthersArePending() {
        Place timer = Place.ofTimer(PLACE.position(), 0);
        ReplicaRig rig = started(replica -> {
            ExecutionNotes notes = notesOfAMember();
            notes.begin(timer);
            notes.failed(timer);
            replica.onNotes(notes(1));
        });
        sayIt(rig);
        deliver(rig, "b", timer, Word.EXECUTED);
        for (int i = 0; i < 9; i++) {
            answerThatTimersArePending(rig);
        }
        assertFalse(rig.asked.contains("let go 2/t0"), rig.asked::toString);
        answerThatTimersArePending(rig);
        assertTrue(rig.asked.contains("let go 2/t0"), rig.asked::toString);
        assertTrue(rig.asked.contains("take the state behind 2/t0 of [b]"), "before it gave up");
        assertTrue(rig.asked.contains("timers are pending at b"), "the shell tells the operator");
    }

    /** A member that waits for its state may have no other donor. */
    @Test
    void aMemberThatHoldsSaysThatItsTimersArePending() {
        ReplicaRig rig = poisoned(true);
        long executed = rig.replica.executedPosition();
        assertFalse(rig.replica.snapshots().onStateWanted("c", executed, true));
        assertEquals(List.of(), List.copyOf(rig.sent));
        rig.replica.operations().onTimer(OptionalLong.of(rig.now + 5_000));
        assertFalse(rig.replica.snapshots().onStateWanted("c", executed, true));
        assertEquals(List.of(new ReplicaRig.Sent("c", new PeerMessage.TimersPending())), List.copyOf(rig.sent));
        assertTrue(rig.replica.snapshots().onStateWanted("c", executed, false), "it takes a snapshot, or says why not");
        assertFalse(rig.replica.snapshots().onStateWanted("c", executed + 1, false), "it has not come that far");
    }

    private static void answerThatTimersArePending(ReplicaRig rig) {
        rig.now += 1_000;
        rig.tick();
        rig.replica.onMessage("b", new PeerMessage.TimersPending().encode(), rig.now);
    }

    // ------------------------------------------------- what it asks of its shell

    @Test
    void whereAMajorityDiedOfItTheMemberHoldsItAndThenSaysThat() {
        ReplicaRig rig = poisoned(false);
        deliver(rig, "b", Word.DIED);
        deliver(rig, "c", Word.DIED);
        rig.tick();
        assertEquals(List.of("hold 2/0"), rig.asked);
        rig.replica.onHeld(PLACE);
        rig.tick();
        assertEquals(List.of(new ExecutionReport(PLACE, Word.HELD, 4, MEMBERS, List.of())), said(rig));
    }

    @Test
    void theGroupIsToldOnceForWhomItWaits() {
        ReplicaRig rig = poisoned(true);
        sayIt(rig);
        deliver(rig, "b", Word.DIED);
        for (int i = 0; i < 3; i++) {
            rig.now += 2_000;
            rig.tick();
        }
        assertEquals(List.of("wait for the word of c on 2/0"), rig.asked);
    }

    @Test
    void aMemberTakesTheStateOfOneThatRanItAndAsksAgainAfterASecond() {
        ReplicaRig rig = poisoned(true);
        sayIt(rig);
        deliver(rig, "c", Word.EXECUTED);
        rig.now += 1_000;
        rig.tick();
        rig.tick();
        assertEquals(List.of("take the state behind 2/0 of [c]"), rig.asked);
        rig.now += 1_000;
        rig.tick();
        assertEquals(2, rig.asked.size());
        assertEquals(List.of(), said(rig));
    }

    /** Both are in one entry. Another member ran the first and died of the second, so the state behind the first is nowhere. */
    @Test
    void aMemberThatCannotReachALaterRequestOfTheEntryHoldsItAndSaysThatItIsBlocked() {
        ReplicaRig rig = poisoned(true);
        sayIt(rig);
        deliver(rig, "b", Word.DIED);
        Place later = new Place(PLACE.position(), 3);
        deliver(rig, "c", Optional.of(new ExecutionReport(later, Word.DIED, rig.position, MEMBERS, List.of())));
        rig.tick();
        assertEquals(List.of("wait for the word of c on 2/0"), rig.asked, "the first may still be skipped");
        rig.asked.clear();
        deliver(rig, "c", Word.EXECUTED);
        rig.now += 1_000;
        rig.tick();
        assertEquals(List.of("take the state behind 2/0 of [c]", "hold 2/3"), rig.asked);
        rig.replica.onHeld(later);
        rig.tick();
        assertEquals(List.of(new ExecutionReport(later, Word.BLOCKED, rig.position, MEMBERS, List.of())), said(rig));
        rig.asked.clear();
        rig.deliver(rig.submitted.remove().entry());
        rig.tick();
        assertEquals(List.of("wait for the word of b on 2/3"), rig.asked);
        deliver(rig, "b", Optional.of(new ExecutionReport(later, Word.BLOCKED, rig.position, MEMBERS, List.of())));
        assertEquals("skip 2/3", rig.asked.get(1), "c goes on behind it, and to the end of the entry");
    }

    @Test
    void aRequestOfALaterEntryIsNotHeldForThat() {
        ReplicaRig rig = poisoned(true);
        sayIt(rig);
        deliver(rig, "c", Word.EXECUTED);
        deliver(
                rig,
                "c",
                Optional.of(new ExecutionReport(new Place(3, 0), Word.DIED, rig.position, MEMBERS, List.of())));
        rig.now += 1_000;
        rig.tick();
        assertEquals(List.of("take the state behind 2/0 of [c]"), rig.asked);
    }

    // ------------------------------------------------- what may have run before

    @Test
    void whatAnEarlierProcessRanCountsAsExecutedBeforeItRunsAgain() {
        ReplicaRig rig = poisoned(false);
        rig.replica.onNotes(notesOfAMemberThatRan(PLACE));
        deliver(rig, "b", Word.DIED);
        deliver(rig, "c", Word.DIED);
        rig.tick();
        assertEquals(List.of(), rig.asked, "it is not held, a client may have its reply");
        assertEquals(List.of(new ExecutionReport(PLACE, Word.EXECUTED, 4, MEMBERS, List.of())), said(rig));
        ReplicaRig before = poisoned(false);
        before.replica.onNotes(notesOfAMemberThatRan(new Place(1, Integer.MAX_VALUE)));
        deliver(before, "b", Word.DIED);
        deliver(before, "c", Word.DIED);
        before.tick();
        assertEquals(List.of("hold 2/0"), before.asked);
    }

    /** No replay executes it again, so its result is lost unless its outcome is ordered. */
    @Test
    void inStylePassiveWhatAnEarlierProcessRanIsNotExecutedHere() {
        ReplicaRig rig = ReplicaRig.passive("a");
        rig.replica.onLeader("b", rig.now);
        rig.deliverOf("b", 1, rig.request(1));
        rig.replica.onNotes(notesOfAMemberThatRan(PLACE));
        deliver(rig, "b", Word.DIED);
        rig.tick();
        assertEquals(List.of(new ExecutionReport(PLACE, Word.RAN, 3, MEMBERS, List.of())), said(rig));
    }

    @Test
    void whatRanEarlierAndEndedThisMemberSinceIsNeverSkippedAndRunsAgain() {
        ReplicaRig rig = poisoned(false);
        rig.replica.onNotes(notesOfTwoDeaths(notesOfAMemberThatRan(PLACE)));
        rig.tick();
        assertEquals(List.of(new ExecutionReport(PLACE, Word.RAN, 2, MEMBERS, List.of())), said(rig));
        rig.copy("x", rig.request(9));
        assertEquals("OVERLOADED", rig.answer("x"), "it holds");
        rig.deliverNext();
        deliver(rig, "b", Word.DIED);
        rig.now += 1_000;
        rig.tick();
        assertEquals(List.of("let go 2/0"), rig.asked, "nobody has a state from behind it");
        deliver(rig, "c", Word.EXECUTED);
        rig.now += 1_000;
        rig.tick();
        assertEquals("take the state behind 2/0 of [c]", rig.asked.get(1));
    }

    /** The state of this member ends before the first, so it is not on its way to the second. */
    @Test
    void whatRanEarlierBehindARequestThatIsHeldIsNotAboutToRun() {
        ReplicaRig rig = poisoned(true);
        Place later = new Place(2, 4);
        rig.replica.onNotes(notesOfAMemberThatRan(later));
        deliver(rig, "b", Optional.of(new ExecutionReport(later, Word.DIED, rig.position, MEMBERS, List.of())));
        rig.tick();
        assertTrue(
                said(rig).contains(new ExecutionReport(later, Word.RAN, 3, MEMBERS, List.of())), said(rig)::toString);
    }

    @Test
    void aMemberThatIsGoneMayHaveRunWhatWasOrderedWhileItWasOne() {
        ReplicaRig rig = poisoned(true);
        rig.replica.onMembers(List.of("a", "b"));
        sayIt(rig);
        deliver(rig, "b", Word.DIED);
        assertEquals(List.of(), rig.asked, "no verdict without the word of c");
        rig.now += 1_000;
        rig.tick();
        assertEquals(
                List.of(new ExecutionReport(PLACE, Word.RAN, 4, MEMBERS, List.of("c"))),
                said(rig),
                "c is silent for good");
        rig.deliverNext();
        assertEquals(List.of(), rig.asked);
        rig.now += 1_000;
        rig.tick();
        assertEquals(List.of("let go 2/0"), rig.asked);
    }

    @Test
    void aMemberThatWasGoneBeforeIsNotAsked() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onNotes(notesOfTwoDeaths(notesOfAMember()));
        rig.replica.onLeader("b", rig.now);
        rig.deliverStart(ReplicaRig.PARAMETERS);
        rig.replica.onMembers(List.of("a", "b"));
        rig.now += 1_000;
        rig.deliverOf("b", 1, rig.request(1));
        rig.tick();
        assertEquals(List.of(new ExecutionReport(PLACE, Word.DIED, 2, List.of("a", "b"), List.of())), said(rig));
    }

    @Test
    void theFirstEntryOfAProcessThatLacksItsNotesTellsWhereItTakesPart() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onNotes(notesAfterPowerLoss());
        assertTrue(rig.replica.isCaughtUp(), "what it executes is no news to the group");
        rig.replica.onLeader("b", rig.now);
        rig.deliverStart(ReplicaRig.PARAMETERS);
        rig.tick();
        assertEquals(List.of(), rig.asked);
        rig.deliverNext();
        assertEquals(List.of("takes part from 2"), rig.asked);
        deliver(rig, "a");
        assertEquals(1, rig.asked.size());
    }

    // ------------------------------------------------- until the verdict, and after it

    @Test
    void aMemberThatDiedOrHoldsTakesNoNewRequests() {
        ReplicaRig rig = poisoned(true);
        rig.copy("x", rig.request(9));
        assertEquals(List.of(Optional.of(Budget.ORDER)), budgets(rig, "x"));
        ReplicaRig holding = poisoned(false);
        holding.copy("x", holding.request(8));
        assertEquals("-", holding.answer("x"));
        holding.replica.onHeld(PLACE);
        holding.copy("y", holding.request(9));
        assertEquals("OVERLOADED", holding.answer("y"));
    }

    @Test
    void theVerdictFallsWithTheLastWordAndTheMemberGoesOn() {
        ReplicaRig rig = poisoned(true);
        sayIt(rig);
        deliver(rig, "b", Word.DIED);
        assertEquals(List.of(), rig.asked);
        deliver(rig, "c", Word.HELD);
        assertEquals(List.of("skip 2/0"), rig.asked);
        rig.copy("x", rig.request(9));
        assertEquals("-", rig.answer("x"), "it is taken");
        rig.now += 2_000;
        rig.submitted.clear();
        rig.tick();
        assertEquals(List.of(), said(rig), "nothing is left to say");
    }

    @Test
    void aRequestThatAMemberRanIsNotSkipped() {
        ReplicaRig rig = poisoned(true);
        sayIt(rig);
        deliver(rig, "b", Word.DIED);
        deliver(rig, "c", Word.EXECUTED);
        assertEquals(List.of(), rig.asked);
    }

    @Test
    void whatIsDecidedOrHasRunIsNotHeldAnyMore() {
        ReplicaRig executed = poisoned(false);
        executed.executeAll();
        executed.replica.onHeld(PLACE);
        executed.copy("x", executed.request(9));
        assertEquals("-", executed.answer("x"));
        ReplicaRig skipped = poisoned(true);
        sayIt(skipped);
        deliver(skipped, "b", Word.DIED);
        deliver(skipped, "c", Word.HELD);
        skipped.replica.onHeld(PLACE);
        skipped.copy("x", skipped.request(9));
        assertEquals("-", skipped.answer("x"));
    }

    @Test
    void aMemberWhoseLastDeathWasAnAccidentRunsItAndHoldsNothing() {
        ReplicaRig rig = poisoned(true);
        rig.executeAll();
        rig.copy("x", rig.request(9));
        assertEquals("-", rig.answer("x"));
    }

    @Test
    void aVerdictAndAWordLeaveTheirMarkInTheDigest() {
        ReplicaRig silent = poisoned(false);
        ReplicaRig died = poisoned(false);
        ReplicaRig held = poisoned(false);
        silent.executeAll();
        died.executeAll();
        held.executeAll();
        assertEquals(silent.replica.digest(), died.replica.digest());
        deliver(silent, "b");
        deliver(died, "b", Word.DIED);
        deliver(held, "b", Word.HELD);
        assertNotEquals(silent.replica.digest(), died.replica.digest());
        assertNotEquals(held.replica.digest(), died.replica.digest());
    }

    /** The state behind a snapshot has the verdict in it already. */
    @Test
    void ofWhatLiesBeforeASnapshotNothingIsSkipped() {
        ReplicaRig from = poisoned(false);
        deliver(from, "b", Word.DIED);
        from.executeAll();
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onLeader("a", rig.now);
        rig.replica.snapshots().install(from.replica.snapshots().take(), rig.now);
        rig.position = 3;
        rig.now = from.now;
        deliver(rig, "a", Word.DIED);
        deliver(rig, "c", Word.HELD);
        assertEquals(List.of(), rig.asked);
    }

    // ------------------------------------------------- a member that is new

    /** The group may have skipped further on what the member runs now, as if it were any request. */
    @Test
    void aNewMemberAnswersNothingBeforeAnEntryOfItsOwnWasOrdered() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onNotes(notes(1));
        rig.replica.onLeader("b", rig.now);
        rig.deliverStart(ReplicaRig.PARAMETERS);
        rig.now += 1_000;
        Request request = rig.request(1);
        rig.deliverOf("b", 1, request);
        rig.executeAll();
        rig.copy("x", request);
        assertEquals("-", rig.answer("x"));
        assertFalse(rig.replica.isCaughtUp());
        rig.submitted.clear();
        rig.tick();
        assertEquals(1, rig.submitted.size(), "an entry without content");
        rig.tick();
        assertEquals(1, rig.submitted.size(), "one at a time");
        rig.deliverNext();
        assertTrue(rig.replica.isCaughtUp());
        assertEquals("-", rig.answer("x"), "its own copy is still to be decided");
    }

    @Test
    void aNewMemberAsksForItsEntryAgainAfterTwoSeconds() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onNotes(notes(1));
        rig.replica.onLeader("b", rig.now);
        rig.deliverStart(ReplicaRig.PARAMETERS);
        rig.tick();
        rig.submitted.clear();
        rig.now += 1_999;
        rig.tick();
        assertEquals(0, rig.submitted.size());
        rig.now += 1;
        rig.tick();
        assertEquals(1, rig.submitted.size());
    }

    /** Another copy of it was ordered and executed meanwhile; the entry that shows where the member stands answers both. */
    @Test
    void aNewMemberAnswersWhatItExecutedMeanwhileOnceAnEntryOfItsOwnWasOrdered() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onNotes(notes(1));
        rig.replica.onLeader("b", rig.now);
        rig.deliverStart(ReplicaRig.PARAMETERS);
        rig.now += 1_000;
        rig.tick();
        assertEquals(1, rig.submitted.size(), "an entry without content");
        Request request = rig.request(1);
        rig.copy("x", request);
        rig.deliverOf("b", 1, request);
        rig.executeAll();
        assertEquals("-", rig.answer("x"));
        rig.deliverNext();
        assertEquals("reply to op1", rig.answer("x"));
    }

    /** Killed in between, its next process would not know that a client has the reply, and might promise not to run the request. */
    @Test
    void aNewMemberAnswersOnceItsNotesSayThatItTakesPart() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onNotes(notes(1));
        rig.replica.onLeader("b", rig.now);
        rig.deliverStart(ReplicaRig.PARAMETERS);
        rig.now += 1_000;
        Request request = rig.request(1);
        rig.deliverOf("b", 1, request);
        rig.executeAll();
        rig.submitted.clear();
        rig.copy("x", request);
        assertEquals("-", rig.answer("x"));
        rig.deliverNext();
        assertEquals("reply to op1", rig.answer("x"));
        assertEquals(List.of("takes part from 3"), rig.askedBefore.get("x"));
    }

    // ------------------------------------------------- the notes of earlier processes

    private ExecutionNotes notes(long boot) {
        return new ExecutionNotes(memory, () -> {}, boot);
    }

    private ExecutionNotes notesOfAMember() {
        ExecutionNotes notes = notes(1);
        notes.takesPart(1);
        return notes;
    }

    private ExecutionNotes notesOfAMemberThatRan(Place last) {
        memory.put(0, new byte[ExecutionNotes.BYTES]);
        ExecutionNotes notes = notesOfAMember();
        notes.begin(last);
        notes.ended(last);
        return notes(1);
    }

    private ExecutionNotes notesOfTwoDeaths(ExecutionNotes before) {
        before.begin(PLACE);
        notes(1).begin(PLACE);
        return notes(1);
    }

    private ExecutionNotes notesAfterPowerLoss() {
        notesOfAMember();
        return notes(2);
    }

    /** The member as in {@link #poisoned}, after it has read its notes. */
    private ReplicaRig withNotes(ExecutionNotes notes) {
        return started(replica -> replica.onNotes(notes));
    }

    private List<Word> wordsAfterTwoDeaths(ReplicaRig rig) {
        deliver(rig, "b", Word.DIED);
        deliver(rig, "c", Word.DIED);
        rig.tick();
        return said(rig).stream().map(ExecutionReport::word).toList();
    }

    @Test
    void aMemberWithoutNotesIsNew() {
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onNotes(notes(1));
        assertFalse(rig.replica.isCaughtUp());
        ReplicaRig returning = new ReplicaRig("a");
        returning.replica.onNotes(notesOfAMember());
        assertTrue(returning.replica.isCaughtUp());
    }

    /** It may run one of those that the group skipped, before it hears of the verdict. */
    @Test
    void aMemberWhoseNotesHadNoRoomForAVerdictAnswersLate() {
        ExecutionNotes before = notesOfAMember();
        for (int i = 1; i <= 201; i++) {
            before.skip(new Place(1_000 + i, 0));
        }
        ExecutionNotes notes = notes(1);
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onNotes(notes);
        assertFalse(rig.replica.isCaughtUp());
        notes.takesPart(2_000);
        ReplicaRig later = new ReplicaRig("a");
        later.replica.onNotes(notes);
        assertTrue(later.replica.isCaughtUp(), "its entry stands behind all verdicts");
    }

    /** The log is there from its beginning, and the snapshot is damaged: what it stood for may run before its verdict is heard. */
    @Test
    void aMemberThatLostTheSnapshotOnWhichItsPromisesRestAnswersLate() {
        ExecutionNotes before = notesOfAMember();
        before.hold(PLACE);
        before.restored(PLACE.position(), false);
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onNotes(notes(1));
        assertTrue(rig.replica.isCaughtUp(), "it may begin with the snapshot");
        rig.replica.onLeader("b", rig.now);
        rig.deliverStart(ReplicaRig.PARAMETERS);
        assertFalse(rig.replica.isCaughtUp());
        rig.now += 1_000;
        rig.tick();
        assertEquals(1, rig.submitted.size(), "an entry without content");
        rig.deliverNext();
        assertTrue(rig.replica.isCaughtUp(), "its entry stands behind all verdicts");
    }

    @Test
    void aMemberThatHasTheSnapshotOnWhichItsPromisesRestAnswersAtOnce() {
        ExecutionNotes before = notesOfAMember();
        before.hold(PLACE);
        before.restored(PLACE.position(), false);
        ReplicaRig donor = poisoned(false);
        donor.executeAll();
        ReplicaRig rig = new ReplicaRig("a");
        rig.replica.onNotes(notes(1));
        rig.replica.onLeader("b", rig.now);
        rig.replica.snapshots().install(donor.replica.snapshots().take(), rig.now);
        rig.position = PLACE.position();
        rig.now = donor.now;
        rig.deliverOf("b", 2, rig.request(2));
        assertTrue(rig.replica.isCaughtUp());
    }

    /** The member of the snapshot skipped it, and the one that takes the snapshot hears of no verdict. */
    @Test
    void aSnapshotTellsWhetherTheGroupMaySkipWhatItCovers() {
        ReplicaRig rig = poisoned(false);
        assertFalse(rig.replica.snapshots().maySkip());
        deliver(rig, "b", Word.DIED);
        assertTrue(rig.replica.snapshots().maySkip(), "undecided");
        deliver(rig, "c", Word.DIED);
        deliver(rig, "a", Word.HELD);
        assertEquals(List.of("skip 2/0"), rig.asked);
        assertTrue(rig.replica.snapshots().maySkip());
    }

    @Test
    void whatTheNotesSayRanIsReported() {
        ExecutionNotes notes = notesOfAMember();
        notes.begin(PLACE);
        notes.ended(PLACE);
        assertEquals(List.of(Word.EXECUTED), wordsAfterTwoDeaths(withNotes(notes(1))));
    }

    @Test
    void whatTheNotesHoldIsReported() {
        notesOfAMember().hold(PLACE);
        assertEquals(List.of(Word.HELD), wordsAfterTwoDeaths(withNotes(notes(1))));
    }

    @Test
    void deathsOfTheNotesAreReportedAndWhetherTheRequestRanBefore() {
        notesOfAMember().begin(PLACE);
        notes(1).begin(PLACE);
        ReplicaRig rig = withNotes(notes(1));
        rig.tick();
        assertEquals(
                List.of(Word.DIED),
                said(rig).stream().map(ExecutionReport::word).toList());
        ExecutionNotes ran = notes(1);
        ran.letGo(PLACE);
        ran.begin(PLACE);
        ran.ended(PLACE);
        notes(1).begin(PLACE);
        notes(1).begin(PLACE);
        ReplicaRig other = withNotes(notes(1));
        other.tick();
        assertEquals(
                List.of(Word.RAN),
                said(other).stream().map(ExecutionReport::word).toList());
    }

    /** The process that finds the second death dies in its replay of an earlier request, before its report is ordered. */
    @Test
    void aMemberThatDiedOfAnotherRequestBeforeItsReportStillReportsThatItDied() {
        notesOfTwoDeaths(notesOfAMember()).begin(new Place(1, 0));
        ReplicaRig rig = withNotes(notes(1));
        rig.tick();
        assertEquals(
                List.of(Word.DIED),
                said(rig).stream().map(ExecutionReport::word).toList());
    }

    @Test
    void aMemberAfterALossOfPowerLearnsWhereItTakesPartBeforeItReports() {
        notesOfAMember().hold(PLACE);
        ReplicaRig rig = withNotes(notes(2));
        assertTrue(rig.replica.isCaughtUp());
        rig.tick();
        assertEquals(List.of(), said(rig));
        rig.deliverNext();
        assertEquals(List.of("takes part from 3"), rig.asked);
    }

    // ------------------------------------------------- helpers

    /** A member of a group led by another, in which a request of b has just been ordered. */
    private ReplicaRig poisoned(boolean diedOfIt) {
        return started(replica -> {
            if (diedOfIt) {
                replica.onNotes(notesOfTwoDeaths(notesOfAMember()));
            }
        });
    }

    private static ReplicaRig started(Consumer<Replica> before) {
        ReplicaRig rig = new ReplicaRig("a");
        before.accept(rig.replica);
        rig.replica.onLeader("b", rig.now);
        rig.deliverStart(ReplicaRig.PARAMETERS);
        rig.now += 1_000;
        rig.deliverOf("b", 1, rig.request(1));
        rig.sent.clear();
        return rig;
    }

    /** Has its report ordered. */
    private static void sayIt(ReplicaRig rig) {
        rig.tick();
        rig.deliverNext();
    }

    private void deliver(ReplicaRig rig, String member, Word word) {
        deliver(rig, member, PLACE, word);
    }

    private void deliver(ReplicaRig rig, String member, Place place, Word word) {
        deliver(rig, member, Optional.of(new ExecutionReport(place, word, rig.position, MEMBERS, List.of())));
    }

    private void deliver(ReplicaRig rig, String member) {
        deliver(rig, member, Optional.empty());
    }

    private void deliver(ReplicaRig rig, String member, Optional<ExecutionReport> report) {
        rig.deliverOf(member, ++submissions, report);
    }

    private static List<ExecutionReport> said(ReplicaRig rig) {
        return rig.submitted.stream()
                .flatMap(each -> each.entry().report().stream())
                .toList();
    }

    private static List<Optional<Budget>> budgets(ReplicaRig rig, String copy) {
        return rig.answers.get(copy).stream().map(Answer::budget).toList();
    }
}
