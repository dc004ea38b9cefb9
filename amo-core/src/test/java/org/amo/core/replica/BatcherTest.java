package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;

/** How the queue of a member is cut into entries, and which content goes again. */
final class BatcherTest {
    private static final ClientId C = new ClientId(1, 1);
    private static final ClientId D = new ClientId(2, 2);
    private static final FinishedNumbers ONE = FinishedNumbers.of(1);
    private static final long NOW = 1_000;

    private final Batcher batcher = new Batcher();
    private long number;

    // ------------------------------------------------- the content of an entry

    /** An item without acknowledgements is taken for 56 bytes and its body. */
    @Test
    void anEntryTakesNoMoreRequestsOnceItHas64000Bytes() {
        add(63_944);
        add(1);
        assertEquals(List.of(1L), numbers(next().orElseThrow()));
        assertEquals(1, batcher.queued());
    }

    @Test
    void anEntryTakesOneMoreRequestWhileItHasLess() {
        add(63_943);
        add(1);
        assertEquals(List.of(1L, 2L), numbers(next().orElseThrow()));
    }

    @Test
    void acknowledgementsWaitForTheNextEntryWhenThisOneIsFull() {
        add(63_944);
        batcher.add(D, ONE);
        assertEquals(1, next().orElseThrow().items().size());
        assertEquals(1, batcher.acknowledgementsWaiting());
    }

    @Test
    void acknowledgementsRideInAnEntryThatHasRoom() {
        add(63_943);
        batcher.add(D, ONE);
        assertEquals(2, next().orElseThrow().items().size());
        assertEquals(0, batcher.acknowledgementsWaiting());
    }

    /** The first item of a client takes the fuller set; it is not counted twice for that, nor left out. */
    @Test
    void anItemThatGetsTheAcknowledgementsOfALaterOneIsCountedOnce() {
        add(30_000);
        add(10, ONE);
        add(34_000);
        add(1);
        assertEquals(List.of(1L, 2L, 3L), numbers(next().orElseThrow()));
    }

    // ------------------------------------------------- acknowledgements that wait

    @Test
    void aFullerSetReplacesThatOfItsOwnClientAlone() {
        batcher.add(C, ONE);
        batcher.add(D, FinishedNumbers.of(5));
        assertEquals(2, batcher.acknowledgementsWaiting());
        batcher.add(C, FinishedNumbers.of(3));
        assertEquals(2, batcher.acknowledgementsWaiting());
    }

    @Test
    void aSetThatHoldsNothingNewIsNotKeptBesideItsClientsOwn() {
        batcher.add(C, FinishedNumbers.of(3));
        batcher.add(C, ONE);
        batcher.add(D, FinishedNumbers.NONE);
        assertEquals(1, batcher.acknowledgementsWaiting());
        assertEquals(List.of(FinishedNumbers.of(3)), acknowledgedByNext());
    }

    /** A client with many ranges sends a part with each message, and no part is lost. */
    @Test
    void setsOfAClientThatHoldDifferentNumbersGoOneAfterAnother() {
        batcher.add(C, FinishedNumbers.of(1, 5, 6));
        batcher.add(C, FinishedNumbers.of(2, 9, 9));
        batcher.add(C, FinishedNumbers.of(2, 9, 9, 12, 12));
        assertEquals(2, batcher.acknowledgementsWaiting());
        assertEquals(List.of(FinishedNumbers.of(1, 5, 6), FinishedNumbers.of(2, 9, 9, 12, 12)), acknowledgedByNext());
    }

    /** While there is no leader they only come, and for clients that nobody has seen. */
    @Test
    void acknowledgementsThatWaitHaveABoundAndMakeRoomWhenTheyGo() {
        FinishedNumbers large = manyRanges();
        for (int i = 0; i < 1_000; i++) {
            batcher.add(new ClientId(3, i), large);
        }
        int most = batcher.acknowledgementsWaiting();
        assertTrue(most > 200 && most < 300, "some megabytes: " + most);
        batcher.add(new ClientId(3, 0), FinishedNumbers.of(90_000));
        batcher.add(D, ONE);
        assertEquals(most + 1, batcher.acknowledgementsWaiting(), "the fuller set is smaller");
        int gone = acknowledgedByNext().size();
        for (int i = 0; i < 1_000; i++) {
            batcher.add(new ClientId(4, i), large);
        }
        int again = batcher.acknowledgementsWaiting();
        assertTrue(gone > 1 && again >= most && again <= most + 2, gone + " gone, then there were " + again);
    }

    private static FinishedNumbers manyRanges() {
        long[] bounds = new long[2 * FinishedNumbers.MAX_RANGES];
        for (int i = 0; i < bounds.length; i++) {
            bounds[i] = 2L + 2L * (i / 2);
        }
        return FinishedNumbers.of(0, bounds);
    }

    private List<FinishedNumbers> acknowledgedByNext() {
        return next().orElseThrow().items().stream()
                .map(OrderedEntry.Item::finished)
                .toList();
    }

    // ------------------------------------------------- content that goes again

    /** Each goes to the front of the queue, so the oldest comes last and ends up first. */
    @Test
    void submissionsThatWereNotHeardOfComeBackTheNewestFirst() {
        batcher.empty(NOW);
        batcher.empty(NOW);
        batcher.empty(NOW);
        List<Long> overdue = batcher.giveUpOlderThan(NOW + 1).stream()
                .map(Submission::number)
                .toList();
        assertEquals(List.of(3L, 2L, 1L), overdue);
    }

    @Test
    void theAcknowledgementsOfAnAnsweredRequestStillGoAgain() {
        PendingRequest answered = add(10, ONE);
        Submission lost = next().orElseThrow();
        answered.close();
        batcher.requeue(lost);
        assertEquals(0, batcher.queued());
        assertEquals(1, batcher.acknowledgementsWaiting());
    }

    @Test
    void theAcknowledgementsOfARequestThatRunsStillGoAgain() {
        PendingRequest running = add(10, ONE);
        Submission lost = next().orElseThrow();
        running.accept();
        batcher.requeue(lost);
        assertEquals(0, batcher.queued());
        assertEquals(1, batcher.acknowledgementsWaiting());
    }

    @Test
    void fiftyKilobytesThatGoAgainDoNotWaitForTheEntryInFlightEither() {
        add(50_000);
        Submission first = next().orElseThrow();
        add(50_000);
        assertEquals(List.of(2L), numbers(next().orElseThrow()));
        batcher.requeue(first);
        assertEquals(List.of(1L), numbers(next().orElseThrow()));
    }

    @Test
    void afterASnapshotOpenContentGoesAgainAndItsSubmissionIsForgotten() {
        add(10);
        batcher.add(D, ONE);
        Submission jumpedOver = next().orElseThrow();
        assertEquals(2, jumpedOver.items().size());
        batcher.beginAgain();
        assertTrue(batcher.isIdle());
        assertEquals(Optional.empty(), batcher.find(jumpedOver.number()));
        assertEquals(1, batcher.queued());
        assertEquals(1, batcher.acknowledgementsWaiting());
    }

    @Test
    void afterASnapshotContentThatWentAgainBeforeGoesOnce() {
        add(10);
        Submission silent = next().orElseThrow();
        batcher.giveUpOlderThan(NOW + 1).forEach(batcher::requeue);
        assertTrue(silent.isGivenUp());
        assertEquals(List.of(1L), numbers(next().orElseThrow()));
        batcher.beginAgain();
        assertEquals(1, batcher.queued());
    }

    // ------------------------------------------------- waits for returning callers

    @Test
    void callersThatAllComeBackMakeTheNextWaitInVainCheapAgain() {
        assertEquals(List.of(true, false, true), List.of(waitsInVain(), waitsInVain(), waitsInVain()));
        assertEquals(List.of(false, false), List.of(waitsInVain(), waitsInVain()), "twice as many go at once");
        fourCallersComeBack();
        assertEquals(List.of(false, true), List.of(waitsInVain(), waitsInVain()), "the first since then");
    }

    /** Four callers are answered and one of them comes back. Returns whether it waits for the others. */
    private boolean waitsInVain() {
        fourCallersAreAnswered();
        add(1);
        Optional<Submission> next = next();
        boolean waits = next.isEmpty();
        if (waits) {
            assertTrue(batcher.isGathering(NOW));
            batcher.gathered();
            next = next();
        }
        answer(next.orElseThrow());
        return waits;
    }

    /** All that are expected come back; of these five, one does not return later on. */
    private void fourCallersComeBack() {
        fourCallersAreAnswered();
        add(1);
        assertEquals(Optional.empty(), next(), "it waits for the others");
        for (int i = 0; i < 4; i++) {
            add(1);
        }
        answer(next().orElseThrow());
    }

    private void fourCallersAreAnswered() {
        for (int i = 0; i < 4; i++) {
            add(1);
        }
        Optional<Submission> entry = next();
        if (entry.isEmpty()) {
            batcher.gathered();
            entry = next();
        }
        answer(entry.orElseThrow());
    }

    private static void answer(Submission submission) {
        submission.ordered();
        for (int i = 0; i < submission.items().size(); i++) {
            submission.request(i).ifPresent(PendingRequest::close);
        }
        assertTrue(submission.isDone());
    }

    // ------------------------------------------------- helpers

    private PendingRequest add(int bodyBytes) {
        return add(bodyBytes, FinishedNumbers.NONE);
    }

    private PendingRequest add(int bodyBytes, FinishedNumbers finished) {
        number++;
        Request request = new Request(RequestId.own(C, number), NOW, NOW + 1_000, 7, false, new byte[bodyBytes]);
        PendingRequest waiting = new PendingRequest(request, Principal.UNKNOWN, finished, Long.MAX_VALUE);
        batcher.add(waiting);
        return waiting;
    }

    private Optional<Submission> next() {
        return batcher.next(NOW, (client, finished) -> finished);
    }

    private static List<Long> numbers(Submission submission) {
        return submission.items().stream()
                .flatMap(item -> item.request().stream())
                .map(request -> request.id().number())
                .toList();
    }
}
