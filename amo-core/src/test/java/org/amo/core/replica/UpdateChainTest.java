package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;

/** Which outcomes a group of style passive accepts. */
class UpdateChainTest {
    private final UpdateChain chain = new UpdateChain();

    static Execution execution(long position, int index) {
        Request request =
                new Request(RequestId.own(new ClientId(1, 1), 10 * position + index), 1, 2, 3, false, new byte[0]);
        return new Execution(position, index, 1, request);
    }

    static RunOutcome outcome(Place first, long base, String... replies) {
        return new RunOutcome(
                first,
                base,
                Arrays.stream(replies)
                        .map(reply -> new RunOutcome.Reply(ReplicaRig.bytes(reply), false))
                        .toList(),
                ReplicaRig.bytes("update"));
    }

    private Optional<Integer> accepted(RunOutcome outcome) {
        return chain.accept(outcome, place -> false).map(List::size);
    }

    @Test
    void theFirstOutcomeOfThePlacesWinsAndACopyOfItIsIgnored() {
        chain.decided(List.of(execution(5, 0), execution(5, 1)));
        RunOutcome first = outcome(new Place(5, 0), 0, "a", "b");
        RunOutcome second = outcome(new Place(5, 0), 0, "x", "y");
        assertEquals(Optional.of(2), accepted(first));
        assertEquals(Optional.empty(), accepted(second));
        assertEquals(Optional.empty(), accepted(first));
        assertEquals(first.hash(), chain.hash());
        assertFalse(chain.isOpen(new Place(5, 1)));
    }

    @Test
    void anOutcomeMustRestOnAllAcceptedOnes() {
        chain.decided(List.of(execution(5, 0), execution(6, 0)));
        RunOutcome lost = outcome(new Place(5, 0), 0, "a");
        RunOutcome next = outcome(new Place(6, 0), lost.hash(), "b");
        assertEquals(Optional.empty(), accepted(next), "place 5/0 has no outcome");
        assertEquals(Optional.of(1), accepted(outcome(new Place(5, 0), 0, "other")));
        assertEquals(Optional.empty(), accepted(next), "it rests on the lost one");
        assertEquals(Optional.of(1), accepted(outcome(new Place(6, 0), chain.hash(), "b")));
    }

    @Test
    void aRunStaysInOneEntryAndAmongDecidedPlaces() {
        chain.decided(List.of(execution(5, 0), execution(6, 0)));
        assertEquals(Optional.empty(), accepted(outcome(new Place(5, 0), 0, "a", "b")));
        assertEquals(Optional.empty(), accepted(outcome(new Place(5, 0), 0, "a", "b", "c")));
        assertTrue(chain.isOpen(new Place(5, 0)));
    }

    @Test
    void aRunOfMoreRequestsThanTheGroupHasDecidedIsIgnored() {
        chain.decided(List.of(execution(5, 0)));
        assertEquals(Optional.empty(), accepted(outcome(new Place(5, 0), 0, "a", "b")));
        assertTrue(chain.isOpen(new Place(5, 0)));
    }

    @Test
    void anOutcomeThatDoesNotKnowOfASkippedRequestIsIgnored() {
        chain.decided(List.of(execution(5, 0)));
        RunOutcome ran = outcome(new Place(5, 0), 0, "a");
        assertEquals(Optional.empty(), chain.accept(ran, place -> true));
        RunOutcome skipped =
                new RunOutcome(ran.first(), 0, List.of(new RunOutcome.Reply(new byte[0], true)), new byte[0]);
        assertEquals(Optional.empty(), chain.accept(skipped, place -> false));
        assertEquals(Optional.of(1), chain.accept(skipped, place -> true).map(List::size));
    }

    @Test
    void eachRequestOfARunIsSkippedForItself() {
        chain.decided(List.of(execution(5, 0), execution(5, 1)));
        RunOutcome second = new RunOutcome(
                new Place(5, 0),
                0,
                List.of(new RunOutcome.Reply(ReplicaRig.bytes("a"), false), new RunOutcome.Reply(new byte[0], true)),
                new byte[0]);
        assertEquals(Optional.empty(), chain.accept(second, place -> place.index() == 0));
        assertEquals(
                Optional.of(2),
                chain.accept(second, place -> place.index() == 1).map(List::size));
    }

    @Test
    void aRunBeginsAtTheFirstPlaceWithoutAnOutcome() {
        chain.decided(List.of(execution(5, 0), execution(5, 1)));
        assertEquals(Optional.empty(), accepted(outcome(new Place(5, 1), 0, "b")));
        List<Execution> executions =
                chain.accept(outcome(new Place(5, 0), 0, "a"), place -> false).orElseThrow();
        assertEquals(
                List.of(new Place(5, 0)),
                executions.stream().map(Execution::place).toList());
        assertEquals(Optional.of(1), accepted(outcome(new Place(5, 1), chain.hash(), "b")));
    }

    @Test
    void aPlaceIsOpenFromItsDecisionToItsOutcome() {
        assertFalse(chain.isOpen(new Place(5, 0)));
        chain.decided(List.of(execution(5, 0), execution(5, 1)));
        assertTrue(chain.isOpen(new Place(5, 0)));
        assertFalse(chain.isOpen(new Place(5, 2)));
        accepted(outcome(new Place(5, 0), 0, "a"));
        assertFalse(chain.isOpen(new Place(5, 0)));
        assertTrue(chain.isOpen(new Place(5, 1)));
    }

    @Test
    void openPlacesAreCountedFromTheFirst() {
        chain.decided(List.of(execution(5, 0), execution(6, 0)));
        assertEquals(Optional.of(new Place(5, 0)), chain.openPlace(0));
        assertEquals(Optional.of(new Place(6, 0)), chain.openPlace(1));
        assertEquals(Optional.empty(), chain.openPlace(2));
    }

    // ------------------------------------------------- outcomes in several entries

    private static final long A = 1;
    private static final long B = 2;

    /** Of place 5/0, by a process, in three entries. */
    static List<RunOutcome> inThree(long base, String update, long incarnation) {
        RunOutcome whole = new RunOutcome(
                new Place(5, 0),
                base,
                List.of(new RunOutcome.Reply(ReplicaRig.bytes("r"), false)),
                ReplicaRig.bytes(update));
        List<RunOutcome> entries = OutcomePieces.split(whole, incarnation, 4, 3);
        assertEquals(3, entries.size());
        return entries;
    }

    private boolean gathered(RunOutcome piece, long incarnation) {
        return chain.gather(piece, incarnation, true);
    }

    /** As the order delivers them. @return what is accepted in the end */
    private Optional<String> delivered(RunOutcome last) {
        return chain.accept(last, place -> false)
                .map(executions ->
                        new String(OutcomePieces.join(chain.takePieces(), last.update()), StandardCharsets.UTF_8));
    }

    @Test
    void anOutcomeInSeveralEntriesIsAcceptedWithTheLast() {
        chain.decided(List.of(execution(5, 0)));
        List<RunOutcome> entries = inThree(0, "abcdefg", A);
        assertTrue(gathered(entries.get(0), A));
        assertTrue(gathered(entries.get(1), A));
        assertTrue(chain.isOpen(new Place(5, 0)));
        assertEquals(6, chain.keptBytes());
        assertEquals(Optional.of("abcdefg"), delivered(entries.get(2)));
        assertEquals(entries.get(2).hash(), chain.hash());
        assertFalse(chain.isGathering());
        assertEquals(0, chain.keptBytes());
        assertEquals(List.of(), chain.takePieces());
    }

    @Test
    void theLastEntryIsIgnoredIfAPieceIsMissing() {
        chain.decided(List.of(execution(5, 0)));
        List<RunOutcome> entries = inThree(0, "abcdefg", A);
        assertEquals(Optional.empty(), delivered(entries.get(2)));
        assertTrue(gathered(entries.get(0), A));
        assertEquals(Optional.empty(), delivered(entries.get(2)));
        assertFalse(gathered(entries.get(2), A), "it does not follow");
        assertTrue(gathered(entries.get(1), A));
        assertFalse(gathered(entries.get(1), A), "a copy");
        assertEquals(Optional.of("abcdefg"), delivered(entries.get(2)));
    }

    @Test
    void thePiecesOfAPrimaryThatDiedNeverCountForAnother() {
        chain.decided(List.of(execution(5, 0)));
        List<RunOutcome> ofA = inThree(0, "abcdefg", A);
        List<RunOutcome> ofB = inThree(0, "abcXYZg", B);
        assertTrue(gathered(ofA.get(0), A));
        assertFalse(gathered(ofB.get(1), B), "its first one is missing");
        assertTrue(gathered(ofB.get(0), B));
        assertFalse(gathered(ofA.get(1), A), "dropped by the first one of B");
        assertTrue(gathered(ofB.get(1), B));
        assertEquals(Optional.empty(), delivered(ofA.get(2)));
        assertEquals(Optional.of("abcXYZg"), delivered(ofB.get(2)));
    }

    @Test
    void anotherOutcomeDropsThePieces() {
        chain.decided(List.of(execution(5, 0), execution(6, 0)));
        List<RunOutcome> entries = inThree(0, "abcdefg", A);
        assertTrue(gathered(entries.get(0), A));
        assertEquals(Optional.of("update"), delivered(outcome(new Place(5, 0), 0, "other")));
        assertFalse(chain.isGathering());
        assertFalse(gathered(entries.get(1), A));
        assertFalse(gathered(entries.get(0), A), "it does not rest on the accepted outcomes");
    }

    @Test
    void onlyPiecesOfTheNextPlaceAreGathered() {
        assertFalse(gathered(inThree(0, "abcdefg", A).get(0), A), "not decided");
        chain.decided(List.of(execution(4, 0), execution(5, 0)));
        assertFalse(gathered(inThree(0, "abcdefg", A).get(0), A), "not the next one");
        assertFalse(chain.isGathering());
    }

    /** It can never be accepted, so it drops no others. */
    @Test
    void aPieceThatRestsOnOtherOutcomesIsNotGathered() {
        chain.decided(List.of(execution(5, 0)));
        List<RunOutcome> entries = inThree(0, "abcdefg", A);
        assertTrue(gathered(entries.get(0), A));
        assertFalse(gathered(inThree(7, "abcdefg", B).get(0), B));
        assertTrue(gathered(entries.get(1), A));
    }

    @Test
    void theProcessThatCutThePiecesKeepsNone() {
        chain.decided(List.of(execution(5, 0)));
        List<RunOutcome> entries = inThree(0, "abcdefg", A);
        assertTrue(chain.gather(entries.get(0), A, false));
        assertTrue(chain.gather(entries.get(1), A, false));
        assertEquals(0, chain.keptBytes());
        assertEquals(Optional.of("g"), delivered(entries.get(2)));
    }

    @Test
    void piecesBeyondTheLimitAreDropped() {
        WireWriter writer = new WireWriter(64);
        writer.i64(1);
        writer.varint(ServantPort.MAX_UPDATE_BYTES - 1);
        OutcomeGather gather = new OutcomeGather();
        gather.read(new WireReader("gather", writer.toBytes()));
        assertTrue(gather.add(new byte[1]));
        assertFalse(gather.add(new byte[1]));
        assertFalse(gather.isOpen());
    }

    /** All members drop the same pieces. */
    @Test
    void theLimitCountsThePiecesBeforeASnapshotToo() {
        WireWriter writer = new WireWriter(64);
        writer.i64(1);
        writer.varint(ServantPort.MAX_UPDATE_BYTES - 1);
        OutcomeGather gather = new OutcomeGather();
        gather.read(new WireReader("gather", writer.toBytes()));
        OutcomeGather copy = new OutcomeGather();
        gather.copyTo(copy);
        WireWriter snapshot = new WireWriter(64);
        copy.write(snapshot);
        OutcomeGather restored = new OutcomeGather();
        restored.read(new WireReader("gather", snapshot.toBytes()));
        assertTrue(restored.add(new byte[1]));
        assertFalse(restored.add(new byte[1]));
    }

    /** The state of the snapshot is behind the update, so it needs no bytes, but the same decision. */
    @Test
    void aMemberRestoredBetweenThePiecesAcceptsTheOutcomeToo() {
        chain.decided(List.of(execution(5, 0)));
        List<RunOutcome> entries = inThree(0, "abcdefg", A);
        assertTrue(gathered(entries.get(0), A));
        WireWriter writer = new WireWriter(64);
        chain.copy().write(writer);
        UpdateChain restored = new UpdateChain();
        restored.restore(UpdateChain.read(new WireReader("chain", writer.toBytes()), true));
        for (UpdateChain each : List.of(chain, restored)) {
            assertTrue(each.gather(entries.get(1), A, true));
            assertTrue(each.accept(entries.get(2), place -> false).isPresent());
            assertEquals(entries.get(2).hash(), each.hash());
            assertFalse(each.isGathering());
        }
        assertEquals(2, chain.takePieces().size());
        assertEquals(0, restored.takePieces().size());
    }

    // ------------------------------------------------- snapshots

    @Test
    void aMemberThatExecutesByItselfIsNotAheadOfTheOrder() {
        assertFalse(chain.isAheadOfOrder());
        chain.decided(List.of(execution(5, 0)));
        assertFalse(chain.isAheadOfOrder());
        assertTrue(chain.copy().isAheadOfOrder());
    }

    @Test
    void aRestoredChainIsThatOfTheSnapshotAlone() {
        chain.decided(List.of(execution(5, 0), execution(9, 0)));
        UpdateChain snapshot = new UpdateChain();
        snapshot.decided(List.of(execution(7, 0), execution(8, 0)));
        assertTrue(snapshot.accept(outcome(new Place(7, 0), 0, "a"), place -> false)
                .isPresent());
        chain.restore(snapshot);
        assertEquals(Optional.of(new Place(8, 0)), chain.openPlace(0));
        assertEquals(Optional.empty(), chain.openPlace(1));
        assertEquals(snapshot.hash(), chain.hash());
    }

    @Test
    void theOpenPlacesOfASnapshotRise() {
        UpdateChain rising = readPlaces(new Place(5, 0), new Place(5, 1), new Place(6, 0));
        assertEquals(Optional.of(new Place(6, 0)), rising.openPlace(2));
        assertThrows(MalformedFrameException.class, () -> readPlaces(new Place(5, 1), new Place(5, 1)));
        assertThrows(MalformedFrameException.class, () -> readPlaces(new Place(5, 1), new Place(5, 0)));
    }

    private static UpdateChain readPlaces(Place... places) {
        WireWriter writer = new WireWriter(64);
        writer.i64(0);
        writer.varint(places.length);
        for (Place place : places) {
            writer.varint(place.position());
            writer.varint(place.index());
        }
        return UpdateChain.read(new WireReader("chain", writer.toBytes()), false);
    }

    /** It replays entries behind the snapshot, with outcomes of places before it. */
    @Test
    void aRestoredMemberAcceptsAndIgnoresTheSameOutcomes() {
        chain.decided(List.of(execution(5, 0)));
        WireWriter writer = new WireWriter(64);
        chain.copy().write(writer);
        UpdateChain restored = new UpdateChain();
        restored.restore(UpdateChain.read(new WireReader("chain", writer.toBytes()), false));
        assertTrue(restored.isAheadOfOrder());
        for (UpdateChain each : List.of(chain, restored)) {
            each.decided(List.of(execution(7, 0)));
            RunOutcome winner = outcome(new Place(5, 0), 0, "a");
            RunOutcome early = outcome(new Place(7, 0), winner.hash(), "too early");
            assertEquals(Optional.empty(), each.accept(early, place -> false));
            assertTrue(each.accept(winner, place -> false).isPresent());
            assertFalse(each.isAheadOfOrder());
            RunOutcome other = outcome(new Place(7, 0), winner.hash(), "in time");
            assertEquals(Optional.of(1), each.accept(other, place -> false).map(List::size));
            assertEquals(other.hash(), each.hash());
        }
    }
}
