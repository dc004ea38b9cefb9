package org.amo.linearizable.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.amo.linearizable.lease.LeaseAnswer.Status;
import org.junit.jupiter.api.Test;

/** The client's side of a lease: when it asks, which answers count, and how long the lease surely lasts. */
class LeaseAgentTest {
    private static final LeaseId CLIENT = new LeaseId(7);
    private static final long RETRY = 50;

    private final Questions questions = new Questions();
    private final LeaseAgent agent = new LeaseAgent(100, RETRY, questions);

    private static LeaseAnswer live(long termMillis) {
        return new LeaseAnswer(Status.LIVE, CLIENT, new ClusterTime(5_000 + termMillis), new ClusterTime(5_000));
    }

    private void hold(long termMillis) {
        agent.open(0);
        agent.onAnswer(1, live(termMillis), 0);
    }

    @Test
    void dangerMayBeNoneAndTheRetryTimeIsPositive() {
        new LeaseAgent(0, 1, questions);
        assertThrows(IllegalArgumentException.class, () -> new LeaseAgent(-1, 1, questions));
        assertThrows(IllegalArgumentException.class, () -> new LeaseAgent(0, 0, questions));
    }

    @Test
    void withoutALeaseNothingIsSentAndNothingIsLeft() {
        assertFalse(agent.mayCall(0));
        assertEquals(0, agent.leftMillis(0));
        assertEquals(Long.MAX_VALUE, agent.nextDeadline());
        assertEquals(Long.MAX_VALUE, agent.termMillis());
        agent.onTick(1_000_000);
        assertEquals(0, questions.opens + questions.renewals);
    }

    @Test
    void anUnansweredOpeningIsAskedAgainAfterTheRetryTime() {
        agent.open(1_000);
        assertEquals(1_000 + RETRY, agent.nextDeadline());
        agent.onTick(1_049);
        assertEquals(1, questions.opens);
        agent.onTick(1_050);
        assertEquals(2, questions.opens);
    }

    @Test
    void whatIsLeftEndsAtNothing() {
        hold(1_000);
        assertEquals(1_000, agent.termMillis());
        assertEquals(1, agent.leftMillis(999));
        assertEquals(0, agent.leftMillis(1_000));
        assertEquals(0, agent.leftMillis(2_000));
    }

    /** A sixteenth of the term, at least 10 ms, at most the retry time. */
    @Test
    void aShortLeaseIsRenewedAtShorterIntervals() {
        long[][] termAndRetry = {{320, 20}, {160, 10}, {100, 10}, {100_000, RETRY}};
        for (long[] each : termAndRetry) {
            LeaseAgent shorter = new LeaseAgent(0, RETRY, questions);
            shorter.open(0);
            shorter.onAnswer(1, live(each[0]), 0);
            long half = each[0] / 2;
            shorter.onTick(half);
            assertEquals(half + each[1], shorter.nextDeadline(), "term " + each[0]);
        }
    }

    /** Answers travel for as long as they like: one that another answer overtook would shorten or revive nothing. */
    @Test
    void oneAnswerCountsAndThoseToEarlierQuestionsDoNot() {
        hold(1_000);
        agent.onTick(500);
        agent.onTick(550);
        agent.onAnswer(3, live(1_000), 560);
        assertEquals(550 + 1_000 - 600, agent.leftMillis(600));
        agent.onAnswer(2, new LeaseAnswer(Status.EXPIRED, CLIENT, new ClusterTime(1), new ClusterTime(7_000)), 570);
        assertTrue(agent.mayCall(600));
        assertEquals(new ClusterTime(7_000), agent.clusterTime(), "its time is true all the same");
        assertEquals(550 + 500, agent.nextDeadline(), "half a term after the question that was answered");
    }

    /** At most 64 questions are remembered: an answer to an older one is of no use. */
    @Test
    void theLast64QuestionsMayStillBeAnswered() {
        for (int asked : new int[] {64, 65}) {
            LeaseAgent unheard = new LeaseAgent(0, RETRY, questions);
            unheard.open(0);
            for (int i = 1; i < asked; i++) {
                unheard.onTick(i * RETRY);
            }
            unheard.onAnswer(1, live(1_000_000), asked * RETRY);
            assertEquals(asked == 64, unheard.client().isPresent(), asked + " questions");
            unheard.onAnswer(2, live(1_000_000), asked * RETRY);
            assertTrue(unheard.client().isPresent());
        }
    }

    @Test
    void aClientThatWasNeverGrantedALeaseLosesNone() {
        agent.open(0);
        agent.onAnswer(1, new LeaseAnswer(Status.EXPIRED, CLIENT, new ClusterTime(1), new ClusterTime(1)), 10);
        assertEquals(0, questions.lost);
        agent.open(20);
        assertEquals(2, questions.opens);
    }

    private static final class Questions implements LeaseAgentEffects {
        int opens;
        int renewals;
        int lost;

        @Override
        public void open(long attempt) {
            opens++;
        }

        @Override
        public void renew(LeaseId client, long attempt) {
            renewals++;
        }

        @Override
        public void onOpened(LeaseId client) {}

        @Override
        public void onLost(LeaseId client) {
            lost++;
        }
    }
}
