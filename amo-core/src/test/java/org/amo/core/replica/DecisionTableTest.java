package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.amo.base.ClientId;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.request.RequestId.Space;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The decision table and the rules of forgetting (design section 3), row by row, with the values at each edge. */
final class DecisionTableTest {
    private static final long RHO = 1_000;
    private static final long SKEW = 10;
    private static final long LIFE = 3_000;

    private static final ClientId C = new ClientId(1, 1);
    private static final ClientId D = new ClientId(2, 2);
    private static final ClientId FOREIGN = new ClientId(3, 3);

    /** First stamp of the group. */
    private static final long START = 1_000_000;

    /** The group's time in most tests: beyond the bound that the start has set, by more than the skew. */
    private static final long NOW = START + 100;

    private DecisionTable table = new DecisionTable();

    @BeforeEach
    void startTheGroup() {
        table = started(builder());
    }

    // ---------------------------------------------------------------- rows 1 and 2: live

    @Test
    void row1AnotherFingerprintUnderALiveIdIsIdReusedAndLeavesTheFirstAlone() {
        assertEquals(Decision.EXECUTE, decide(own(1)));
        assertEquals(Decision.ID_REUSED, decide(new Request(own(1).id(), NOW, NOW + 100, 99, false, body(8))));
        assertEquals(Decision.LIVE, decide(own(1)));
    }

    @Test
    void row1StandsBeforeEveryOtherRefusalOfALiveId() {
        decide(own(1));
        table.advance(NOW + 105);
        assertEquals(Decision.ID_REUSED, decide(new Request(own(1).id(), NOW, NOW + 100, 99, false, body(8))));
    }

    @Test
    void row2ACopyOfALiveNumberIsLiveBeforeAndAfterItsExecutionEnded() {
        decide(own(1));
        assertEquals(Decision.LIVE, decide(own(1)));
        assertEquals(Optional.empty(), table.reply(own(1).id()));
        table.complete(own(1), body(3));
        assertEquals(Decision.LIVE, decide(own(1)));
        assertArrayEquals(body(3), table.reply(own(1).id()).orElseThrow());
    }

    @Test
    void row2StandsBeforeRow4AReplyIsGivenEvenWhenUpperCoversItsTimestamp() {
        Request longCall = own(1, NOW, NOW + 2_500);
        decide(longCall);
        table.advance(NOW + RHO + 1);
        assertTrue(table.upperMillis() >= longCall.timestampMillis());
        assertEquals(Decision.LIVE, decide(longCall));
    }

    @Test
    void row2StandsBeforeRow5AReplyIsGivenUntilTheSkewHasPassedToo() {
        decide(own(1));
        table.advance(NOW + 100 + SKEW);
        assertEquals(Decision.LIVE, decide(own(1)));
    }

    // ---------------------------------------------------------------- row 3: resolved

    @Test
    void row3AnAcknowledgedNumberIsStaleWhateverItsFingerprint() {
        decide(own(1));
        finish(C, 1);
        assertEquals(Decision.STALE, decide(own(1)));
        assertEquals(Decision.STALE, decide(new Request(own(1).id(), NOW, NOW + 100, 99, false, body(8))));
    }

    @Test
    void row3StandsBeforeRow5AResolvedNumberIsNeverCalledExpired() {
        decide(own(1));
        finish(C, 1);
        table.advance(NOW + 101);
        assertEquals(Decision.STALE, decide(own(1)));
    }

    @Test
    void row3AnotherClientsNumberOfTheSameValueIsNotResolved() {
        decide(own(1));
        finish(C, 1);
        assertEquals(Decision.EXECUTE, decide(request(D, 1, NOW, NOW + 100)));
    }

    // ---------------------------------------------------------------- row 4: upper

    @Test
    void row4ATimestampAtUpperIsStaleAndOneAboveIsNot() {
        table.advance(NOW + 5_000);
        long upper = table.upperMillis();
        assertEquals(NOW + 5_000 - RHO, upper);
        assertEquals(Decision.STALE, decide(own(1, upper, upper + 4_000)));
        assertEquals(Decision.STALE, decide(own(1, upper - 1, upper + 4_000)));
        assertEquals(Decision.EXECUTE, decide(own(1, upper + 1, upper + 4_000)));
    }

    @Test
    void row4HoldsForAClientWithARecordToo() {
        decide(own(1));
        table.advance(NOW + RHO);
        assertEquals(NOW, table.upperMillis());
        assertEquals(Decision.EXECUTE, decide(own(2, NOW + RHO, NOW + RHO + 100)));
        assertEquals(Decision.STALE, decide(own(3, NOW, NOW + 5_000)), "a known client");
        assertEquals(Decision.STALE, decide(request(D, 3, NOW, NOW + 5_000)), "an unknown client");
    }

    /** D1: the record was forgotten and made anew; the old number is not in it, so only upper can refuse it. */
    @Test
    void aLateCopyIsRefusedAfterItsClientsRecordWasForgottenAndMadeAnew() {
        Request first = own(1, NOW, NOW + 2_500);
        decide(first);
        finish(C, 1);
        table.advance(NOW + RHO + 1);
        assertEquals(0, table.clients());
        assertEquals(Decision.EXECUTE, decide(own(2, NOW + RHO, NOW + RHO + 500)));
        assertEquals(Decision.STALE, decide(first));
    }

    /** D2. */
    @Test
    void row4StandsBeforeRow5WhatMayHaveRunAndBeenForgottenIsNeverCalledExpired() {
        Request first = own(1);
        decide(first);
        table.advance(NOW + 100 + SKEW + 1);
        table.advance(NOW + RHO + 1);
        assertEquals(0, table.clients());
        assertTrue(table.orderedTimeMillis() > first.deadlineMillis());
        assertEquals(Decision.STALE, decide(first));
    }

    // ---------------------------------------------------------------- row 5: deadline

    @Test
    void row5AtItsDeadlineARequestStillRunsAndOneMillisecondLaterItIsExpired() {
        table.advance(NOW + 100);
        assertEquals(Decision.EXECUTE, decide(own(1)));
        table.advance(NOW + 101);
        assertEquals(Decision.EXPIRED, decide(own(2)));
        assertEquals(Decision.EXPIRED, decide(request(D, 1, NOW, NOW + 100)));
    }

    /** D3: a mark would make a record, and with it the client known. */
    @Test
    void row5LeavesNoMarkAndMakesNoRecord() {
        table.advance(NOW + 101);
        assertLeavesNoTrace(Decision.EXPIRED, own(1));
        assertEquals(0, table.clients());
    }

    @Test
    void row5OnceExpiredAlwaysRefused() {
        table.advance(NOW + 101);
        assertEquals(Decision.EXPIRED, decide(own(1)));
        for (long later = NOW + 102; later < NOW + 3 * RHO; later += 97) {
            table.advance(later);
            assertTrue(decide(own(1)).refusal().isPresent());
        }
    }

    /** A range whose last number was resolved before still resolves the others. */
    @Test
    void aRangeIsResolvedWhenAllOfItIs() {
        for (long number = 1; number <= 5; number++) {
            decide(own(number));
        }
        finish(C, 5);
        assertEquals(FinishedNumbers.of(0, 3, 5), table.news(C, FinishedNumbers.of(0, 3, 5)), "3 and 4 are news");
        table.finished(C, FinishedNumbers.of(0, 3, 5));
        assertEquals(2, table.entries(), "1 and 2");
        assertEquals(Decision.STALE, decide(own(3)));
        assertEquals(Decision.STALE, decide(own(4)));
        assertEquals(FinishedNumbers.NONE, table.news(C, FinishedNumbers.of(0, 3, 5)));
    }

    /** In the entry that starts the group, too: a copy from before may have run under the state that was lost. */
    @Test
    void aForeignTimestampBelowTheBoundIsStaleFromTheFirstEntryOn() {
        table = new DecisionTable();
        table.start(START, builder().build());
        assertEquals(Decision.STALE, decide(foreign(1, START)));
        assertEquals(Optional.of(Decision.STALE), table.peek(foreign(1, START)));
        assertEquals(Decision.EXECUTE, decide(foreign(2, START + 1)));
    }

    // ---------------------------------------------------------------- row 6: skew

    @Test
    void row6ATimestampAheadByTheSkewRunsAndOneMillisecondMoreIsTooEarly() {
        assertEquals(Decision.EXECUTE, decide(own(1, NOW + SKEW, NOW + 100)));
        assertLeavesNoTrace(Decision.TOO_EARLY, own(2, NOW + SKEW + 1, NOW + 100));
    }

    @Test
    void row6IsNotForEverTheSameRequestRunsWhenTheGroupsTimeHasCaughtUp() {
        Request ahead = own(1, NOW + SKEW + 1, NOW + 100);
        assertEquals(Decision.TOO_EARLY, decide(ahead));
        table.advance(NOW + 1);
        assertEquals(Decision.EXECUTE, decide(ahead));
    }

    @Test
    void row6StandsBeforeRow7() {
        table = started(builder().maxClients(1));
        decide(own(1));
        assertEquals(Decision.TOO_EARLY, decide(request(D, 1, NOW + SKEW + 1, NOW + 100)));
    }

    // ---------------------------------------------------------------- row 7: budgets

    @Test
    void row7NoMoreClientsThanAllowedAndTheKnownOnesGoOn() {
        table = started(builder().maxClients(2));
        decide(request(C, 1, NOW, NOW + 100));
        decide(request(D, 1, NOW, NOW + 100));
        ClientId third = new ClientId(9, 9);
        assertLeavesNoTrace(Decision.NO_GROUP_CLIENTS, request(third, 1, NOW, NOW + 100));
        assertEquals(Decision.EXECUTE, decide(request(C, 2, NOW, NOW + 100)));
    }

    /** The shares of principals: with one client more to come and a share of 1, a principal may have just one. */
    @Test
    void row7AClientIsAcceptedWhereItsPrincipalMayHaveJustOneMore() {
        table = started(builder().maxClients(3).principalShare(1));
        assertEquals(Decision.EXECUTE, decide(own(1)), "three may come, one was none");
        assertEquals(Decision.EXECUTE, decide(request(D, 1, NOW, NOW + 100)), "two may come, and it has one");
        assertEquals(
                Decision.NO_PRINCIPAL_CLIENTS,
                decide(request(new ClientId(4, 4), 1, NOW, NOW + 100)),
                "one may come, and it has two");
    }

    @Test
    void row7OwnAndForeignClientsAreCountedTogether() {
        table = started(builder().maxClients(1));
        decide(foreign(7, NOW + 100));
        assertLeavesNoTrace(Decision.NO_GROUP_CLIENTS, own(1));
        table = started(builder().maxClients(1));
        decide(own(1));
        assertLeavesNoTrace(Decision.NO_GROUP_CLIENTS, foreign(7, NOW + 100));
    }

    @Test
    void row7NoMoreLiveEntriesOfOneClientThanAllowed() {
        table = started(builder().maxEntriesPerClient(2));
        decide(own(1));
        decide(own(2));
        assertLeavesNoTrace(Decision.NO_CLIENT_ENTRIES, own(3));
        assertEquals(Decision.EXECUTE, decide(request(D, 1, NOW, NOW + 100)), "another client has its own");
        finish(C, 1);
        assertEquals(Decision.EXECUTE, decide(own(3)));
    }

    @Test
    void row7BytesAreTheRequestsAndAFixedAllowanceForEachReply() {
        // Body 8 and allowance 92: 100 bytes an entry.
        table = started(builder().budgetBytes(300).replyAllowanceBytes(92));
        decide(own(1));
        decide(own(2));
        assertEquals(Decision.EXECUTE, decide(own(3)), "exactly full");
        assertLeavesNoTrace(Decision.NO_GROUP_BYTES, own(4));
        assertLeavesNoTrace(Decision.NO_GROUP_BYTES, request(D, 1, NOW, NOW + 100));
        assertEquals(Decision.LIVE, decide(own(1)), "a copy needs no room");
        finish(C, 1);
        assertEquals(Decision.EXECUTE, decide(own(4)));
    }

    @Test
    void row7OneByteOverTheBudgetIsRefused() {
        table = started(builder().budgetBytes(99).replyAllowanceBytes(92));
        assertEquals(Decision.NO_GROUP_BYTES, decide(own(1)));
        table = started(builder().budgetBytes(100).replyAllowanceBytes(92));
        assertEquals(Decision.EXECUTE, decide(own(1)));
    }

    @Test
    void row7ExpiryGivesItsBytesBack() {
        table = started(builder().budgetBytes(100).replyAllowanceBytes(92));
        decide(own(1));
        table.advance(NOW + 100 + SKEW + 1);
        assertEquals(Decision.EXECUTE, decide(own(2, NOW + 111, NOW + 200)));
    }

    @Test
    void row7TheRealSizeOfAReplyIsNeverAsked() {
        table = started(builder().budgetBytes(200).replyAllowanceBytes(92));
        decide(own(1));
        table.complete(own(1), body(100_000));
        assertEquals(Decision.EXECUTE, decide(own(2)));
    }

    @Test
    void row7NoMoreResolvedRangesOfOneClientThanAllowed() {
        table = started(builder().maxRangesPerClient(1));
        decide(own(1));
        decide(own(3));
        finish(C, 3);
        assertEquals(1, table.maxRanges());
        assertLeavesNoTrace(Decision.NO_CLIENT_RANGES, own(5));
        finish(C, 1);
        assertEquals(1, table.maxRanges(), "1 joined the floor, 3 is still apart");
        table.finished(C, FinishedNumbers.of(3));
        assertEquals(0, table.maxRanges());
        assertEquals(Decision.EXECUTE, decide(own(5)));
    }

    @Test
    void row7ForeignBytesAreABudgetApart() {
        table = started(builder().budgetBytes(100).foreignBudgetBytes(200).replyAllowanceBytes(92));
        assertEquals(Decision.EXECUTE, decide(foreign(1, NOW + 100)));
        assertEquals(Decision.EXECUTE, decide(foreign(2, NOW + 100)));
        assertLeavesNoTrace(Decision.NO_GROUP_BYTES, foreign(3, NOW + 100));
        assertEquals(Decision.EXECUTE, decide(own(1)), "own clients do not starve");
        assertLeavesNoTrace(Decision.NO_GROUP_BYTES, own(2));
        table.advance(NOW + 100 + SKEW + 1);
        assertEquals(Decision.EXECUTE, decide(foreign(3, NOW + 200)), "foreign bytes come back by expiry");
    }

    /** It has an entry that lives until its expiration, so it takes room like any other. */
    @Test
    void row7AForeignOnewayTakesOfTheForeignBudget() {
        table = started(builder().foreignBudgetBytes(200).replyAllowanceBytes(92));
        assertEquals(Decision.EXECUTE, decide(foreignOneway(1)));
        assertEquals(Decision.EXECUTE, decide(foreignOneway(2)));
        assertEquals(Decision.NO_GROUP_BYTES, decide(foreignOneway(3)));
    }

    @Test
    void row7ForeignCallsASecondAreCountedToo() {
        table = started(builder().clientCallsPerSecond(1));
        assertEquals(Decision.EXECUTE, decide(foreign(1, NOW + 2_000)));
        assertEquals(Decision.NO_CLIENT_RATE, decide(foreign(2, NOW + 2_000)));
        table.advance(NOW + 1_000);
        assertEquals(Decision.EXECUTE, decide(foreign(2, NOW + 2_000)));
    }

    @Test
    void row7IsNotForEver() {
        table = started(builder().maxEntriesPerClient(1));
        decide(own(1));
        assertEquals(Decision.NO_CLIENT_ENTRIES, decide(own(2)));
        finish(C, 1);
        assertEquals(Decision.EXECUTE, decide(own(2)));
    }

    // ---------------------------------------------------------------- row 8 and oneways

    @Test
    void row8OtherwiseItRuns() {
        assertEquals(Decision.EXECUTE, decide(own(1)));
        assertEquals(1, table.entries());
        assertEquals(1, table.clients());
    }

    @Test
    void aOnewayIsResolvedAtOnceAndKeepsNoEntry() {
        Request oneway = new Request(RequestId.own(C, 1), NOW, NOW + 100, 7, true, body(8));
        assertEquals(Decision.EXECUTE, decide(oneway));
        assertEquals(0, table.entries());
        assertEquals(Decision.STALE, decide(oneway));
        table.complete(oneway, body(5));
        assertEquals(0, table.replyBytes());
    }

    @Test
    void onewaysTakeNothingOfTheByteBudget() {
        table = started(builder().budgetBytes(1));
        for (int number = 1; number <= 50; number++) {
            assertEquals(
                    Decision.EXECUTE, decide(new Request(RequestId.own(C, number), NOW, NOW + 100, 7, true, body(8))));
        }
        assertEquals(0, table.maxRanges(), "50 numbers in a row are one floor");
    }

    /** The room of a range, 32 bytes. */
    @Test
    void aOnewayOutOfOrderNeedsRoomForARange() {
        table = started(builder().budgetBytes(31));
        assertEquals(Decision.NO_GROUP_BYTES, decide(oneway(5)));
        assertEquals(Decision.EXECUTE, decide(oneway(1)), "it joins the floor");
        table = started(builder().budgetBytes(32));
        assertEquals(Decision.EXECUTE, decide(oneway(5)));
    }

    @Test
    void aOnewayOutOfOrderIsARangeThatUpperForgets() {
        Request oneway = new Request(RequestId.own(C, 5), NOW, NOW + 5_000, 7, true, body(8));
        decide(oneway);
        assertEquals(1, table.maxRanges());
        assertEquals(1, table.resolvedRanges());
        table.advance(NOW + RHO + 1);
        assertEquals(0, table.clients());
        assertEquals(0, table.resolvedRanges());
        assertEquals(Decision.STALE, decide(oneway));
    }

    // ---------------------------------------------------------------- finished numbers

    @Test
    void aFinishedNumberFreesTheReplyAndKeepsTheId() {
        decide(own(1));
        table.complete(own(1), body(1_000));
        assertEquals(1_000, table.replyBytes());
        finish(C, 1);
        assertEquals(0, table.replyBytes());
        assertEquals(0, table.entries());
        assertEquals(Optional.empty(), table.reply(own(1).id()));
        assertEquals(Decision.STALE, decide(own(1)));
    }

    /** T-F5: normal on slow replicas. */
    @Test
    void aFinishedNumberIsResolvedEvenWhileItExecutesHereAndItsReplyIsThenNotKept() {
        decide(own(1));
        finish(C, 1);
        assertEquals(Decision.STALE, decide(own(1)));
        table.complete(own(1), body(1_000));
        assertEquals(0, table.replyBytes());
        assertEquals(Decision.STALE, decide(own(1)));
    }

    /** D7. */
    @Test
    void aNumberNeverSeenBecomesResolvedWhenItsClientFinishesIt() {
        decide(own(1));
        finish(C, 2);
        assertEquals(Decision.STALE, decide(own(2)));
        table.finished(C, FinishedNumbers.of(7));
        for (long number = 1; number <= 7; number++) {
            assertEquals(Decision.STALE, decide(own(number)));
        }
        assertEquals(Decision.EXECUTE, decide(own(8)));
    }

    @Test
    void finishedNumbersOfAClientWithoutARecordAreIgnored() {
        byte[] before = snapshot(table);
        table.finished(C, FinishedNumbers.of(3, 5, 9));
        assertArrayEquals(before, snapshot(table));
        assertEquals(Decision.EXECUTE, decide(own(2)));
    }

    @Test
    void finishedNumbersChangeOnlyTheirOwnClientsRecord() {
        decide(own(1));
        decide(request(D, 1, NOW, NOW + 100));
        finish(C, 1);
        assertEquals(Decision.LIVE, decide(request(D, 1, NOW, NOW + 100)));
    }

    @Test
    void aFinishedRangeResolvesExactlyItsNumbers() {
        decide(own(10));
        table.finished(C, FinishedNumbers.of(2, 5, 7));
        for (long number = 1; number <= 9; number++) {
            boolean finished = number <= 2 || (number >= 5 && number <= 7);
            assertEquals(finished ? Optional.of(Decision.STALE) : Optional.empty(), table.peek(own(number)));
        }
    }

    @Test
    void theSameFinishedNumbersAgainChangeNothing() {
        decide(own(1));
        decide(own(4));
        table.finished(C, FinishedNumbers.of(1, 3, 3));
        byte[] once = snapshot(table);
        table.finished(C, FinishedNumbers.of(1, 3, 3));
        table.finished(C, FinishedNumbers.of(0, 3, 3));
        assertArrayEquals(once, snapshot(table));
    }

    @Test
    void aHostileSetOfRangesDoesNotGrowARecordBeyondItsLimit() {
        table = started(builder().maxRangesPerClient(3));
        decide(own(1));
        table.finished(C, FinishedNumbers.of(0, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11));
        assertEquals(3, table.maxRanges());
    }

    /** D8: what joins a range that is there already takes no more room. */
    @Test
    void aClientAtItsRangeLimitCanStillFinishNumbersBesideItsRanges() {
        table = started(builder().maxRangesPerClient(1));
        decide(own(1));
        decide(own(5));
        decide(own(6));
        decide(own(4));
        finish(C, 5);
        assertEquals(3, table.entries());
        table.finished(C, FinishedNumbers.of(0, 5, 6));
        assertEquals(2, table.entries(), "6 follows 5");
        table.finished(C, FinishedNumbers.of(0, 4, 4));
        assertEquals(1, table.entries(), "4 stands before 5");
        assertEquals(1, table.maxRanges());
    }

    // ---------------------------------------------------------------- forgetting: live entries

    @Test
    void aLiveEntryIsResolvedWhenOrderedTimeIsPastDeadlineAndSkewAndNotBefore() {
        decide(own(1));
        table.complete(own(1), body(3));
        table.advance(NOW + 100 + SKEW);
        assertEquals(1, table.entries());
        assertEquals(Decision.LIVE, decide(own(1)));
        table.advance(NOW + 100 + SKEW + 1);
        assertEquals(0, table.entries());
        assertEquals(0, table.replyBytes());
        assertEquals(Decision.STALE, decide(own(1)), "not EXPIRED: it ran");
    }

    @Test
    void aLiveEntryIsKeptForLAtMostHoweverLateItsDeadline() {
        Request patient = own(1, NOW, NOW + 100 * LIFE);
        decide(patient);
        table.advance(NOW + LIFE);
        assertEquals(1, table.entries());
        assertEquals(Decision.LIVE, decide(patient));
        table.advance(NOW + LIFE + 1);
        assertEquals(0, table.entries());
        assertEquals(Decision.STALE, decide(patient));
    }

    @Test
    void anEntryExpiresWhetherItsExecutionEndedOrNot() {
        decide(own(1));
        table.advance(NOW + 100 + SKEW + 1);
        assertEquals(0, table.entries());
        table.complete(own(1), body(50));
        assertEquals(0, table.replyBytes());
        assertEquals(Decision.STALE, decide(own(1)));
    }

    @Test
    void oneEntryExpiresAndAnotherOfItsClientStays() {
        decide(own(1));
        decide(own(2, NOW, NOW + 500));
        table.advance(NOW + 100 + SKEW + 1);
        assertEquals(Decision.STALE, decide(own(1)));
        assertEquals(Decision.LIVE, decide(own(2, NOW, NOW + 500)));
    }

    // ---------------------------------------------------------------- forgetting: ranges

    @Test
    void aRangeGoesWhenUpperReachesItsTimestampAndNotBefore() {
        Request gap = own(1, NOW, NOW + 2_500);
        Request second = own(2, NOW + 7, NOW + 2_500);
        decide(gap);
        decide(second);
        finish(C, 2);
        assertEquals(1, table.maxRanges(), "number 2 beside the live number 1");
        table.advance(NOW + 7 + RHO - 1);
        table.finished(C, FinishedNumbers.of(0, 2, 2));
        assertEquals(1, table.maxRanges());
        assertEquals(Decision.STALE, decide(second));
        table.advance(NOW + 7 + RHO);
        table.finished(C, FinishedNumbers.of(0, 2, 2));
        assertEquals(0, table.maxRanges());
        assertEquals(Decision.STALE, decide(second), "upper refuses what the range no longer does");
    }

    @Test
    void aNumberNeverSeenIsKeptUntilUpperReachesTheTimeOfItsMarkingAndTheSkew() {
        decide(own(1, NOW, NOW + 2_500));
        finish(C, 3);
        table.advance(NOW + SKEW + RHO - 1);
        table.finished(C, FinishedNumbers.of(0, 3, 3));
        assertEquals(1, table.maxRanges());
        Request latest = own(3, NOW + SKEW, NOW + 5_000);
        assertEquals(Decision.STALE, decide(latest), "upper does not refuse it yet, the range does");
        assertTrue(latest.timestampMillis() > table.upperMillis());
        table.advance(NOW + SKEW + RHO);
        table.finished(C, FinishedNumbers.of(0, 3, 3));
        assertEquals(0, table.maxRanges());
        assertEquals(Decision.STALE, decide(latest));
    }

    @Test
    void aJoinedRangeIsKeptForItsLatestTimestamp() {
        decide(own(1, NOW, NOW + 2_500));
        decide(own(3, NOW, NOW + 2_500));
        decide(own(4, NOW + SKEW, NOW + 2_500));
        finish(C, 3);
        finish(C, 4);
        assertEquals(1, table.maxRanges());
        table.advance(NOW + RHO);
        table.finished(C, FinishedNumbers.of(0, 3, 4));
        assertEquals(1, table.maxRanges());
        assertEquals(Decision.STALE, decide(own(4, NOW + SKEW, NOW + 2_500)));
    }

    // ---------------------------------------------------------------- forgetting: records

    @Test
    void aRecordGoesWhenNothingWasHeardForRhoAndNotBefore() {
        decide(own(1));
        finish(C, 1);
        table.advance(NOW + RHO);
        assertEquals(1, table.clients());
        table.advance(NOW + RHO + 1);
        assertEquals(0, table.clients());
        assertEquals(Decision.STALE, decide(own(1, NOW, NOW + 5_000)));
    }

    @Test
    void aRecordStaysUntilUpperReachesItsHighestTimestamp() {
        decide(own(1, NOW + SKEW, NOW + 100));
        finish(C, 1);
        table.advance(NOW + SKEW + RHO - 1);
        assertEquals(1, table.clients());
        assertEquals(Decision.STALE, decide(own(1, NOW + SKEW, NOW + 5_000)), "by the record");
        table.advance(NOW + SKEW + RHO);
        assertEquals(0, table.clients());
        assertEquals(Decision.STALE, decide(own(1, NOW + SKEW, NOW + 5_000)), "by upper");
    }

    @Test
    void anAcknowledgementIsHeardToo() {
        decide(own(1));
        table.advance(NOW + 50);
        finish(C, 1);
        table.advance(NOW + 50 + RHO);
        assertEquals(1, table.clients());
        table.advance(NOW + 50 + RHO + 1);
        assertEquals(0, table.clients());
    }

    @Test
    void anAcceptedRequestIsHeardToo() {
        decide(own(1));
        table.advance(NOW + 200);
        decide(own(2, NOW + 1, NOW + 250));
        table.advance(NOW + 200 + RHO);
        assertEquals(1, table.clients());
        table.advance(NOW + 200 + RHO + 1);
        assertEquals(0, table.clients());
    }

    @Test
    void aRecordStaysUntilUpperReachesWhatANumberNeverSeenMayCarry() {
        decide(own(1));
        table.finished(C, FinishedNumbers.of(7));
        Request latest = own(7, NOW + SKEW, NOW + 5_000);
        table.advance(NOW + SKEW + RHO - 1);
        assertEquals(1, table.clients());
        assertEquals(Decision.STALE, decide(latest), "by the record");
        table.advance(NOW + SKEW + RHO);
        assertEquals(0, table.clients());
        assertEquals(Decision.STALE, decide(latest), "by upper");
    }

    @Test
    void aRecordWithALiveEntryStaysWhenAnotherOfItsEntriesExpires() {
        decide(own(1, NOW, NOW + 1_500));
        decide(own(2, NOW, NOW + 2_500));
        table.advance(NOW + 1_500 + SKEW + 1);
        assertEquals(1, table.clients());
        assertEquals(Decision.LIVE, decide(own(2, NOW, NOW + 2_500)));
    }

    @Test
    void aRecordWithALiveEntryStays() {
        decide(own(1, NOW, NOW + 2_500));
        table.advance(NOW + 2 * RHO);
        assertEquals(1, table.clients());
        assertEquals(Decision.LIVE, decide(own(1, NOW, NOW + 2_500)));
    }

    @Test
    void afterAllIsForgottenNothingCanExpireAndNoTickIsNeeded() {
        assertEquals(Long.MAX_VALUE, table.nextWakeMillis());
        decide(own(1));
        decide(foreign(7, NOW + 300));
        for (long at = table.nextWakeMillis(); at != Long.MAX_VALUE; at = table.nextWakeMillis()) {
            assertTrue(at > table.orderedTimeMillis(), "a tick at " + at + " would change nothing");
            table.advance(at);
        }
        assertEquals(0, table.clients());
        assertEquals(0, table.entries());
    }

    @Test
    void theNextWakeIsExactlyWhenTheEarliestEntryExpires() {
        decide(own(1, NOW, NOW + 300));
        decide(request(D, 1, NOW, NOW + 200));
        assertEquals(NOW + 200 + SKEW + 1, table.nextWakeMillis());
    }

    // ---------------------------------------------------------------- time and start

    @Test
    void orderedTimeAndUpperNeverFall() {
        table.advance(NOW + 5_000);
        table.advance(NOW);
        assertEquals(NOW + 5_000, table.orderedTimeMillis());
        assertEquals(NOW + 5_000 - RHO, table.upperMillis());
    }

    @Test
    void anEntryRaisesTheBoundsBeforeItsItemsAreJudged() {
        Request first = own(1, NOW, NOW + 5_000);
        table.advance(NOW + RHO);
        assertEquals(Decision.STALE, decide(first));
    }

    /** D14. */
    @Test
    void aGroupThatStartsRefusesWhatAnEarlierLifeMayHaveRun() {
        table = new DecisionTable();
        assertTrue(table.start(START, builder().build()));
        assertEquals(START + SKEW, table.upperMillis());
        assertEquals(Decision.STALE, decide(own(1, START + SKEW, START + 500)));
    }

    /** Client rule 6 and plain calls stamp upper + 1, "which always fits". */
    @Test
    void theFirstTimestampAboveTheStartsBoundIsAcceptedAtOnce() {
        table = new DecisionTable();
        table.start(START, builder().build());
        assertEquals(Decision.EXECUTE, decide(own(1, table.upperMillis() + 1, START + 500)));
    }

    @Test
    void aSecondStartChangesNothing() {
        decide(own(1));
        assertFalse(table.start(NOW + 10, GroupParameters.defaults()));
        assertEquals(NOW, table.orderedTimeMillis());
        assertEquals(RHO, table.parameters().retentionMillis());
        assertEquals(START + SKEW, table.upperMillis());
        assertEquals(Decision.LIVE, decide(own(1)));
    }

    @Test
    void beforeTheStartNothingIsDecided() {
        DecisionTable fresh = new DecisionTable();
        assertFalse(fresh.started());
        assertEquals(Optional.empty(), fresh.peek(own(1)));
        assertEquals(Answer.NO_BOUND, fresh.upperMillis());
        assertThrows(IllegalStateException.class, fresh::parameters);
    }

    // ---------------------------------------------------------------- foreign clients

    @Test
    void foreignIdsMayBeSparseAndComeInAnyOrder() {
        for (long id : new long[] {900, 5, 0xFFFF_FFFFL, 0, 17}) {
            assertEquals(Decision.EXECUTE, decide(foreign(id, NOW + 100)));
            assertEquals(Decision.LIVE, decide(foreign(id, NOW + 100)));
        }
        assertEquals(5, table.entries());
    }

    @Test
    void foreignIdsWrapAndAreUsedAgainOnceTheFirstUseIsForgotten() {
        Request before = foreign(3, NOW + 100);
        decide(before);
        table.advance(NOW + 100 + SKEW + 1);
        Request after = foreign(3, NOW + 400);
        assertEquals(Decision.EXECUTE, decide(after), "no floor, no mark");
        assertEquals(Decision.LIVE, decide(after));
    }

    @Test
    void aForeignEntryIsForgottenPastItsExpirationAndSkewAndThenUpperRefusesIt() {
        Request call = foreign(3, NOW + 100);
        decide(call);
        table.advance(NOW + 100 + SKEW);
        assertEquals(Decision.LIVE, decide(call));
        assertEquals(1, table.entries());
        table.advance(NOW + 100 + SKEW + 1);
        assertEquals(0, table.entries());
        assertEquals(0, table.clients());
        assertEquals(Decision.STALE, decide(call));
    }

    @Test
    void aForeignEntryStaysWhenAnotherOfItsClientExpiresAMillisecondEarlier() {
        decide(foreign(1, NOW + 100));
        decide(foreign(2, NOW + 101));
        table.advance(NOW + 100 + SKEW + 1);
        assertEquals(1, table.entries());
        assertEquals(Decision.LIVE, decide(foreign(2, NOW + 101)));
    }

    @Test
    void aForeignEntryAtTheLongestExpirationIsRefusedByUpperAsSoonAsItIsForgotten() {
        Request call = foreign(3, NOW + LIFE);
        assertEquals(Decision.EXECUTE, decide(call));
        table.advance(NOW + LIFE);
        assertEquals(Decision.LIVE, decide(call));
        table.advance(NOW + LIFE + 1);
        assertEquals(0, table.entries());
        assertEquals(Decision.STALE, decide(call));
    }

    @Test
    void aForeignRequestIsRefusedFromItsExpirationOn() {
        table.advance(NOW + 99);
        assertEquals(Decision.EXECUTE, decide(foreign(1, NOW + 100)));
        table.advance(NOW + 100);
        assertEquals(Decision.STALE, decide(foreign(2, NOW + 100)));
    }

    @Test
    void row6RefusesAForeignExpirationOnlyMoreThanLAhead() {
        assertEquals(Decision.EXECUTE, decide(foreign(1, NOW + LIFE)));
        assertEquals(Decision.TOO_EARLY, decide(foreign(2, NOW + LIFE + 1)));
    }

    @Test
    void aForeignClientIsNotShutOutByTheBoundOfTheStart() {
        table = new DecisionTable();
        table.start(START, builder().build());
        assertEquals(Decision.EXECUTE, decide(foreign(1, START + 5)));
    }

    @Test
    void acknowledgementsDoNotTouchForeignEntries() {
        decide(foreign(1, NOW + 100));
        table.finished(FOREIGN, FinishedNumbers.of(10));
        assertEquals(Decision.LIVE, decide(foreign(1, NOW + 100)));
    }

    @Test
    void ownAndForeignNumbersOfTheSameClientIdAreNameSpacesApart() {
        Request own = request(FOREIGN, 1, NOW, NOW + 100);
        assertEquals(Decision.EXECUTE, decide(foreign(1, NOW + 100)));
        assertEquals(Decision.EXECUTE, decide(own));
        finish(FOREIGN, 1);
        assertEquals(Decision.STALE, decide(own));
        assertEquals(Decision.LIVE, decide(foreign(1, NOW + 100)));
    }

    @Test
    void row1AForeignIdWithAnotherFingerprintIsIdReused() {
        decide(foreign(1, NOW + 100));
        Request other =
                new Request(new RequestId(Space.FOREIGN, FOREIGN, 1), NOW + 100 - RHO, NOW + 100, 99, false, body(8));
        assertEquals(Decision.ID_REUSED, decide(other));
    }

    /** T-S4 in this place: a foreign id may be taken again while the first execution under it still runs. */
    @Test
    void theReplyOfAForgottenForeignCallIsNotStoredUnderTheNextUseOfItsId() {
        Request before = foreign(3, NOW + 100);
        Request after = foreign(3, NOW + 400);
        decide(before);
        table.advance(NOW + 100 + SKEW + 1);
        decide(after);
        table.complete(before, body(1));
        assertEquals(Optional.empty(), table.reply(after.id()));
        table.complete(after, body(2));
        assertArrayEquals(body(2), table.reply(after.id()).orElseThrow());
    }

    // ---------------------------------------------------------------- nothing local

    @Test
    void noDecisionAsksWhetherAnExecutionHasEndedHereOrHowLargeItsReplyIs() {
        List<Consumer<DecisionTable>> completions =
                List.of(same -> {}, same -> same.complete(own(1), body(1)), same -> same.complete(own(1), body(5_000)));
        for (Consumer<DecisionTable> completion : completions) {
            table = started(builder().budgetBytes(300).replyAllowanceBytes(92).maxEntriesPerClient(3));
            decide(own(1));
            completion.accept(table);
            assertEquals(Decision.LIVE, decide(own(1)));
            assertEquals(Decision.EXECUTE, decide(own(2)));
            assertEquals(Decision.EXECUTE, decide(own(3)));
            assertEquals(Decision.NO_CLIENT_ENTRIES, decide(own(4)));
            finish(C, 1);
            assertEquals(Decision.STALE, decide(own(1)));
            assertEquals(Decision.EXECUTE, decide(own(4)));
            table.advance(NOW + 100 + SKEW + 1);
            assertEquals(0, table.entries());
            assertEquals(Decision.STALE, decide(own(2)));
        }
    }

    // ---------------------------------------------------------------- peek

    @Test
    void aPeekSaysOnlyWhatNoLaterPositionCanTurnIntoAnAcceptance() {
        table = started(builder().maxEntriesPerClient(1));
        assertEquals(Optional.empty(), table.peek(own(1)));
        decide(own(1));
        assertEquals(Optional.of(Decision.LIVE), table.peek(own(1)));
        assertEquals(
                Optional.of(Decision.ID_REUSED),
                table.peek(new Request(own(1).id(), NOW, NOW + 100, 99, false, body(8))));
        assertEquals(Optional.empty(), table.peek(own(2)), "OVERLOADED may pass");
        assertEquals(Optional.empty(), table.peek(own(2, NOW + 1_000, NOW + 2_000)), "TOO_EARLY may pass");
        finish(C, 1);
        assertEquals(Optional.of(Decision.STALE), table.peek(own(1)));
        assertEquals(Optional.of(Decision.STALE), table.peek(own(2, START, NOW + 5_000)));
        table.advance(NOW + 101);
        assertEquals(Optional.of(Decision.EXPIRED), table.peek(own(2)));
    }

    @Test
    void aPeekAtTheDeadlineDoesNotRefuseYet() {
        table.advance(NOW + 100);
        assertEquals(Optional.empty(), table.peek(own(1)));
        table.advance(NOW + 101);
        assertEquals(Optional.of(Decision.EXPIRED), table.peek(own(1)));
    }

    @Test
    void aPeekCountsAndChangesNothing() {
        decide(own(1));
        byte[] before = snapshot(table);
        table.peek(own(1));
        table.peek(own(2));
        assertArrayEquals(before, snapshot(table));
        assertEquals(0, table.counters().count(Decision.LIVE));
    }

    // ---------------------------------------------------------------- figures

    @Test
    void ownAndForeignClientsAndEntriesAreCountedTogether() {
        decide(own(1));
        decide(request(D, 1, NOW, NOW + 100));
        decide(foreign(1, NOW + 100));
        assertEquals(3, table.clients());
        assertEquals(3, table.entries());
        assertEquals(3, table.counters().entriesPeak(), "before any of them has a reply");
    }

    @Test
    void aPeakIsSeenWhenAnOwnRequestIsAccepted() {
        decide(own(1));
        decide(own(2));
        assertEquals(2, table.counters().entriesPeak());
    }

    @Test
    void entriesFreedByTheirTimeAreCounted() {
        decide(own(1));
        decide(own(2));
        decide(foreign(1, NOW + 100));
        table.advance(NOW + 100 + SKEW);
        assertEquals(0, table.counters().purgedByTimeout());
        table.advance(NOW + 100 + SKEW + 1);
        assertEquals(3, table.counters().purgedByTimeout());
        assertEquals(0, table.entries());
    }

    @Test
    void onlyOwnEntriesFreedByTheirTimeAreCountedToo() {
        decide(own(1));
        table.advance(NOW + 100 + SKEW + 1);
        assertEquals(1, table.counters().purgedByTimeout());
    }

    /** The figure that shows the use of acknowledgements: the entries that would be there without them. */
    @Test
    void anAcknowledgedRequestCountsAmongTheEntriesOfTimeoutsAloneUntilItsTime() {
        decide(own(1));
        finish(C, 1);
        assertEquals(0, table.entries());
        assertEquals(1, table.counters().timeoutOnlyEntries());
        table.advance(NOW + 100 + SKEW + 100);
        assertEquals(0, table.counters().timeoutOnlyEntries());
        assertEquals(1, table.counters().timeoutOnlyPeak());
    }

    @Test
    void aForeignRequestCountsAmongThemToo() {
        decide(foreign(1, NOW + 100));
        assertEquals(1, table.counters().timeoutOnlyEntries());
        assertEquals(1, table.counters().entriesPeak());
    }

    // ---------------------------------------------------------------- helpers

    private static GroupParameters.Builder builder() {
        return GroupParameters.builder()
                // Exact limits of the whole; FairnessTest has the shares.
                .clientShare(GroupParameters.MOST_SHARE)
                .principalShare(GroupParameters.MOST_SHARE)
                .retentionMillis(RHO)
                .skewMillis(SKEW)
                .lifeMillis(LIFE)
                .defaultDeadlineMillis(100);
    }

    private static DecisionTable started(GroupParameters.Builder parameters) {
        DecisionTable fresh = new DecisionTable();
        fresh.start(START, parameters.build());
        fresh.advance(NOW);
        return fresh;
    }

    private Decision decide(Request request) {
        return table.decide(request, Principal.UNKNOWN);
    }

    private void assertLeavesNoTrace(Decision refusal, Request request) {
        byte[] before = snapshot(table);
        assertEquals(refusal, decide(request));
        assertArrayEquals(before, snapshot(table), "a refusal leaves no trace");
    }

    /** Acknowledges one number. */
    private void finish(ClientId client, long number) {
        table.finished(client, number == 1 ? FinishedNumbers.of(1) : FinishedNumbers.of(0, number, number));
    }

    private static Request own(long number) {
        return own(number, NOW, NOW + 100);
    }

    private static Request own(long number, long timestamp, long deadline) {
        return request(C, number, timestamp, deadline);
    }

    private static Request request(ClientId client, long number, long timestamp, long deadline) {
        return new Request(RequestId.own(client, number), timestamp, deadline, 7, false, body(8));
    }

    private static Request foreign(long id, long expiration) {
        return new Request(new RequestId(Space.FOREIGN, FOREIGN, id), expiration - RHO, expiration, 7, false, body(8));
    }

    private static Request oneway(long number) {
        return new Request(RequestId.own(C, number), NOW, NOW + 100, 7, true, body(8));
    }

    private static Request foreignOneway(long id) {
        return new Request(new RequestId(Space.FOREIGN, FOREIGN, id), NOW + 100 - RHO, NOW + 100, 7, true, body(8));
    }

    private static byte[] body(int length) {
        return new byte[length];
    }

    private static byte[] snapshot(DecisionTable table) {
        WireWriter writer = new WireWriter(64);
        table.write(writer);
        byte[] bytes = writer.toBytes();
        WireWriter again = new WireWriter(64);
        DecisionTable restored = new DecisionTable();
        restored.restore(new WireReader("snapshot", bytes));
        restored.write(again);
        assertArrayEquals(bytes, again.toBytes(), "a snapshot restores to itself");
        return bytes;
    }
}
