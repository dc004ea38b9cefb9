package org.amo.core.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.amo.base.ClientId;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;

/** Calls whose outcomes an application handles later than it gets them, and calls of a former life. */
class UnhandledCallsTest {
    private static final ClientId ID = new ClientId(1, 2);
    private static final long WALL = 1_000_000;
    private static final byte[] BODY = {1};

    private final Set<String> handled = new HashSet<>();
    private final RecordedEffects effects = new RecordedEffects() {
        @Override
        public boolean isHandled(String caller) {
            return handled.contains(caller);
        }
    };
    private final List<String> done = effects.done;
    private final List<Attempt> sent = effects.sent;
    private final List<FinishedNumbers> acknowledged = effects.acknowledged;
    private final List<Long> finished = new ArrayList<>();
    private long now;

    private final GroupClient<String> client =
            new GroupClient<>(new ClientSession(ID, Delivery.AT_MOST_ONCE, finished::add), 1, 0, effects);

    @Test
    void theNumberOfAnOutcomeThatIsNotHandledStaysOpen() {
        call("x");
        connected();
        reply(0);
        assertEquals(List.of("x ok"), done);
        assertEquals(Set.of("x"), client.unhandled());
        call("y");
        assertTrue(sent.get(1).finished().isEmpty(), "the group keeps the reply");
        assertEquals(List.of(), finished);
        client.onHandled("x");
        assertEquals(List.of(1L), finished);
        assertEquals(Set.of(), client.unhandled());
        call("z");
        assertEquals(1, sent.get(2).finished().floor());
    }

    @Test
    void anOutcomeThatWasHandledBeforeItCameFinishesTheNumberAtOnce() {
        call("x");
        connected();
        handled.add("x");
        client.onHandled("x");
        assertEquals(List.of(), finished);
        reply(0);
        assertEquals(List.of(1L), finished);
        client.onHandled("x");
        assertEquals(List.of(1L), finished, "once");
    }

    @Test
    void acknowledgementsOfHandledCallsLeaveAlone() {
        call("x");
        connected();
        reply(0);
        tick(5_000);
        assertEquals(List.of(), acknowledged);
        client.onHandled("x");
        tick(1_000);
        assertEquals(1, acknowledged.get(0).floor());
    }

    /** A certain refusal gives the call another number. Whoever notes calls hears of the first one's end before that can be told. */
    @Test
    void aNumberThatACallLeavesBehindIsFinishedThough() {
        call("x");
        connected();
        client.onAnswer(0, sent.get(0).copy(), Answer.refused(Refusal.STALE, WALL, WALL - 10), now, WALL);
        assertEquals(2, sent.get(1).id().number());
        assertEquals(List.of(1L), finished);
        assertEquals(1, sent.get(1).finished().floor());
    }

    @Test
    void anAttemptThatDidNotLeaveIsMadeAgainAndCountsForNothing() {
        call("x");
        connected();
        client.onNotSent(sent.get(0).copy(), now, WALL);
        assertEquals(1, sent.size());
        tick(5);
        assertEquals(sent.get(0).id(), sent.get(1).id());
        client.onNotSent(sent.get(1).copy(), now, WALL);
        while (done.isEmpty()) {
            int before = sent.size();
            tick(Math.max(1, client.nextDeadline() - now));
            if (sent.size() > before) {
                client.onNotSent(sent.get(before).copy(), now, WALL);
            }
        }
        assertEquals(List.of("x not executed Optional.empty"), done);
    }

    @Test
    void acknowledgementsThatDidNotLeaveFollow() {
        handled.add("x");
        call("x");
        connected();
        reply(0);
        tick(1_000);
        client.onNotAcknowledged(now);
        tick(2_000);
        assertEquals(2, acknowledged.size());
        assertEquals(acknowledged.get(0), acknowledged.get(1));
    }

    @Test
    void aCallOfAFormerLifeIsAcknowledgedOnceItIsOver() {
        ClientCall.Identity former = new ClientCall.Identity(RequestId.own(ID, 7), WALL, WALL + 500);
        client.onCallAs(former, "x", BODY, false, 10_000, now, WALL);
        connected();
        assertEquals(7, sent.get(0).id().number());
        handled.add("x");
        reply(0);
        assertEquals(List.of(), finished, "another process may still send it");
        client.finished(former);
        assertEquals(List.of(7L), finished);
        tick(1_000);
        assertTrue(acknowledged.get(0).contains(7));
        assertFalse(acknowledged.get(0).contains(6));
    }

    @Test
    void aCallOfAnotherClientIsNotAcknowledged() {
        ClientCall.Identity other = new ClientCall.Identity(RequestId.own(new ClientId(3, 4), 7), WALL, WALL + 500);
        assertThrows(IllegalArgumentException.class, () -> client.finished(other));
    }

    @Test
    void theReasonOfAnUnknownOutcomeIsTold() {
        ClientCall.Identity former = new ClientCall.Identity(RequestId.own(ID, 7), WALL, WALL + 500);
        client.onCallAs(former, "x", BODY, false, 10_000, now, WALL);
        connected();
        client.onAnswer(0, sent.get(0).copy(), Answer.refused(Refusal.STALE, WALL, WALL - 10), now, WALL);
        assertEquals(List.of("x unknown Optional[STALE]"), done);
    }

    private void call(String caller) {
        client.onCall(caller, BODY, false, 10_000, now, WALL);
    }

    private void connected() {
        client.onConnected(0, WALL - 100_000, now, WALL);
    }

    private void reply(int index) {
        client.onAnswer(0, sent.get(index).copy(), Answer.reply(BODY, WALL, WALL - 100_000), now, WALL);
    }

    private void tick(long millis) {
        now += millis;
        client.onTick(now, WALL + now);
    }
}
