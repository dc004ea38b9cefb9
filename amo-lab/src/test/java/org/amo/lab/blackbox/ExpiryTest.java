package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;
import org.amo.interceptors.MinorCodes;
import org.amo.lab.blackbox.RawClient.Op;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What needs long executions, short lives and little room: a group with a budget of 16 kB whose calls live two
 * seconds, and which forgets clients after four.
 */
@Timeout(90)
@Tag("slow")
final class ExpiryTest {
    private static final long LIFE = 2_000;
    private static final long SKEW = 500;
    private static final long BUDGET = 16_000;
    private static final int NO = 1;
    /** An operation that lasts long enough to be seen, on a machine that has other work. */
    private static final long SEEN = 2_500;

    private static final int OBSERVED_AT = FreePorts.find(1).get(0);

    private static BankCluster group;

    private RawClient client;

    @BeforeAll
    static void start() {
        group = BankCluster.start(BankCluster.Settings.bank("expiry")
                .main(ProbeServer.class)
                .two()
                .budget(BUDGET)
                .property("amo.defaultDeadlineMillis", Long.toString(LIFE))
                .property("amo.retentionMillis", Long.toString(2 * LIFE))
                .property("amo.skewMillis", Long.toString(SKEW))
                .property("a", "amo.http", Integer.toString(OBSERVED_AT)));
    }

    @AfterAll
    static void stop() {
        group.close();
    }

    @BeforeEach
    void newClient() {
        client = newRawClient();
    }

    @AfterEach
    void allMembersAgreeAndNothingRanTwice() {
        // The next test need not wait for the end of their lives.
        client.acknowledge(group.member(0), FinishedNumbers.of(1_000));
        group.awaitEqual();
        assertEquals(java.util.Set.of(), group.executedMoreThanOnce());
    }

    /** A17: the numbers of the status, from a wrapped program, in whose class path is nothing of amo. */
    @Test
    void theNumbersOfAWrappedMemberAreThereOverHttp() throws Exception {
        client.send(group.member(0), client.call(), Op.add(1)).value();
        group.awaitEqual();
        long executed = group.member(0).status().number("executed");
        assertTrue(executed > 0);
        String metrics = observed("/metrics");
        String series = "amo_replica_executed_requests_total{group=\"expiry\",id=\"a\"} ";
        assertTrue(metrics.contains(series + executed + "\n"), metrics);
        assertTrue(observed("/status").contains("\"executed\":" + executed + ","));
        assertEquals("ready\n", observed("/health/ready"));
        assertEquals("live\n", observed("/health/live"));
    }

    private static String observed(String path) throws Exception {
        return BankCluster.observed(OBSERVED_AT, path);
    }

    /** F6, T-F15, I9. */
    @Test
    void copiesOfARequestThatIsExecutingWaitForItsReplyAtAnyMember() {
        RequestContext.Call call = client.call();
        RawClient.Sent first = client.post(group.member(0), call, Op.slow(SEEN));
        awaitExecuting(group.member(1));
        RawClient.Sent second = client.post(group.member(1), call, Op.slow(SEEN));
        RawClient.Sent third = client.post(group.member(0), call, Op.slow(SEEN));
        assertFalse(first.hasReply());
        long value = first.reply().value();
        assertEquals(value, second.reply().value());
        assertEquals(value, third.reply().value());
        group.awaitEqual();
        group.processes().forEach(member -> assertEquals(1, member.executions(client.requestId(call))));
    }

    /** F14, T-F5, D6: resolved at once, whatever completed here; its reply is not kept. */
    @Test
    void anAcknowledgementOfARequestThatIsExecutingFreesItsReplyAndKeepsItsNumber() {
        group.awaitEverywhere("entries", 0);
        RequestContext.Call call = client.call();
        RawClient.Sent first = client.post(group.member(0), call, Op.slow(SEEN));
        awaitExecuting(group.member(1));
        client.acknowledge(group.member(1), FinishedNumbers.of(call.number()));
        group.awaitEverywhere("entries", 0);
        first.reply();
        group.awaitEqual();
        group.awaitEverywhere("bytes", 0);
        for (MemberProcess member : group.processes()) {
            assertEquals(1, member.executions(client.requestId(call)));
            assertRefused(Refusal.STALE, client.send(member, call, Op.slow(SEEN)));
        }
    }

    /** F8, T-F2, T-F4: the shorter twin of the ten and two seconds of the paper. */
    @Test
    void withoutAcknowledgementsEntriesFallToNothingAtDeadlineAndSkewAndLateCopiesAreRefused() {
        new TimeoutPurge(group, LIFE, SKEW).check();
    }

    /** D1, D2, D3: once the client's record is gone too, upper refuses, and does not say that it never ran. */
    @Test
    void aCopyOfARequestWhoseClientWasForgottenIsStaleAndNotExpired() {
        RequestContext.Call call = shortCall(client, 1);
        client.send(group.member(0), call, Op.add(1)).value();
        client.acknowledge(group.member(0), FinishedNumbers.of(1));
        group.awaitThat("the record is gone everywhere", () -> group.up().stream()
                .allMatch(member -> member.status().number("upperMillis") >= call.timestampMillis()
                        && member.status().number("clients") <= 1));
        for (MemberProcess member : group.processes()) {
            assertRefused(Refusal.STALE, client.send(member, call, Op.add(1)));
        }
        client.send(group.member(0), shortCall(client, 2), Op.add(1)).value();
        assertRefused(Refusal.STALE, client.send(group.member(1), call, Op.add(1)));
    }

    /** A5 OVERLOADED, I6, I10: room is refused, nothing is evicted, and acknowledgements make room again. */
    @Test
    void aFullBudgetRefusesNewRequestsAndKeepsEveryOldReply() {
        group.awaitEverywhere("entries", 0);
        List<RequestContext.Call> calls = new ArrayList<>();
        Giop.Reply reply;
        long number = 0;
        do {
            RequestContext.Call call = client.call(++number);
            reply = client.send(group.member((int) (number % 2)), call, Op.add(1));
            calls.add(call);
        } while (reply.status() == Giop.NO_EXCEPTION && number < 1_000);
        assertRefused(Refusal.OVERLOADED, reply);
        assertEquals(Optional.of(Budget.CLIENT_BYTES), reply.amo().budget());
        RequestContext.Call refused = calls.remove(calls.size() - 1);
        assertTrue(calls.size() > 10 && calls.size() < BUDGET / 512, "accepted " + calls.size());
        for (MemberProcess member : group.processes()) {
            assertRefused(Refusal.OVERLOADED, client.send(member, refused, Op.add(1)));
            assertEquals(
                    Giop.NO_EXCEPTION,
                    client.send(member, calls.get(0), Op.add(1)).status());
        }
        // D8: the acknowledgements of a refused carrier count.
        assertEquals(
                Giop.NO_EXCEPTION,
                client.send(group.member(1), refused, Op.add(1), FinishedNumbers.of(number - 1))
                        .status());
        client.acknowledge(group.member(0), FinishedNumbers.of(number));
        group.awaitEverywhere("entries", 0);
    }

    /** D11, D13: foreign clients never acknowledge; all their refusals leave open whether it ran. */
    @Test
    void aForeignRequestIsRefusedAfterItsExpirationWithoutACertainty() {
        long expiration = client.timestamp() + LIFE;
        assertEquals(Giop.NO_EXCEPTION, foreign(7, expiration).status());
        assertEquals(foreign(7, expiration).value(), foreign(7, expiration).value());
        group.awaitThat(
                "the group forgets it",
                () -> group.member(0).status().number("upperMillis") > expiration - 2 * LIFE
                        && foreign(7, expiration).status() == Giop.SYSTEM_EXCEPTION);
        Giop.Reply late = foreign(7, expiration);
        assertEquals("IDL:omg.org/CORBA/TIMEOUT:1.0", late.exceptionId());
        assertEquals(2, late.completed());
        assertEquals(2, foreign(8, client.timestamp() + 3_600_000).completed(), "beyond the longest life");
    }

    private Giop.Reply foreign(int retention, long expirationMillis) {
        CdrWriter context = new CdrWriter(false).octet(0);
        context.string("foreign").uLong(retention).longLong(expirationMillis * 10_000 + 0x01B2_1DD2_1381_4000L);
        return client.post(group.member(0), Giop.V12, Op.add(1), Map.of(13, context.toBytes()))
                .reply();
    }

    /** Delivered, and not yet executed. */
    private void awaitExecuting(MemberProcess member) {
        group.awaitThat("the operation has begun", () -> {
            Status status = member.status();
            return status.number("position") > status.number("executedPosition");
        });
    }

    private RawClient newRawClient() {
        return new RawClient(group.reference()).learnNow(group.member(0));
    }

    private static RequestContext.Call shortCall(RawClient sender, long number) {
        long timestamp = sender.timestamp();
        return new RequestContext.Call(number, timestamp, timestamp + LIFE);
    }

    private static void assertRefused(Refusal refusal, Giop.Reply reply) {
        assertEquals(Optional.of(refusal), reply.amo().refusal(), reply::toString);
        assertEquals(Answer.Kind.REFUSED, reply.amo().kind());
        assertEquals(MinorCodes.of(refusal, reply.amo().budget()), reply.minorCode());
        if (refusal == Refusal.OVERLOADED) {
            assertEquals("IDL:omg.org/CORBA/TRANSIENT:1.0", reply.exceptionId());
            assertEquals(NO, reply.completed());
        }
    }
}
