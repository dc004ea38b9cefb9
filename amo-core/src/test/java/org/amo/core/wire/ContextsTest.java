package org.amo.core.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.sack.NumberRanges;
import org.amo.core.wire.RequestContext.Call;
import org.amo.meetings.Decoder;
import org.amo.meetings.Fuzz;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** docs/wire/contexts.md, byte by byte; and everything else that may come in its place. */
final class ContextsTest implements HostileBytes {
    private static final ClientId CLIENT = new ClientId(0x0102_0304_0506_0708L, 0x090A_0B0C_0D0E_0F10L);
    private static final String CLIENT_HEX = "0102030405060708090a0b0c0d0e0f10";
    private static final long TIME = 1_700_000_000_000L;

    private static final String CALL = "01" + CLIENT_HEX + "ac02" + "0000018bcfe56800" + "904e" + "0a" + "00" + "0000";
    private static final String ACKNOWLEDGEMENTS = "02" + CLIENT_HEX + "af09";
    private static final String RANGES = "02" + CLIENT_HEX + "02" + "02" + "0000" + "01c701" + "0000";
    private static final String REPLY = "02" + "00" + "00" + "00" + "0000018bcfe56800" + "0000018bcfe0d420";
    private static final String REFUSED = "02" + "01" + "04" + "00" + "0000018bcfe56800" + "0000018bcfe0d420";
    private static final String OVERLOADED = "02" + "01" + "05" + "03" + "0000018bcfe56800" + "0000018bcfe0d420";
    private static final String UNKNOWN = "02" + "02" + "00" + "00" + "0000000000000000" + "8000000000000000";

    private static final String PATH = "01" + "02" + "0462616e6b" + "056175646974";
    private static final String MEMBERS = "01" + "02" + "02" + "0831302e302e302e32" + "c94c" + "026833" + "ca4c";

    @Override
    public List<Decoder> decoders() {
        return List.of(
                Decoder.of(
                        "request context",
                        MalformedFrameException.class,
                        RequestContext::decode,
                        Fuzz.bytes(CALL),
                        Fuzz.bytes(ACKNOWLEDGEMENTS),
                        Fuzz.bytes(RANGES)),
                Decoder.of(
                        "answer context",
                        MalformedFrameException.class,
                        AnswerContext::decode,
                        Fuzz.bytes(REPLY),
                        Fuzz.bytes(REFUSED),
                        Fuzz.bytes(OVERLOADED),
                        Fuzz.bytes(UNKNOWN)),
                Decoder.of("path context", MalformedFrameException.class, PathContext::decode, Fuzz.bytes(PATH)),
                Decoder.of(
                        "members context", MalformedFrameException.class, MembersContext::decode, Fuzz.bytes(MEMBERS)));
    }

    // ------------------------------------------------- golden bytes

    @Test
    void goldenRequestContextOfACall() {
        assertRequest(
                CALL,
                new RequestContext(
                        CLIENT, Optional.of(new Call(300, TIME, TIME + 10_000)), FinishedNumbers.of(297, 299, 299)));
    }

    @Test
    void goldenRequestContextOfAcknowledgementsOnly() {
        assertRequest(ACKNOWLEDGEMENTS, new RequestContext(CLIENT, Optional.empty(), FinishedNumbers.of(300)));
    }

    @Test
    void goldenRequestContextWithRanges() {
        assertRequest(
                RANGES, new RequestContext(CLIENT, Optional.empty(), FinishedNumbers.of(0, 2, 2, 5, 204, 206, 206)));
    }

    @Test
    void goldenAnswerContexts() {
        assertAnswer(REPLY, Answer.reply(new byte[0], TIME, TIME - 300_000));
        assertAnswer(REFUSED, Answer.refused(Refusal.TOO_EARLY, TIME, TIME - 300_000));
        assertAnswer(OVERLOADED, Answer.overloaded(Budget.CLIENT_BYTES, TIME, TIME - 300_000));
        assertAnswer(UNKNOWN, Answer.unknown(0, Answer.NO_BOUND));
    }

    @Test
    void theCodesOfRefusalsAndKindsAreFixed() {
        assertEquals(
                List.of(Refusal.ID_REUSED, Refusal.STALE, Refusal.EXPIRED, Refusal.TOO_EARLY, Refusal.OVERLOADED),
                List.of(Refusal.values()));
        assertEquals(
                List.of(Answer.Kind.REPLY, Answer.Kind.REFUSED, Answer.Kind.UNKNOWN), List.of(Answer.Kind.values()));
        assertEquals(0x414D4F01, RequestContext.CONTEXT_ID);
        assertEquals(0x414D4F02, AnswerContext.CONTEXT_ID);
        assertEquals(0x414D5001, PathContext.CONTEXT_ID);
    }

    @Test
    void goldenPathContext() {
        CallPath path = new CallPath(List.of("bank", "audit"));
        assertEquals(PATH, Fuzz.hex(PathContext.encode(path)));
        assertEquals(path, PathContext.decode(Fuzz.bytes(PATH)));
    }

    @Test
    void goldenMembersContext() {
        GroupMembers group = new GroupMembers(2, Member.parseList("b=10.0.0.2:7801/9801,c=h3:7801/9802"));
        MembersContext context = MembersContext.of(group).orElseThrow();
        assertEquals(MEMBERS, Fuzz.hex(context.encode()));
        assertEquals(context, MembersContext.decode(Fuzz.bytes(MEMBERS)));
        assertEquals(0x414D5002, MembersContext.CONTEXT_ID);
    }

    @Test
    void asManyMembersAreToldAsAreRead() {
        for (int count : new int[] {64, 65}) {
            List<Member> members = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                members.add(new Member("m" + i, "h".repeat(255), 1 + i, 1_000 + i));
            }
            Optional<MembersContext> context = MembersContext.of(new GroupMembers(Long.MAX_VALUE, members));
            assertEquals(count == 64, context.isPresent());
            context.ifPresent(each -> assertEquals(each, MembersContext.decode(each.encode())));
        }
        List<Member> longName = List.of(new Member("a", "h".repeat(256), 1, 2));
        assertEquals(Optional.empty(), MembersContext.of(new GroupMembers(0, longName)));
        for (String hex :
                List.of("02" + "00" + "01" + "0168" + "01", "01" + "00" + "00", "01" + "00" + "01" + "0168" + "00")) {
            assertThrows(MalformedFrameException.class, () -> MembersContext.decode(Fuzz.bytes(hex)), hex);
        }
    }

    @Test
    void aPathOfAnotherVersionIsNone() {
        assertEquals(CallPath.NONE, PathContext.decode(Fuzz.bytes("02" + "ff00")));
    }

    @Test
    void aPathAsLongAsItMayBeIsReadAndALongerOneIsMalformed() {
        CallPath most = new CallPath(Collections.nCopies(16, "g".repeat(64)));
        assertEquals(most, PathContext.decode(PathContext.encode(most)));
        String group = "40" + "67".repeat(64);
        for (String hex : List.of(
                "01" + "00",
                "01" + "11" + "0167".repeat(17),
                "01" + "10" + group.repeat(15) + "41" + "67".repeat(65))) {
            assertThrows(MalformedFrameException.class, () -> PathContext.decode(Fuzz.bytes(hex)), hex);
        }
        assertThrows(MalformedFrameException.class, () -> PathContext.decode(Fuzz.bytes("01" + "02" + "0167" + "00")));
    }

    @Property(tries = 300)
    void whatIsEncodedIsDecoded(@ForAll long seed) {
        Random random = new Random(seed);
        NumberRanges finished = new NumberRanges();
        for (int i = random.nextInt(40); i > 0; i--) {
            long first = 1 + (random.nextLong() >>> (5 + random.nextInt(57)));
            finished.add(first, first + random.nextInt(9));
        }
        long time = random.nextLong() >>> 16;
        RequestContext context = new RequestContext(
                new ClientId(random.nextLong(), random.nextLong()),
                random.nextBoolean()
                        ? Optional.empty()
                        : Optional.of(new Call(1 + (random.nextLong() >>> 4), time, time + (random.nextLong() >>> 17))),
                finished.toFinished(0, FinishedNumbers.MAX_RANGES));
        assertEquals(context, RequestContext.decode(context.encode()));
    }

    @Test
    void theLargestSetOfRangesFitsAndIsRead() {
        long[] bounds = new long[2 * FinishedNumbers.MAX_RANGES];
        long next = 1;
        for (int i = 0; i < bounds.length; i++) {
            next += 1L << 40;
            bounds[i] = next;
        }
        FinishedNumbers most = FinishedNumbers.of(0, bounds);
        byte[] bytes = new RequestContext(CLIENT, Optional.empty(), most).encode();
        assertTrue(bytes.length <= RequestContext.MAX_BYTES);
        assertEquals(most, RequestContext.decode(bytes).finished());
    }

    // ------------------------------------------------- limits

    @Test
    void whatIsOutsideTheLimitsIsMalformedAndNamesFieldOffsetAndValue() {
        assertMalformed("kind", "00" + CLIENT_HEX + "00");
        assertMalformed("kind", "03" + CLIENT_HEX + "00");
        assertMalformed("number", "01" + CLIENT_HEX + "00" + "0000018bcfe56800" + "01" + "00");
        assertMalformed("number", "01" + CLIENT_HEX + "818080808080808010" + "0000018bcfe56800" + "01" + "00");
        assertMalformed("timestamp", "01" + CLIENT_HEX + "01" + "ffffffffffffffff" + "01" + "00");
        assertMalformed("timestamp", "01" + CLIENT_HEX + "01" + "0001000000000001" + "01" + "00");
        RequestContext.decode(Fuzz.bytes("01" + CLIENT_HEX + "01" + "0001000000000000" + "01" + "00"));
        assertMalformed("deadline", "01" + CLIENT_HEX + "01" + "0000018bcfe56800" + "8180808080804001" + "00");
        assertMalformed("finished ranges", "02" + CLIENT_HEX + "02" + "d00f" + "00".repeat(4002));
        assertMalformed("finished gap", "02" + CLIENT_HEX + "02" + "00" + "ffffffffffffffff7f" + "00");
        assertMalformed("finished length", "02" + CLIENT_HEX + "02" + "00" + "00" + "ffffffffffffffff7f");
        MalformedFrameException e =
                assertThrows(MalformedFrameException.class, () -> RequestContext.decode(Fuzz.bytes("07" + CLIENT_HEX)));
        assertEquals("request context: field kind before offset 1 is 7", e.getMessage());
    }

    @Test
    void aCallThatNoReaderAcceptsCannotBeMade() {
        long most = WireReader.MAX_TIME_MILLIS;
        for (Call call :
                List.of(new Call(1, 0, 0), new Call(WireReader.MAX_NUMBER, most, 2 * most), new Call(1, most, most))) {
            RequestContext context = new RequestContext(CLIENT, Optional.of(call), FinishedNumbers.NONE);
            assertEquals(context, RequestContext.decode(context.encode()));
        }
        assertThrows(IllegalArgumentException.class, () -> new Call(0, TIME, TIME));
        assertThrows(IllegalArgumentException.class, () -> new Call(WireReader.MAX_NUMBER + 1, TIME, TIME));
        assertThrows(IllegalArgumentException.class, () -> new Call(1, -1, TIME));
        assertThrows(IllegalArgumentException.class, () -> new Call(1, most + 1, most + 1));
        assertThrows(IllegalArgumentException.class, () -> new Call(1, TIME, TIME - 1));
        assertThrows(IllegalArgumentException.class, () -> new Call(1, TIME, TIME + most + 1));
    }

    @Test
    void finishedNumbersThatNoReaderAcceptsCannotBeMade() {
        long most = WireReader.MAX_NUMBER;
        for (FinishedNumbers finished : List.of(
                FinishedNumbers.of(most), FinishedNumbers.of(0, 2, most), FinishedNumbers.of(most - 2, most, most))) {
            RequestContext context = new RequestContext(CLIENT, Optional.empty(), finished);
            assertEquals(context, RequestContext.decode(context.encode()));
        }
        assertThrows(IllegalArgumentException.class, () -> FinishedNumbers.of(most + 1));
        assertThrows(IllegalArgumentException.class, () -> FinishedNumbers.of(0, 2, most + 1));
        assertThrows(IllegalArgumentException.class, () -> FinishedNumbers.of(0, new long[4_002]));
        assertThrows(IllegalArgumentException.class, () -> FinishedNumbers.of(0, Long.MIN_VALUE, 7));
    }

    @Test
    void aNumberWrittenLongerThanNeededOrWithoutAnEndIsMalformed() {
        assertMalformed("finished floor", "02" + CLIENT_HEX + "8000");
        assertMalformed("finished floor", "02" + CLIENT_HEX + "ff".repeat(10));
    }

    @Test
    void aFloorThatIsNoneOrOutsideTheNumbersIsMalformed() {
        assertMalformed("finished floor", "02" + CLIENT_HEX + "01"); // nothing, but not in its only form
        assertMalformed("finished floor", "02" + CLIENT_HEX + "05"); // one below 0
        assertMalformed("finished floor", "01" + CLIENT_HEX + "01" + "0000018bcfe56800" + "01" + "05");
        assertMalformed("finished floor", "02" + CLIENT_HEX + "838080808080808040"); // 2^60 + 1; 2^60 is the most
        FinishedNumbers most = FinishedNumbers.of(1L << 60);
        assertRequest(
                Fuzz.hex(new RequestContext(CLIENT, Optional.empty(), most).encode()),
                new RequestContext(CLIENT, Optional.empty(), most));
    }

    @Test
    void aFloorAtTheRequestItselfOrBeyondIsKept() {
        for (long floor : new long[] {1, 298, 299, 300, 301, 5_000}) {
            RequestContext context = new RequestContext(
                    CLIENT,
                    Optional.of(new Call(300, TIME, TIME + 10_000)),
                    FinishedNumbers.of(floor, floor + 3, floor + 4));
            assertEquals(context, RequestContext.decode(context.encode()));
        }
    }

    @Test
    void aClientOfOneThreadAcknowledgesInOneByte() {
        Call call = new Call(1_000_000, TIME, TIME + 10_000);
        int none = new RequestContext(CLIENT, Optional.of(call), FinishedNumbers.NONE).encode().length;
        int all = new RequestContext(CLIENT, Optional.of(call), FinishedNumbers.of(999_999)).encode().length;
        assertEquals(none, all);
    }

    @Test
    void aContextLongerThanTheLimitIsRefusedUnread() {
        assertThrows(
                MalformedFrameException.class, () -> RequestContext.decode(new byte[RequestContext.MAX_BYTES + 1]));
    }

    @Test
    void anAnswerWhoseKindAndRefusalDoNotFitIsMalformed() {
        String times = REPLY.substring(8);
        for (String head : List.of("000000", "020000", "010300", "010006", "010106", "010100", "010001", "010201")) {
            assertThrows(
                    MalformedFrameException.class,
                    () -> AnswerContext.decode(Fuzz.bytes(head + times)),
                    "head " + head);
        }
    }

    @Test
    void countsBeyondTheFrameAllocateNothing() {
        Fuzz.claims(Fuzz.bytes("02" + CLIENT_HEX + "02" + "cf0f"), ContextsTest::requestAgain);
        Fuzz.claims(Fuzz.bytes("02" + CLIENT_HEX + "02" + "8080808008"), ContextsTest::requestAgain);
        Fuzz.claims(Fuzz.bytes("02" + CLIENT_HEX + "02" + "ffffffffffffffff7f"), ContextsTest::requestAgain);
    }

    // ------------------------------------------------- whatever comes

    @Test
    void aContextCutAnywhereIsMalformed() {
        for (String golden : List.of(CALL, ACKNOWLEDGEMENTS, RANGES)) {
            Fuzz.truncations(Fuzz.bytes(golden), RequestContext::decode);
        }
        for (String golden : List.of(REPLY, REFUSED, OVERLOADED, UNKNOWN)) {
            Fuzz.truncations(Fuzz.bytes(golden), AnswerContext::decode);
        }
        Fuzz.truncations(Fuzz.bytes(PATH), PathContext::decode);
        Fuzz.truncations(Fuzz.bytes(MEMBERS), MembersContext::decode);
    }

    @Property(tries = 20)
    void anyBytesAreMalformedOrTheOnlyFormOfWhatTheySay(@ForAll long seed) {
        for (String golden : List.of(CALL, ACKNOWLEDGEMENTS, RANGES)) {
            Fuzz.mutations(seed, 400, Fuzz.bytes(golden), ContextsTest::requestAgain, true);
        }
        for (String golden : List.of(REPLY, REFUSED, OVERLOADED, UNKNOWN)) {
            Fuzz.mutations(
                    seed, 200, Fuzz.bytes(golden), bytes -> AnswerContext.encode(AnswerContext.decode(bytes)), true);
        }
        Fuzz.mutations(seed, 400, Fuzz.bytes(PATH), ContextsTest::pathAgain, true);
        Fuzz.mutations(
                seed,
                400,
                Fuzz.bytes(MEMBERS),
                bytes -> MembersContext.decode(bytes).encode(),
                true);
    }

    /** What another version says is not known. */
    private static byte[] pathAgain(byte[] bytes) {
        CallPath path = PathContext.decode(bytes);
        return path.isEmpty() ? bytes : PathContext.encode(path);
    }

    private static byte[] requestAgain(byte[] bytes) {
        return RequestContext.decode(bytes).encode();
    }

    private static void assertRequest(String golden, RequestContext context) {
        assertEquals(golden, Fuzz.hex(context.encode()));
        assertEquals(context, RequestContext.decode(Fuzz.bytes(golden)));
    }

    private static void assertAnswer(String golden, Answer answer) {
        assertEquals(golden, Fuzz.hex(AnswerContext.encode(answer)));
        Answer decoded = AnswerContext.decode(Fuzz.bytes(golden));
        assertEquals(answer.kind(), decoded.kind());
        assertEquals(answer.refusal(), decoded.refusal());
        assertEquals(answer.orderedTimeMillis(), decoded.orderedTimeMillis());
        assertEquals(answer.upperMillis(), decoded.upperMillis());
        assertArrayEquals(new byte[0], decoded.reply());
    }

    private static void assertMalformed(String field, String hex) {
        MalformedFrameException e =
                assertThrows(MalformedFrameException.class, () -> RequestContext.decode(Fuzz.bytes(hex)), hex);
        assertTrue(e.getMessage().contains("field " + field + " "), e.getMessage());
    }
}
