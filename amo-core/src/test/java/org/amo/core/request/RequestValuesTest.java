package org.amo.core.request;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.amo.base.ClientId;
import org.amo.core.request.Answer.Kind;
import org.amo.core.request.RequestId.Space;
import org.junit.jupiter.api.Test;

/** Ids, requests and answers: their limits, their order, and the forms that other formats rely on. */
final class RequestValuesTest {
    private static final ClientId CLIENT = new ClientId(1, 2);
    private static final long MOST_TIME = Request.MAX_TIME_MILLIS;

    // ------------------------------------------------- ids

    @Test
    void aClientIdIsWrittenWithAllItsDigitsAndReadBack() {
        ClientId id = new ClientId(0xAB, -1);
        assertEquals("00000000000000abffffffffffffffff", id.toString());
        assertEquals(id, ClientId.parse(id.toString()));
        assertEquals(id, ClientId.parse("00000000000000ABFFFFFFFFFFFFFFFF"));
    }

    @Test
    void aTextThatIsNot32HexadecimalDigitsIsNoClientId() {
        String digits = "0123456789abcdef";
        for (String text : List.of("", digits, digits + digits + "0", "g" + digits + "0".repeat(15))) {
            assertThrows(IllegalArgumentException.class, () -> ClientId.parse(text), text);
        }
        assertThrows(
                IllegalArgumentException.class, () -> ClientId.parse("+" + digits.substring(1) + digits), "a sign");
    }

    @Test
    void clientIdsAreOrderedAsTheirTextsAre() {
        List<ClientId> rising = List.of(
                new ClientId(0, 0),
                new ClientId(0, 1),
                new ClientId(0, -1),
                new ClientId(1, 0),
                new ClientId(1, 5),
                new ClientId(-1, 0),
                new ClientId(-1, -1));
        List<ClientId> sorted = new ArrayList<>(rising);
        Collections.reverse(sorted);
        Collections.sort(sorted);
        assertEquals(rising, sorted);
        assertEquals(rising.stream().map(ClientId::toString).sorted().toList(), texts(rising));
    }

    @Test
    void anOwnNumberIsOneToTheLargestAndAForeignOneHas32Bits() {
        assertEquals(1, RequestId.own(CLIENT, 1).number());
        assertEquals(
                RequestId.MAX_NUMBER,
                RequestId.own(CLIENT, RequestId.MAX_NUMBER).number());
        assertThrows(IllegalArgumentException.class, () -> RequestId.own(CLIENT, 0));
        assertThrows(IllegalArgumentException.class, () -> RequestId.own(CLIENT, RequestId.MAX_NUMBER + 1));
        assertEquals(0, foreign(0).number());
        assertEquals(0xFFFF_FFFFL, foreign(0xFFFF_FFFFL).number());
        assertThrows(IllegalArgumentException.class, () -> foreign(-1));
        assertThrows(IllegalArgumentException.class, () -> foreign(0x1_0000_0000L));
    }

    @Test
    void theTextOfAnIdTellsOwnFromForeign() {
        assertEquals(CLIENT + "-7", RequestId.own(CLIENT, 7).toString());
        assertEquals(CLIENT + "~7", foreign(7).toString());
    }

    // ------------------------------------------------- requests

    @Test
    void aDeadlineIsNotBeforeItsTimestamp() {
        assertEquals(10, request(10, 10, 0).deadlineMillis());
        assertThrows(IllegalArgumentException.class, () -> request(10, 9, 0));
    }

    @Test
    void timesOfARequestHaveLimitsOnBothSides() {
        assertEquals(-MOST_TIME, request(-MOST_TIME, 0, 0).timestampMillis());
        assertEquals(2 * MOST_TIME, request(MOST_TIME, 2 * MOST_TIME, 0).deadlineMillis());
        assertThrows(IllegalArgumentException.class, () -> request(-MOST_TIME - 1, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> request(MOST_TIME + 1, MOST_TIME + 1, 0));
        assertThrows(IllegalArgumentException.class, () -> request(5, 5 + MOST_TIME + 1, 0));
    }

    @Test
    void aBodyMayBeAsLongAsTheLimit() {
        assertEquals(
                Request.MAX_BODY_BYTES, request(1, 1, Request.MAX_BODY_BYTES).body().length);
        assertThrows(IllegalArgumentException.class, () -> request(1, 1, Request.MAX_BODY_BYTES + 1));
    }

    // ------------------------------------------------- answers

    @Test
    void exactlyARefusalHasAReasonAndOnlyOverloadedHasABudget() {
        assertThrows(IllegalArgumentException.class, () -> answer(Kind.REFUSED, Optional.empty(), Optional.empty()));
        for (Kind kind : List.of(Kind.REPLY, Kind.UNKNOWN)) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> answer(kind, Optional.of(Refusal.STALE), Optional.empty()),
                    kind::name);
        }
        for (Refusal refusal : Refusal.values()) {
            if (refusal != Refusal.OVERLOADED) {
                assertThrows(
                        IllegalArgumentException.class,
                        () -> answer(Kind.REFUSED, Optional.of(refusal), Optional.of(Budget.ORDER)),
                        refusal::name);
            }
        }
        Answer overloaded = Answer.overloaded(Budget.ORDER, 5, 3);
        assertEquals(Optional.of(Refusal.OVERLOADED), overloaded.refusal());
        assertEquals(Optional.of(Budget.ORDER), overloaded.budget());
        assertEquals(Optional.empty(), Answer.refused(Refusal.OVERLOADED, 5, 3).budget(), "a member may not know it");
    }

    @Test
    void anAnswerUnderLaterTimesOrWithAReplyIsOtherwiseTheSame() {
        Answer overloaded = Answer.overloaded(Budget.CLIENT_RATE, 5, 3);
        Answer later = overloaded.at(9, 8);
        assertEquals(9, later.orderedTimeMillis());
        assertEquals(8, later.upperMillis());
        assertEquals(overloaded.kind(), later.kind());
        assertEquals(overloaded.refusal(), later.refusal());
        assertEquals(overloaded.budget(), later.budget());
        byte[] bytes = {1, 2};
        Answer replied = Answer.reply(new byte[0], 5, 3).withReply(bytes);
        assertSame(bytes, replied.reply());
        assertSame(bytes, replied.at(9, 8).reply());
        assertEquals(5, replied.orderedTimeMillis());
        assertEquals(3, replied.upperMillis());
        assertArrayEquals(new byte[0], Answer.unknown(5, 3).reply());
    }

    /** The codes are part of every wire format. */
    @Test
    void refusalsAndBudgetsAreFoundByTheirCodesAndByNoOther() {
        List<Integer> refusals =
                Arrays.stream(Refusal.values()).map(Refusal::code).toList();
        assertEquals(List.of(1, 2, 3, 4, 5), refusals);
        List<Integer> budgets = Arrays.stream(Budget.values()).map(Budget::code).toList();
        assertEquals(List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13), budgets);
        for (Refusal refusal : Refusal.values()) {
            assertEquals(Optional.of(refusal), Refusal.ofCode(refusal.code()));
        }
        for (Budget budget : Budget.values()) {
            assertEquals(Optional.of(budget), Budget.ofCode(budget.code()));
        }
        assertEquals(Optional.empty(), Refusal.ofCode(0));
        assertEquals(Optional.empty(), Refusal.ofCode(6));
        assertEquals(Optional.empty(), Budget.ofCode(0));
        assertEquals(Optional.empty(), Budget.ofCode(14));
    }

    /** A client leaves a member for a local budget, and none for one of the order. */
    @Test
    void onlyTheStoreTheOrderAndTheClientsOwnCallsAreLocalBudgets() {
        List<Budget> local =
                Arrays.stream(Budget.values()).filter(Budget::isLocal).toList();
        assertEquals(List.of(Budget.MEMBER_REPLIES, Budget.ORDER, Budget.CALLS_UNDER_WAY, Budget.DIVERGENCE), local);
    }

    @Test
    void eachBudgetHasASentenceOfItsOwn() {
        Set<String> sentences = new HashSet<>();
        for (Budget budget : Budget.values()) {
            assertTrue(budget.sentence().length() > 20, budget::name);
            sentences.add(budget.sentence());
        }
        assertEquals(Budget.values().length, sentences.size());
    }

    private static List<String> texts(List<ClientId> ids) {
        return ids.stream().map(ClientId::toString).toList();
    }

    private static RequestId foreign(long number) {
        return new RequestId(Space.FOREIGN, CLIENT, number);
    }

    private static Request request(long timestamp, long deadline, int length) {
        return new Request(RequestId.own(CLIENT, 1), timestamp, deadline, 3, false, new byte[length]);
    }

    private static Answer answer(Kind kind, Optional<Refusal> refusal, Optional<Budget> budget) {
        return new Answer(kind, refusal, budget, new byte[0], 5, 3);
    }
}
