package org.amo.core.replica;

import static org.amo.core.replica.ReplicaRig.C;
import static org.amo.core.replica.ReplicaRig.D;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.amo.core.replica.ReplicaRig.Submitted;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;

/** An entry says what a client has finished once, and nothing that the order knows already. */
final class AcknowledgementsInAnEntryTest {
    private final ReplicaRig rig = ReplicaRig.started("a", "b");

    /** One request is in flight, so that all that comes next waits for one entry. */
    private void keepBusy() {
        rig.copy("busy", rig.request(D, 1, "busy"));
    }

    private List<FinishedNumbers> carriedByTheNextEntry() {
        rig.deliverNext();
        rig.executeAll();
        return carried(rig.submitted.element());
    }

    private static List<FinishedNumbers> carried(Submitted submitted) {
        return submitted.entry().items().stream()
                .map(OrderedEntry.Item::finished)
                .toList();
    }

    @Test
    void theFullestSetOfAClientStandsWithItsFirstItem() {
        keepBusy();
        rig.copy("4", rig.request(4), FinishedNumbers.of(1));
        rig.copy("5", rig.request(5), FinishedNumbers.of(1, 3, 3));
        rig.replica.onFinished(C, FinishedNumbers.of(3), rig.now);
        assertEquals(List.of(FinishedNumbers.of(3), FinishedNumbers.NONE), carriedByTheNextEntry());
    }

    @Test
    void setsOfWhichNoneHoldsTheOtherBothTravel() {
        keepBusy();
        rig.copy("7", rig.request(7), FinishedNumbers.of(1, 3, 3));
        rig.copy("8", rig.request(8), FinishedNumbers.of(1, 5, 5));
        assertEquals(List.of(FinishedNumbers.of(1, 3, 3), FinishedNumbers.of(1, 5, 5)), carriedByTheNextEntry());
    }

    @Test
    void eachClientSpeaksForItselfAlone() {
        keepBusy();
        rig.copy("c", rig.request(C, 4, "c"), FinishedNumbers.of(2));
        rig.copy("d", rig.request(D, 4, "d"), FinishedNumbers.of(3));
        assertEquals(List.of(FinishedNumbers.of(2), FinishedNumbers.of(3)), carriedByTheNextEntry());
    }

    @Test
    void whatTheOrderKnowsIsNotSaidAgain() {
        rig.copy("9", rig.request(9), FinishedNumbers.of(1));
        rig.deliverNext();
        rig.executeAll();
        rig.copy("10", rig.request(10), FinishedNumbers.of(2, 4, 5));
        assertEquals(
                List.of(FinishedNumbers.of(2, 4, 5)), carried(rig.submitted.element()), "the floor rose, and a range");
        rig.deliverNext();
        rig.executeAll();
        rig.copy("11", rig.request(11), FinishedNumbers.of(2, 4, 5, 7, 7));
        assertEquals(List.of(FinishedNumbers.of(2, 7, 7)), carried(rig.submitted.element()), "only the new range");
        rig.deliverNext();
        rig.executeAll();
        rig.copy("12", rig.request(12), FinishedNumbers.of(2, 4, 5, 7, 7));
        assertEquals(List.of(FinishedNumbers.NONE), carried(rig.submitted.element()));
    }

    @Test
    void acknowledgementsWithoutNewsMakeNoItem() {
        rig.copy("9", rig.request(9), FinishedNumbers.of(1));
        rig.deliverNext();
        rig.executeAll();
        rig.replica.onFinished(C, FinishedNumbers.of(1), rig.now);
        rig.deliverNext();
        rig.replica.onFinished(C, FinishedNumbers.of(1), rig.now);
        assertEquals(List.of(), List.copyOf(rig.submitted));
    }

    @Test
    void whatTheFirstItemSpokeForIsNotLostWithItsEntry() {
        keepBusy();
        rig.copy("4", rig.request(4));
        rig.copy("5", rig.request(5), FinishedNumbers.of(3));
        rig.deliverNext();
        rig.executeAll();
        Submitted lost = rig.submitted.remove();
        assertEquals(List.of(FinishedNumbers.of(3), FinishedNumbers.NONE), carried(lost));
        // Another member's copy of the second is ordered meanwhile, so only the first goes again.
        rig.deliverOf("c", 7, rig.request(5));
        rig.executeAll();
        rig.replica.onRejected(lost.number(), rig.now);
        rig.now += 20;
        rig.tick();
        assertEquals(List.of(4L), rig.numbersSubmitted());
        assertEquals(List.of(FinishedNumbers.of(3)), carried(rig.submitted.element()));
    }
}
