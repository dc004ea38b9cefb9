package org.amo.scmp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.amo.base.ClientId;
import org.junit.jupiter.api.Test;

/** Liskov, Shrira and Wroclawski, section 3.1: the client. */
class RpcClientPaperTest {
    private static final long MS = 1_000;
    private static final long NOW = 1_700_000_000_000L * MS;

    private final List<String> sent = new ArrayList<>();
    private final List<CallOutcome> ended = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private long nextId = 1;

    private final RpcClient client = new RpcClient(
            RpcClientOptions.builder()
                    .firstRetry(Duration.ofMillis(100))
                    .maxSend(Duration.ofSeconds(10))
                    .build(),
            () -> new ClientId(0, nextId++),
            new RpcClientEffects() {
                @Override
                public void call(Call call, int roomForReplyBytes) {
                    calls.add(call);
                    sent.add("CALL " + (call.timestampMicros() - NOW) + room(roomForReplyBytes));
                }

                @Override
                public void truncatedCall(ConnectionId connection, long timestampMicros, int roomForReplyBytes) {
                    sent.add("truncated " + (timestampMicros - NOW) + room(roomForReplyBytes));
                }

                @Override
                public void replyAck(ConnectionId connection, long timestampMicros) {
                    sent.add("REPLY-ACK " + (timestampMicros - NOW));
                }
            });

    private static String room(int bytes) {
        return bytes == 0 ? "" : " room " + bytes;
    }

    private Call begin(long timeoutMillis, long now) {
        client.begin(1, new byte[4], timeoutMillis * MS, ended::add, now);
        return calls.get(calls.size() - 1);
    }

    private void reply(Call call, long now) {
        client.onReply(call.connection(), call.timestampMicros(), new Reply(false, new byte[0]), now);
    }

    private void run(long from, long to) {
        for (long now = from; now <= to; now += 5 * MS) {
            client.onTick(now);
        }
    }

    /** "When there are no failures, only these two messages are needed." */
    @Test
    void aCallIsOneMessageAndTheNextOneAcknowledgesIt() {
        Call first = begin(1_000, NOW);
        reply(first, NOW + MS);
        Call second = begin(1_000, NOW + 2 * MS);
        assertEquals(first.connection(), second.connection(), "the connection is used again");
        assertEquals(List.of("CALL 0", "CALL 2000"), sent);
        assertEquals(CallOutcome.Kind.REPLY, ended.get(0).kind());
    }

    /** "Clients retransmit CALL messages on a periodic basis": the same timestamp, pauses that double. */
    @Test
    void retransmissionsKeepTheTimestampAndBackOff() {
        begin(2_000, NOW);
        run(NOW, NOW + 1_600 * MS);
        assertEquals(List.of("CALL 0", "CALL 0", "CALL 0", "CALL 0", "CALL 0"), sent, "at 0, 100, 300, 700, 1500 ms");
        run(NOW + 1_605 * MS, NOW + 2_000 * MS);
        assertEquals(CallOutcome.Kind.UNKNOWN, ended.get(0).kind());
        assertEquals(0, client.outstanding());
    }

    /** "Subsequent retransmissions send a truncated message that contains only the connection and call ids." */
    @Test
    void afterAnAckTheArgumentsStayAtHomeAndTheCallMayRunForLong() {
        Call call = begin(60_000, NOW);
        client.onAck(call.connection(), call.timestampMicros());
        run(NOW, NOW + 30_000 * MS);
        assertTrue(sent.stream().skip(1).allMatch("truncated 0"::equals), sent::toString);
        assertTrue(sent.size() > 10);
        assertTrue(ended.isEmpty(), "longer than maxSend, but it has arrived");
        reply(call, NOW + 30_000 * MS);
        assertEquals(CallOutcome.Kind.REPLY, ended.get(0).kind());
    }

    /** T-S7: retransmission "must end before rho", whatever the caller's patience. */
    @Test
    void argumentsAreNotSentForLongerThanTheServerCanTellThemApart() {
        begin(60_000, NOW);
        run(NOW, NOW + 20_000 * MS);
        assertEquals(1, ended.size());
        assertEquals(CallOutcome.Kind.UNKNOWN, ended.get(0).kind());
        int sends = sent.size();
        run(NOW + 20_000 * MS, NOW + 60_000 * MS);
        assertEquals(sends, sent.size());
    }

    /** T-S4, T-S6: calls under way together have connections of their own, and answers belong by timestamp. */
    @Test
    void answersBelongToTheirCallAndNoOther() {
        Call first = begin(1_000, NOW);
        Call other = begin(1_000, NOW);
        assertNotEquals(first.connection(), other.connection());
        reply(first, NOW + MS);
        Call second = begin(1_000, NOW + 2 * MS);
        assertEquals(first.connection(), second.connection());
        reply(first, NOW + 3 * MS);
        client.onAck(first.connection(), first.timestampMicros());
        client.onRefused(first.connection(), first.timestampMicros(), RefusalReason.STALE, NOW, NOW, NOW);
        assertEquals(1, ended.size(), "the late reply is nobody's");
        assertEquals(List.of("CALL 0", "CALL 1", "CALL 2000"), sent, "the call under way acknowledges it");
        reply(other, NOW + 4 * MS);
        reply(second, NOW + 4 * MS);
        assertEquals(3, ended.size());
    }

    @Test
    void aReplyThatNobodyWaitsForAnyMoreIsAcknowledged() {
        Call call = begin(50, NOW);
        run(NOW, NOW + 50 * MS);
        assertEquals(CallOutcome.Kind.UNKNOWN, ended.get(0).kind());
        reply(call, NOW + 60 * MS);
        assertEquals(List.of("CALL 0", "REPLY-ACK 0"), sent);
    }

    /** A server slower than our estimate is not sent everything twice for ever (Karn). */
    @Test
    void afterARetransmissionTheNextCallsWaitLongerUntilOneIsMeasured() {
        reply(begin(10_000, NOW), NOW + MS);
        Call slow = begin(10_000, NOW);
        run(NOW, NOW + 200 * MS);
        long sentAgain = sent.stream().filter("CALL 1"::equals).count();
        assertTrue(sentAgain >= 3, sent::toString);
        reply(slow, NOW + 200 * MS);
        Call next = begin(10_000, NOW + 200 * MS);
        run(NOW + 200 * MS, NOW + 270 * MS);
        assertEquals("CALL 200000", sent.get(sent.size() - 1));
        assertEquals(1, sent.stream().filter("CALL 200000"::equals).count(), "the first estimate was 20 ms");
        reply(next, NOW + 270 * MS);
    }

    /** "The client may optionally send a REPLY-ACK message as a hint to the server." */
    @Test
    void anIdleClientAcknowledgesItsLastReplyOnce() {
        reply(begin(1_000, NOW), NOW);
        run(NOW, NOW + 195 * MS);
        assertEquals(List.of("CALL 0"), sent);
        assertTrue(client.needsTicks());
        run(NOW + 200 * MS, NOW + 1_000 * MS);
        assertEquals(List.of("CALL 0", "REPLY-ACK 0"), sent);
        assertFalse(client.needsTicks());
    }

    @Test
    void aClockBehindCostsOneCall() {
        long server = NOW + 3_600_000 * MS;
        Call late = begin(1_000, NOW);
        client.onRefused(
                late.connection(), late.timestampMicros(), RefusalReason.STALE, server, server - 300_000 * MS, NOW);
        assertEquals(CallOutcome.Kind.UNKNOWN, ended.get(0).kind());
        assertEquals(server, begin(1_000, NOW).timestampMicros());
    }

    @Test
    void aServersBoundIsPassedByTheNextTimestamp() {
        Call first = begin(1_000, NOW);
        client.onRefused(first.connection(), first.timestampMicros(), RefusalReason.STALE, NOW, NOW + 9_000 * MS, NOW);
        assertEquals(NOW + 9_000 * MS + 1, begin(1_000, NOW).timestampMicros());
    }

    @Test
    void aClockAheadTakesANewIdAndTheServersTime() {
        long server = NOW - 600_000 * MS;
        Call early = begin(5_000, NOW);
        client.onRefused(
                early.connection(),
                early.timestampMicros(),
                RefusalReason.TOO_EARLY,
                server,
                server + 10_000 * MS,
                NOW);
        assertEquals(CallOutcome.Kind.UNKNOWN, ended.get(0).kind(), "it cannot be accepted in time");
        Call next = begin(5_000, NOW);
        assertEquals(server, next.timestampMicros());
        assertNotEquals(early.connection().client(), next.connection().client(), "smaller timestamps need another id");
    }

    /** A server that has just started has stored no new latest yet: its refusal, three seconds late, says nothing about our clock. */
    @Test
    void aLateRefusalDoesNotTakeARightClockBack() {
        Call early = begin(5_000, NOW);
        client.onRefused(
                early.connection(), early.timestampMicros(), RefusalReason.TOO_EARLY, NOW, NOW - 1, NOW + 3_000 * MS);
        Call next = begin(5_000, NOW + 3_000 * MS);
        assertEquals(NOW + 3_000 * MS, next.timestampMicros(), "not the server's time of three seconds ago");
        assertEquals(early.connection().client(), next.connection().client());
    }

    /** "Refused" was said after the first send: the server's time is by now what it said and that long at most. */
    @Test
    void aClockAheadIsTakenBackNoFurtherThanTheRefusalProves() {
        long server = NOW - 600_000 * MS;
        Call early = begin(5_000, NOW);
        client.onRefused(
                early.connection(),
                early.timestampMicros(),
                RefusalReason.TOO_EARLY,
                server,
                server + 10_000 * MS,
                NOW + 3_000 * MS);
        assertEquals(server + 3_000 * MS, begin(5_000, NOW + 3_000 * MS).timestampMicros());
    }

    @Test
    void theRefusalOfACallStampedBeforeTheLastCorrectionCorrectsNothing() {
        Call first = begin(5_000, NOW);
        Call second = begin(5_000, NOW);
        long server = NOW + 60_000 * MS;
        client.onRefused(first.connection(), first.timestampMicros(), RefusalReason.STALE, server, server, NOW + MS);
        client.onRefused(
                second.connection(),
                second.timestampMicros(),
                RefusalReason.TOO_EARLY,
                NOW - 60_000 * MS,
                NOW - 60_000 * MS,
                NOW + 2 * MS);
        assertEquals(server - MS, client.clockOffsetMicros() + NOW, "the newer answer stays");
        client.onRefused(second.connection(), second.timestampMicros(), RefusalReason.STALE, NOW, NOW, NOW + 3 * MS);
        assertEquals(server - MS, client.clockOffsetMicros() + NOW);
    }

    @Test
    void aLittleTooEarlyIsSentAgainUnderTheSameTimestamp() {
        Call early = begin(5_000, NOW);
        client.onRefused(
                early.connection(), early.timestampMicros(), RefusalReason.TOO_EARLY, NOW - 1, NOW - 50 * MS, NOW);
        assertTrue(ended.isEmpty());
        run(NOW, NOW + 100 * MS);
        assertEquals(List.of("CALL 0", "CALL 0"), sent);
        reply(early, NOW + 101 * MS);
        assertEquals(CallOutcome.Kind.REPLY, ended.get(0).kind());
    }

    @Test
    void outcomesSayWhatIsCertain() {
        Call missing = begin(1_000, NOW);
        client.onRefused(missing.connection(), missing.timestampMicros(), RefusalReason.NO_SUCH_SERVICE, NOW, 0, NOW);
        assertEquals(CallOutcome.Kind.NOT_EXECUTED, ended.get(0).kind());
        Call forgotten = begin(1_000, NOW);
        client.onRefused(forgotten.connection(), forgotten.timestampMicros(), RefusalReason.UNKNOWN_CALL, NOW, 0, NOW);
        assertEquals(CallOutcome.Kind.UNKNOWN, ended.get(1).kind());
        Call overloaded = begin(300, NOW);
        client.onRefused(overloaded.connection(), overloaded.timestampMicros(), RefusalReason.OVERLOADED, NOW, 0, NOW);
        assertEquals(2, ended.size(), "it is sent again");
        run(NOW, NOW + 300 * MS);
        assertEquals(RefusalReason.OVERLOADED, ended.get(2).reason().orElseThrow());
        begin(1_000, NOW);
        client.close();
        assertEquals(CallOutcome.Kind.UNKNOWN, ended.get(3).kind());
    }

    @Test
    void aHeldReplyIsFetchedWithADatagramOfItsSize() {
        Call call = begin(1_000, NOW);
        client.onHeld(call.connection(), call.timestampMicros(), 5_000, NOW);
        client.onHeld(call.connection(), call.timestampMicros(), 5_000, NOW);
        assertEquals(List.of("CALL 0", "truncated 0 room 5000"), sent, "once; the timer repeats it");
    }

    @Test
    void limitsAreNamed() {
        String large = assertThrows(
                        IllegalArgumentException.class, () -> client.begin(1, new byte[65_456], MS, ended::add, NOW))
                .getMessage();
        assertTrue(large.contains("65456") && large.contains("65455"), large);
        assertThrows(IllegalArgumentException.class, () -> client.begin(1, new byte[0], 0, ended::add, NOW));
        assertTrue(sent.isEmpty());
    }
}
