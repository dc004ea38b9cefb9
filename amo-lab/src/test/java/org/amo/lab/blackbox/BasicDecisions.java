package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.core.request.Refusal;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;
import org.amo.interceptors.MinorCodes;
import org.amo.lab.blackbox.RawClient.Op;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What copies are answered, and what runs, whatever orders them. Three members of one bank. */
abstract class BasicDecisions {
    static final String TIMEOUT = "IDL:omg.org/CORBA/TIMEOUT:1.0";
    static final String BAD_PARAM = "IDL:omg.org/CORBA/BAD_PARAM:1.0";
    static final int NO = 1;
    static final int MAYBE = 2;
    private static final String TRANSIENT = "IDL:omg.org/CORBA/TRANSIENT:1.0";
    private static final AtomicInteger ACCOUNTS = new AtomicInteger();

    private final BankCluster bank;
    private final List<RawClient> clients = new ArrayList<>();
    final RawClient client;
    final String account;

    BasicDecisions(BankCluster bank) {
        this.bank = bank;
        client = newRawClient();
        account = "account-" + ACCOUNTS.incrementAndGet();
    }

    @AfterEach
    void allMembersAgreeAndNothingRanTwice() {
        clients.forEach(made -> made.acknowledge(bank.member(0), FinishedNumbers.of(1_000_000)));
        bank.awaitEqual();
        assertEquals(Set.of(), bank.executedMoreThanOnce());
    }

    // F3

    @Test
    void everyMemberExecutesAtTheSamePositionAndOnlyTheConnectedOneReplies() {
        try (RawClient.Sent quietB = client.raw(bank.member(1), new byte[0]);
                RawClient.Sent quietC = client.raw(bank.member(2), new byte[0])) {
            RequestContext.Call call = client.call();
            assertEquals(
                    5, client.send(bank.member(0), call, Op.deposit(account, 5)).value());
            bank.awaitEqual();
            List<MemberProcess.Executed> runs = runs(call);
            assertEquals(3, runs.size());
            assertEquals(
                    1,
                    runs.stream()
                            .map(MemberProcess.Executed::position)
                            .distinct()
                            .count());
            assertEquals(
                    1,
                    runs.stream().map(MemberProcess.Executed::value).distinct().count());
            assertFalse(quietB.hasReply() || quietC.hasReply());
        }
    }

    // F5

    @Test
    void aCopyOfACompletedRequestIsAnsweredFromTheCacheOfAnyMember() {
        RequestContext.Call call = client.call();
        Giop.Reply first = client.send(bank.member(0), call, Op.deposit(account, 5));
        for (MemberProcess member : bank.processes()) {
            assertArrayEquals(
                    first.body(),
                    client.send(member, call, Op.deposit(account, 5)).body());
        }
        assertEquals(5, balance());
    }

    @Test
    void twoCopiesInFlightAtTwoMembersRunOnceAndBothAreAnswered() {
        for (int i = 1; i <= 20; i++) {
            RequestContext.Call call = client.call();
            RawClient.Sent toA = client.post(bank.member(0), call, Op.deposit(account, 1));
            RawClient.Sent toB = client.post(bank.member(1), call, Op.deposit(account, 1));
            RawClient.Sent toC = client.post(bank.member(2), call, Op.deposit(account, 1));
            assertEquals(i, toA.reply().value());
            assertEquals(i, toB.reply().value());
            assertEquals(i, toC.reply().value());
        }
    }

    /** T-F6. */
    @Test
    void aUserExceptionIsAReplyAndIsKept() {
        RequestContext.Call call = client.call();
        Giop.Reply first = client.send(bank.member(0), call, Op.deposit(account, -1));
        Giop.Reply again = client.send(bank.member(2), call, Op.deposit(account, -1));
        assertEquals(Giop.USER_EXCEPTION, first.status());
        assertEquals("IDL:bankidl/BadAmount:1.0", again.exceptionId());
        assertArrayEquals(first.body(), again.body());
        bank.awaitEqual();
        assertEquals(3, runs(call).size());
    }

    // X1, X2, X6

    /** X1, T-F1: Apache Ratis executes the last copy. */
    @Test
    void aLateCopyOfAnAcknowledgedRequestIsRefusedAtEveryMember() {
        RequestContext.Call hundred = client.call(100);
        assertEquals(
                1, client.send(bank.member(0), hundred, Op.deposit(account, 1)).value());
        assertEquals(
                1, client.send(bank.member(0), hundred, Op.deposit(account, 1)).value());
        RequestContext.Call next = client.call(101);
        assertEquals(
                2,
                client.send(bank.member(0), next, Op.deposit(account, 1), FinishedNumbers.of(0, 100, 100))
                        .value());
        // A member that has not delivered the acknowledgement yet may still give the reply, which is as safe.
        bank.awaitEqual();
        for (MemberProcess member : bank.processes()) {
            assertRefused(Refusal.STALE, client.send(member, hundred, Op.deposit(account, 1)));
        }
        assertEquals(2, balance());
    }

    /** X2, A1: in Apache Ratis the followers keep all of them. */
    @Test
    void acknowledgementsPruneEveryMemberAlike() {
        bank.awaitEverywhere("entries", 0);
        for (int i = 1; i <= 200; i++) {
            RequestContext.Call call = client.call(i);
            client.send(bank.member(i % 3), call, Op.deposit(account, 1), FinishedNumbers.of(i - 1));
        }
        bank.awaitEverywhere("entries", 1);
        client.acknowledge(bank.member(1), FinishedNumbers.of(200));
        bank.awaitEverywhere("entries", 0);
        assertEquals(200, balance());
    }

    final RawClient newRawClient() {
        RawClient made = new RawClient(bank.reference()).learn(bank.member(0));
        clients.add(made);
        return made;
    }

    final List<MemberProcess.Executed> runs(RequestContext.Call call) {
        String id = client.requestId(call);
        return bank.processes().stream()
                .flatMap(member -> member.executed(id).stream())
                .toList();
    }

    final long balance() {
        Giop.Reply book = client.post(
                        bank.member(0), Giop.V12, new Op("book", true, out -> out.string(account)), Map.of())
                .reply();
        CdrReader line = new CdrReader(book.body(), 0, book.littleEndian());
        line.string();
        for (int field = 0; field < 5; field++) {
            line.longLong();
        }
        return line.longLong();
    }

    final void assertRefused(Refusal refusal, Giop.Reply reply) {
        assertEquals(Optional.of(refusal), reply.amo().refusal(), reply::toString);
        assertEquals(MinorCodes.of(refusal), reply.minorCode());
        assertEquals(
                switch (refusal) {
                    case STALE, EXPIRED -> TIMEOUT;
                    case TOO_EARLY, OVERLOADED -> TRANSIENT;
                    case ID_REUSED -> BAD_PARAM;
                },
                reply.exceptionId());
        // Another copy of a stale one may have run, so the ORB must not be told that it certainly did not.
        assertEquals(refusal == Refusal.STALE ? MAYBE : NO, reply.completed());
    }
}
