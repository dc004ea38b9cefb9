package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;
import org.amo.lab.blackbox.RawClient.Op;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Copies of the test's making against three members of one bank: what each is answered, and what runs. */
@Timeout(90)
final class DecisionsTest extends BasicDecisions {
    private static final String MARSHAL = "IDL:omg.org/CORBA/MARSHAL:1.0";

    private static BankCluster bank;

    private final long expirationMillis;

    @BeforeAll
    static void start() {
        bank = BankCluster.start(BankCluster.Settings.bank("decisions"));
    }

    @AfterAll
    static void stop() {
        bank.close();
    }

    DecisionsTest() {
        super(bank);
        expirationMillis = client.timestamp() + 3_000;
    }

    /** X6: a copy waits in a member while the client fails over and acknowledges; by the paper's rule all members run it again. */
    @Test
    void aCopyThatWaitedInASlowMemberDoesNotRunAfterTheAcknowledgement() {
        MemberProcess slow = bank.follower();
        MemberProcess other = bank.leader();
        List<RequestContext.Call> calls = new ArrayList<>();
        List<RawClient.Sent> held = new ArrayList<>();
        slow.pause();
        try {
            for (int i = 1; i <= 20; i++) {
                RequestContext.Call call = client.call();
                calls.add(call);
                held.add(client.post(slow, call, Op.deposit(account, 1)));
                assertEquals(
                        i,
                        client.send(other, call, Op.deposit(account, 1), FinishedNumbers.of(i - 1))
                                .value());
            }
            client.acknowledge(other, FinishedNumbers.of(20));
        } finally {
            slow.resume();
        }
        for (RawClient.Sent copy : held) {
            // Stale once the member has caught up; before that it may find the reply it was to give.
            Answer answer = copy.reply().amo();
            assertTrue(answer.refusal().equals(Optional.of(Refusal.STALE)) || answer.kind() == Answer.Kind.REPLY);
        }
        for (MemberProcess member : bank.processes()) {
            assertRefused(Refusal.STALE, client.send(member, calls.get(7), Op.deposit(account, 1)));
        }
        assertEquals(20, balance());
    }

    // A5, A6

    @Test
    @Tag("slow")
    void aTimestampBelowUpperIsStaleWhetherTheClientIsKnownOrNot() {
        assertRefused(
                Refusal.STALE, client.send(bank.member(0), at(1, client.upper(), 60_000), Op.deposit(account, 1)));
        client.send(bank.member(0), client.call(2), Op.deposit(account, 1)).value();
        assertRefused(
                Refusal.STALE, client.send(bank.member(1), at(3, client.upper(), 60_000), Op.deposit(account, 1)));
        assertEquals(1, balance());
    }

    @Test
    @Tag("slow")
    void aDeadlineThatHasPassedIsExpiredAndCertain() {
        RequestContext.Call passed = at(900_000, client.timestamp(), 1);
        bank.awaitThat("the group's time passes the deadline", () -> {
            client.send(bank.member(0), client.call(), Op.deposit(account, 1)).value();
            return client.orderedTime() > passed.deadlineMillis();
        });
        assertRefused(Refusal.EXPIRED, client.send(bank.member(2), passed, Op.deposit(account, 1)));
        bank.awaitEqual();
        assertEquals(List.of(), runs(passed));
    }

    @Test
    @Tag("slow")
    void aTimestampAheadOfTheGroupIsTooEarly() {
        RequestContext.Call early = at(1, client.timestamp() + 3_600_000, 10_000);
        assertRefused(Refusal.TOO_EARLY, client.send(bank.member(1), early, Op.deposit(account, 1)));
        bank.awaitEqual();
        assertEquals(List.of(), runs(early));
    }

    @Test
    @Tag("slow")
    void anIdWithAnotherBodyGetsNobodyElsesReply() {
        RequestContext.Call call = client.call();
        client.send(bank.member(0), call, Op.deposit(account, 5)).value();
        for (MemberProcess member : bank.processes()) {
            assertRefused(Refusal.ID_REUSED, client.send(member, call, Op.deposit(account, 6)));
            assertRefused(Refusal.ID_REUSED, client.send(member, call, new Op("balances", true, out -> {})));
        }
        assertEquals(5, balance());
    }

    // A7

    @Test
    @Tag("slow")
    void aRestartedClientThatCountsFromOneAgainHasAnIdOfItsOwn() {
        RequestContext.Call one = client.call(1);
        client.send(bank.member(0), one, Op.deposit(account, 1)).value();
        RawClient restarted = newRawClient();
        assertEquals(
                2,
                restarted
                        .send(bank.member(0), restarted.call(1), Op.deposit(account, 1))
                        .value());
        assertEquals(1, client.send(bank.member(0), one, Op.deposit(account, 1)).value());
    }

    /** Row 1 at a member that has not delivered the first request yet. */
    @Test
    @Tag("slow")
    void twoRequestsUnderOneIdAtTwoMembersRunOnceAndTheOtherIsRefused() {
        for (int i = 1; i <= 30; i++) {
            RequestContext.Call call = client.call();
            RawClient.Sent one = client.post(bank.member(0), call, Op.deposit(account, 1));
            RawClient.Sent two = client.post(bank.member(i % 2 + 1), call, Op.deposit(account, 1_000));
            List<Giop.Reply> replies = List.of(one.reply(), two.reply());
            assertEquals(
                    1,
                    replies.stream()
                            .filter(reply -> reply.amo().kind() == Answer.Kind.REPLY)
                            .count());
            replies.stream()
                    .filter(reply -> reply.amo().kind() != Answer.Kind.REPLY)
                    .forEach(reply -> assertRefused(Refusal.ID_REUSED, reply));
        }
    }

    @Test
    @Tag("slow")
    void foreignRetentionIdsPast31BitsAndAroundTheWrapAreTheirOwn() {
        String name = "foreign-" + account;
        long balance = 0;
        for (int retention : new int[] {0x7FFF_FFFE, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF, 0, 1}) {
            balance++;
            assertEquals(balance, foreign(bank.member(0), name, retention, 1).value());
            assertEquals(balance, foreign(bank.member(1), name, retention, 1).value());
        }
        assertEquals(7, balance());
    }

    // F19

    @Test
    @Tag("slow")
    void ownNumbersMayComeAndFinishInAnyOrder() {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 1; i <= 60; i++) {
            numbers.add(i);
        }
        Collections.shuffle(numbers, new Random(7));
        bank.awaitEverywhere("entries", 0);
        List<RequestContext.Call> calls = new ArrayList<>();
        for (int number : numbers) {
            calls.add(client.call(number));
            client.send(bank.member(number % 3), calls.get(calls.size() - 1), Op.deposit(account, 1))
                    .value();
        }
        long[] even = new long[60];
        for (int i = 0; i < 30; i++) {
            even[2 * i] = 2L * i + 2;
            even[2 * i + 1] = 2L * i + 2;
        }
        client.acknowledge(bank.member(0), FinishedNumbers.of(0, even));
        bank.awaitEverywhere("entries", 30);
        for (RequestContext.Call call : calls.subList(0, 12)) {
            Giop.Reply late = client.send(bank.member(2), call, Op.deposit(account, 1));
            if (call.number() % 2 == 0) {
                assertRefused(Refusal.STALE, late);
            } else {
                assertEquals(Giop.NO_EXCEPTION, late.status());
            }
        }
        assertEquals(60, balance());
        client.acknowledge(bank.member(0), FinishedNumbers.of(60));
        bank.awaitEverywhere("entries", 0);
    }

    @Test
    void foreignRetentionIdsMayBeSparseAndInAnyOrder() {
        Random random = new Random(11);
        List<Integer> retentions = new ArrayList<>();
        String name = "sparse-" + account;
        for (int i = 1; i <= 20; i++) {
            retentions.add(random.nextInt());
            assertEquals(
                    i,
                    foreign(bank.member(i % 3), name, retentions.get(i - 1), 1).value());
        }
        for (int i = 1; i <= 20; i++) {
            assertEquals(
                    i,
                    foreign(bank.member((i + 1) % 3), name, retentions.get(i - 1), 1)
                            .value());
        }
        assertEquals(20, balance());
    }

    // F12, F15

    @Test
    @Tag("slow")
    void twelveThousandScatteredAcknowledgementsTakeFewEntriesAndNoRequestWaitsForThem() {
        client.send(bank.member(0), client.call(1), Op.deposit(account, 1)).value();
        bank.awaitEqual();
        long before = bank.member(0).status().ordered("total");
        for (int part = 0; part < 6; part++) {
            long[] ranges = new long[4_000];
            for (int i = 0; i < 2_000; i++) {
                ranges[2 * i] = 10 + 2L * (2_000 * part + i);
                ranges[2 * i + 1] = ranges[2 * i];
            }
            client.acknowledge(bank.member(0), FinishedNumbers.of(0, ranges));
        }
        RequestContext.Call beside = client.call(2);
        long start = System.nanoTime();
        assertEquals(
                2, client.send(bank.member(0), beside, Op.deposit(account, 1)).value());
        assertTrue(System.nanoTime() - start < 2_000_000_000L, "a request waited for acknowledgements");
        bank.awaitEqual();
        assertTrue(bank.member(0).status().ordered("total") - before <= 12);
        assertEquals(0, bank.member(0).status().number("sacksWaiting"));
        for (long number : new long[] {10, 12_000, 24_008}) {
            assertRefused(Refusal.STALE, client.send(bank.member(1), client.call(number), Op.deposit(account, 1)));
        }
        assertEquals(
                3,
                client.send(bank.member(1), client.call(11), Op.deposit(account, 1))
                        .value());
    }

    @Test
    @Tag("slow")
    void anAcknowledgedNumberThatWasNeverSeenCannotRunAndOthersAreNotTouched() {
        RawClient other = newRawClient();
        RequestContext.Call theirs = other.call(40);
        other.send(bank.member(0), theirs, Op.deposit(account, 1)).value();
        client.send(bank.member(0), client.call(1), Op.deposit(account, 1)).value();
        client.acknowledge(bank.member(1), FinishedNumbers.of(0, 30, 50));
        bank.awaitEqual();
        for (MemberProcess member : bank.processes()) {
            assertRefused(Refusal.STALE, client.send(member, client.call(40), Op.deposit(account, 1)));
            assertEquals(1, other.send(member, theirs, Op.deposit(account, 1)).value());
        }
        assertEquals(2, balance());
    }

    @Test
    @Tag("slow")
    void acknowledgementsOfAClientWithoutARecordAreIgnored() {
        bank.awaitEqual();
        long clients = bank.member(0).status().number("clients");
        client.acknowledge(bank.member(0), FinishedNumbers.of(9));
        bank.awaitEqual();
        assertEquals(clients, bank.member(0).status().number("clients"));
        assertEquals(
                1,
                client.send(bank.member(0), client.call(5), Op.deposit(account, 1))
                        .value());
    }

    // Bad input

    @Test
    void malformedContextsAreRefusedOneByOneAndHarmNobody() {
        byte[] good = new RequestContext(client.id(), Optional.of(client.call()), FinishedNumbers.of(3, 5, 7)).encode();
        List<byte[]> bad = new ArrayList<>();
        for (int length = 0; length < good.length; length++) {
            bad.add(java.util.Arrays.copyOf(good, length));
        }
        bad.add(java.util.Arrays.copyOf(good, good.length + 1));
        bad.add(with(good, 0, 0));
        bad.add(with(good, 0, 3));
        bad.add(with(good, 0, 255));
        // The number 0; a timestamp before 1970.
        bad.add(with(good, 17, 0));
        bad.add(with(good, 18, 0x80));
        bad.add(new byte[RequestContext.MAX_BYTES + 1]);
        for (byte[] context : bad) {
            Giop.Reply reply = client.post(
                            bank.member(0),
                            Giop.V12,
                            Op.deposit(account, 1),
                            Map.of(RequestContext.CONTEXT_ID, context))
                    .reply();
            assertEquals(
                    MARSHAL, reply.exceptionId(), () -> java.util.HexFormat.of().formatHex(context));
            assertEquals(NO, reply.completed());
        }
        assertEquals(0, balance());
    }

    @Test
    @Tag("slow")
    void anUnknownVersionOfTheContextIsRefusedAndNotServedAsPlain() {
        byte[] good = new RequestContext(client.id(), Optional.of(client.call()), FinishedNumbers.NONE).encode();
        Giop.Reply reply = client.post(
                        bank.member(0), Giop.V12, Op.deposit(account, 1), Map.of(RequestContext.CONTEXT_ID + 7, good))
                .reply();
        assertEquals(MARSHAL, reply.exceptionId());
        assertEquals(NO, reply.completed());
        assertEquals(0, balance());
    }

    @Test
    @Tag("slow")
    void aMalformedForeignContextIsRefused() {
        for (byte[] context : List.of(new byte[0], new byte[] {9, 0, 0, 0}, new byte[] {0, 0, 0, 0, 127, 0, 0, 0})) {
            Giop.Reply reply = client.post(bank.member(1), Giop.V12, Op.deposit(account, 1), Map.of(13, context))
                    .reply();
            assertEquals(MARSHAL, reply.exceptionId());
        }
        assertEquals(0, balance());
    }

    @Test
    void everyDialectOfGiopIsServedAndOnceOnly() {
        long expected = 0;
        for (int minor = 0; minor <= 2; minor++) {
            for (boolean little : new boolean[] {false, true}) {
                Giop dialect = new Giop(minor, little);
                byte[] context =
                        new RequestContext(client.id(), Optional.of(client.call()), FinishedNumbers.NONE).encode();
                expected++;
                for (MemberProcess member : bank.processes()) {
                    Giop.Reply reply = client.post(
                                    member, dialect, Op.deposit(account, 1), Map.of(RequestContext.CONTEXT_ID, context))
                            .reply();
                    assertEquals(expected, reply.value());
                }
            }
        }
        assertEquals(expected, balance());
    }

    @Test
    @Tag("slow")
    void garbageOnAConnectionHarmsNobody() {
        for (byte[] bytes : List.of(
                new byte[] {'G', 'I', 'O', 'P'},
                "GET / HTTP/1.0\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII),
                new byte[300],
                new byte[] {'G', 'I', 'O', 'P', 1, 2, 0, 0, 0x7F, 0, 0, 0})) {
            client.raw(bank.member(0), bytes).close();
        }
        assertEquals(
                1,
                client.send(bank.member(0), client.call(), Op.deposit(account, 1))
                        .value());
    }

    @Test
    @Tag("slow")
    void aClientThatNeverReadsItsRepliesHoldsUpNobody() {
        List<RawClient.Sent> unread = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            unread.add(client.post(bank.member(0), client.call(), Op.deposit(account, 1)));
        }
        RawClient other = newRawClient();
        other.send(bank.member(0), other.call(), Op.deposit(account, 1)).value();
        unread.forEach(RawClient.Sent::close);
        bank.awaitThat("all of them ran", () -> balance() == 41);
    }

    @Test
    void aClientWithoutAmoIsServedAsPlainCorbaAndCounted() {
        long plain = bank.member(1).status().number("plainCalls");
        Giop.Reply reply = client.post(bank.member(1), Giop.V12, Op.deposit(account, 3), Map.of())
                .reply();
        assertEquals(3, reply.value());
        assertTrue(reply.answer().isEmpty());
        bank.awaitThat("the call is counted", () -> bank.member(1).status().number("plainCalls") == plain + 1);
        assertEquals(3, balance());
    }

    private static byte[] with(byte[] bytes, int at, int value) {
        byte[] changed = bytes.clone();
        changed[at] = (byte) value;
        return changed;
    }

    private static RequestContext.Call at(long number, long timestamp, long life) {
        return new RequestContext.Call(number, timestamp, timestamp + life);
    }

    private Giop.Reply foreign(MemberProcess member, String name, int retention, long amount) {
        // In units of 100 ns since 1582.
        long expiration = expirationMillis * 10_000 + 0x01B2_1DD2_1381_4000L;
        CdrWriter context = new CdrWriter(false).octet(0);
        context.string(name).uLong(retention).longLong(expiration);
        return client.post(member, Giop.V12, Op.deposit(account, amount), Map.of(13, context.toBytes()))
                .reply();
    }
}
