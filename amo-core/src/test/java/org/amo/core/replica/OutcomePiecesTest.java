package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import java.util.OptionalLong;
import org.amo.core.replica.RunOutcome.Reply;
import org.junit.jupiter.api.Test;

/** How an outcome is split into those of several entries, and how its update is joined again. */
final class OutcomePiecesTest {
    private static final Place FIRST = new Place(300, 3);
    private static final long BASE = 7;
    private static final long PROCESS = 11;

    private static RunOutcome outcome(String reply, String update) {
        return new RunOutcome(
                FIRST, BASE, List.of(new Reply(ReplicaRig.bytes(reply), false)), ReplicaRig.bytes(update));
    }

    /** At most 10 bytes in an entry, and 4 in a piece. */
    private static List<RunOutcome> split(RunOutcome whole) {
        return OutcomePieces.split(whole, PROCESS, 10, 4);
    }

    private static List<Integer> updateBytes(List<RunOutcome> entries) {
        return entries.stream().map(each -> each.update().length).toList();
    }

    private static byte[] joined(List<RunOutcome> entries) {
        int last = entries.size() - 1;
        return OutcomePieces.join(
                entries.subList(0, last).stream().map(RunOutcome::update).toList(),
                entries.get(last).update());
    }

    /** Groups without larger outcomes stay compatible with the versions before. */
    @Test
    void anOutcomeThatOneEntryCarriesStaysAsItIs() {
        RunOutcome whole = outcome("ab", "12345678");
        assertEquals(List.of(whole), split(whole));
        assertEquals(OptionalLong.empty(), whole.before());
    }

    @Test
    void theLastEntryHasTheRepliesAndTheOthersPieces() {
        List<RunOutcome> entries = split(outcome("ab", "123456789"));
        assertEquals(List.of(4, 4, 1), updateBytes(entries));
        assertEquals(
                List.of(true, true, false),
                entries.stream().map(RunOutcome::isPiece).toList());
        assertEquals(1, entries.get(2).replies().size());
        entries.forEach(each -> assertEquals(FIRST, each.first()));
        entries.forEach(each -> assertEquals(BASE, each.base()));
        assertArrayEquals(ReplicaRig.bytes("123456789"), joined(entries));
    }

    @Test
    void repliesThatLeaveNoRoomForAPieceStandAlone() {
        assertEquals(List.of(4, 4, 0), updateBytes(split(outcome("ten bytes.", "12345678"))));
        assertEquals(List.of(4, 0), updateBytes(split(outcome("eleven byte", "1234"))));
        assertEquals(List.of(4, 1), updateBytes(split(outcome("nine byte", "12345"))));
    }

    @Test
    void longRepliesWithoutAnUpdateNeedOneEntry() {
        RunOutcome whole = outcome("eleven byte", "");
        assertEquals(List.of(whole), split(whole));
    }

    @Test
    void eachPieceNamesThoseBeforeIt() {
        List<RunOutcome> entries = split(outcome("ab", "123456789"));
        long before = OutcomePieces.beginning(FIRST, BASE, PROCESS);
        for (RunOutcome each : entries) {
            assertEquals(OptionalLong.of(before), each.before());
            before = OutcomePieces.behind(before, each.update());
        }
    }

    @Test
    void thePiecesOfEachProcessAndPlaceAreTheirOwn() {
        long one = OutcomePieces.beginning(FIRST, BASE, PROCESS);
        assertNotEquals(one, OutcomePieces.beginning(FIRST, BASE, PROCESS + 1));
        assertNotEquals(one, OutcomePieces.beginning(FIRST, BASE + 1, PROCESS));
        assertNotEquals(one, OutcomePieces.beginning(new Place(300, 4), BASE, PROCESS));
        assertNotEquals(one, OutcomePieces.beginning(new Place(301, 3), BASE, PROCESS));
    }

    @Test
    void eachPieceIsInTheHashOfTheOutcome() {
        List<RunOutcome> one = split(outcome("ab", "123456789"));
        List<RunOutcome> other = split(outcome("ab", "X23456789"));
        assertArrayEquals(one.get(2).update(), other.get(2).update());
        assertNotEquals(one.get(2).hash(), other.get(2).hash());
    }

    @Test
    void anUpdateInOnePieceIsNotCopied() {
        byte[] update = ReplicaRig.bytes("update");
        assertSame(update, OutcomePieces.join(List.of(), update));
    }
}
