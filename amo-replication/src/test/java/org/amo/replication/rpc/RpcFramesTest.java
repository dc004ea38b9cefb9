package org.amo.replication.rpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.base.wire.FrameLimitException;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.client.Attempt;
import org.amo.core.replica.ReplicatedService.Read;
import org.amo.core.replica.ReplicatedService.ReadAnswer;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.meetings.AllocatedBytes;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** The bytes of docs/wire/rpc.md. */
class RpcFramesTest implements HostileBytes {
    private static final ClientId CLIENT = new ClientId(0x0102030405060708L, 0x090A0B0C0D0E0F10L);
    private static final byte[] SALT = HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f");
    private static final Attempt COPY = new Attempt(
            300,
            RequestId.own(CLIENT, 3),
            1_700_000_000_000L,
            1_700_000_010_000L,
            false,
            FinishedNumbers.of(2),
            new byte[] {0x61, 0x62});

    private static final Read READ = new Read(COPY.body(), 0, 0, 10_000, answer -> {});

    private static final CallPath PATH = new CallPath(List.of("bank", "audit"));

    @Test
    void theExamplesOfThePageAreTheBytes() {
        assertEquals("414d4f5204", HexFormat.of().formatHex(RpcFrames.PREAMBLE));
        golden(
                "01 04 62616e6b 000102030405060708090a0b0c0d0e0f 00",
                RpcFrames.hello(new RpcFrames.Hello("bank", SALT, new byte[0])));
        golden("02 000102030405060708090a0b0c0d0e0f 00", RpcFrames.welcome(new RpcFrames.Welcome(SALT, new byte[0])));
        golden("03 01 02 6e6f", RpcFrames.refused(true, "no"));
        golden(
                "04 ac02 00 1d 01 0102030405060708090a0b0c0d0e0f10 03 0000018bcfe56800 904e 01 6162",
                RpcFrames.request(CLIENT, COPY));
        golden("05 02 0102030405060708090a0b0c0d0e0f10 07", RpcFrames.finished(CLIENT, FinishedNumbers.of(2)));
        golden(
                "06 ac02 00 00 00 0000018bcfe56800 0000018bcfe56801 6f6b",
                RpcFrames.answer(300, Answer.reply(new byte[] {0x6f, 0x6b}, 1_700_000_000_000L, 1_700_000_000_001L)));
        golden(
                "06 ac02 01 02 00 0000018bcfe56800 8000000000000000",
                RpcFrames.answer(300, Answer.refused(Refusal.STALE, 1_700_000_000_000L, Answer.NO_BOUND)));
        golden("07 01 61 0000018bcfe56800", RpcFrames.state(new RpcFrames.State("a", 1_700_000_000_000L)));
        golden("08", RpcFrames.draining());
        golden("09 ac02 02ac02", RpcFrames.ask(300, new byte[] {2, (byte) 0xac, 2}));
        golden("09 ac02 414d5001 01 02 0462616e6b 056175646974", RpcFrames.path(300, PATH));
        golden("0a ac02 01 6f6b", RpcFrames.told(300, Optional.of(new byte[] {0x6f, 0x6b})));
        golden("0a ac02 00", RpcFrames.told(300, Optional.empty()));
        golden("0b ac02 06 737461747573 00", RpcFrames.operate(300, "status", ""));
        golden("0c ac02 01 02 7b7d", RpcFrames.operated(300, Optional.of("{}")));
        golden("0c ac02 00", RpcFrames.operated(300, Optional.empty()));
        golden("09 ac02 414d5002", RpcFrames.ask(300, RpcFrames.takesReads()));
        golden("0d ac02 00 00 904e 6162", RpcFrames.read(300, READ));
        golden("0e ac02 00 07 6f6b", RpcFrames.readAnswer(300, ReadAnswer.result(7, new byte[] {0x6f, 0x6b})));
        golden("0e ac02 01 02 6e6f", RpcFrames.readAnswer(300, ReadAnswer.refused("no")));
        golden("0e ac02 02 02 6e6f", RpcFrames.readAnswer(300, ReadAnswer.toBeOrdered("no")));
    }

    @Test
    void whatWasWrittenIsRead() {
        RpcFrames.Arrived arrived = RpcFrames.readRequest(RpcFrames.request(CLIENT, COPY));
        assertEquals(300, arrived.copy());
        assertEquals(CLIENT, arrived.context().client());
        assertEquals(3, arrived.context().call().orElseThrow().number());
        assertEquals(2, arrived.context().finished().floor());
        assertArrayEquals(COPY.body(), arrived.body());
        RpcFrames.Answered answered =
                RpcFrames.readAnswer(RpcFrames.answer(7, Answer.refused(Refusal.TOO_EARLY, 5, 4)));
        assertEquals(7, answered.copy());
        assertEquals(Optional.of(Refusal.TOO_EARLY), answered.answer().refusal());
        RpcFrames.Asked asked = RpcFrames.readAsk(RpcFrames.ask(8, COPY.body()));
        assertEquals(8, asked.copy());
        assertArrayEquals(COPY.body(), asked.question());
        assertEquals(Optional.empty(), RpcFrames.readPath(asked.question()), "a question for the service");
        assertEquals(
                Optional.of(PATH),
                RpcFrames.readPath(RpcFrames.readAsk(RpcFrames.path(8, PATH)).question()));
        RpcFrames.Told told = RpcFrames.readTold(RpcFrames.told(9, Optional.of(COPY.body())));
        assertEquals(9, told.copy());
        assertArrayEquals(COPY.body(), told.answer().orElseThrow());
        RpcFrames.Operate change = new RpcFrames.Operate(10, "member", "add d=h:1/2 0 ");
        assertEquals(change, RpcFrames.readOperate(RpcFrames.operate(10, change.question(), change.argument())));
        for (Optional<String> answer : List.of(Optional.of("{\"id\":\"\u00e9\"}"), Optional.<String>empty())) {
            assertEquals(new RpcFrames.Operated(11, answer), RpcFrames.readOperated(RpcFrames.operated(11, answer)));
        }
        RpcFrames.ReadArrived read =
                RpcFrames.readRead(RpcFrames.read(12, new Read(COPY.body(), 5, 6, 7, answer -> {})));
        assertEquals(
                List.of(12L, 5L, 6L, 7L), List.of(read.copy(), read.mostAgeMillis(), read.after(), read.leftMillis()));
        assertArrayEquals(COPY.body(), read.body());
        RpcFrames.ReadAnswered result =
                RpcFrames.readReadAnswer(RpcFrames.readAnswer(13, ReadAnswer.result(8, COPY.body())));
        assertEquals(8, result.answer().position());
        assertArrayEquals(COPY.body(), result.answer().result());
        for (ReadAnswer.Kind kind : List.of(ReadAnswer.Kind.REFUSED, ReadAnswer.Kind.TO_BE_ORDERED)) {
            ReadAnswer without = new ReadAnswer(kind, 0, new byte[0], "no leader");
            ReadAnswer other =
                    RpcFrames.readReadAnswer(RpcFrames.readAnswer(14, without)).answer();
            assertEquals(kind, other.kind());
            assertEquals("no leader", other.why());
        }
        assertTrue(RpcFrames.answerToTakesReads(RpcFrames.takesReads()).isPresent());
        assertEquals(Optional.empty(), RpcFrames.answerToTakesReads(COPY.body()), "a question for the service");
        byte[] tooLong = new byte[RpcQuestions.MAX_BYTES + 1];
        assertThrows(FrameLimitException.class, () -> RpcFrames.operate(8, "member", "x".repeat(4_097)));
        assertThrows(FrameLimitException.class, () -> RpcFrames.ask(8, tooLong));
        assertThrows(FrameLimitException.class, () -> RpcFrames.told(8, Optional.of(tooLong)));
        assertEquals(
                new RpcRefusal(RpcRefusal.Kind.TOLD, false, "later"),
                RpcFrames.readRefused(RpcFrames.refused(false, "later")));
    }

    @Test
    void whatIsAsLongAsItMayBeIsRead() {
        RpcFrames.Arrived arrived = RpcFrames.readRequest(RpcFrames.request(CLIENT, copy(Request.MAX_BODY_BYTES)));
        assertEquals(Request.MAX_BODY_BYTES, arrived.body().length);
        assertThrows(FrameLimitException.class, () -> RpcFrames.request(CLIENT, copy(Request.MAX_BODY_BYTES + 1)));
        byte[] longest = RpcFrames.answer(Long.MAX_VALUE, Answer.reply(new byte[Answer.MAX_REPLY_BYTES], 1, 2));
        assertTrue(longest.length <= RpcFrames.MAX_BYTES);
        assertEquals(
                Answer.MAX_REPLY_BYTES, RpcFrames.readAnswer(longest).answer().reply().length);
        Answer tooLong = Answer.reply(new byte[Answer.MAX_REPLY_BYTES + 1], 1, 2);
        assertThrows(FrameLimitException.class, () -> RpcFrames.answer(1, tooLong));
        RpcPeer peer = new RpcPeer("h", 1, "g".repeat(256), Optional.empty());
        RpcFrames.Hello hello = new RpcFrames.Hello(peer.group(), SALT, SALT);
        assertEquals(peer.group(), RpcFrames.readHello(RpcFrames.hello(hello)).group());
        assertThrows(IllegalArgumentException.class, () -> new RpcPeer("h", 1, "g".repeat(257), Optional.empty()));
        RpcFrames.State state = new RpcFrames.State("m".repeat(256), Long.MIN_VALUE);
        assertEquals(state, RpcFrames.readState(RpcFrames.state(state)));
        assertThrows(FrameLimitException.class, () -> RpcFrames.state(new RpcFrames.State("m".repeat(257), 1)));
        String why = "\uFFFD".repeat(1_000);
        assertEquals(
                why.substring(0, 200),
                RpcFrames.readRefused(RpcFrames.refused(true, why)).why());
        String pairs = "x" + "\uD83D\uDE00".repeat(200);
        assertEquals(
                200, RpcFrames.readRefused(RpcFrames.refused(true, pairs)).why().length());
    }

    /** A member writes the answers of all its clients in one thread. */
    @Test
    void aRequestAndAnAnswerAreWrittenIntoOneArrayOfTheirLength() {
        Attempt request = copy(1 << 20);
        Answer answer = Answer.reply(new byte[1 << 20], 1, 2);
        long most = (5L << 20) / 4;
        byte[][] frame = {{}};
        assertTrue(AllocatedBytes.leastOf(() -> frame[0] = RpcFrames.request(CLIENT, request)) < most);
        assertTrue(AllocatedBytes.leastOf(() -> frame[0] = RpcFrames.answer(300, answer)) < most);
        assertTrue(frame[0].length > 1 << 20);
    }

    @Test
    void theLongestRequestFitsAFrameThatAServerTakes() {
        long[] bounds = new long[2 * FinishedNumbers.MAX_RANGES];
        for (int i = 0; i < bounds.length; i++) {
            bounds[i] = (i + 1) * (1L << 46);
        }
        Attempt longest = new Attempt(
                Long.MAX_VALUE,
                RequestId.own(CLIENT, RequestId.MAX_NUMBER),
                0,
                1L << 48,
                true,
                FinishedNumbers.of(0, bounds),
                new byte[Request.MAX_BODY_BYTES]);
        assertTrue(RpcFrames.request(CLIENT, longest).length <= RpcFrames.MAX_BYTES);
    }

    private static Attempt copy(int bodyBytes) {
        return new Attempt(300, RequestId.own(CLIENT, 3), 1, 2, false, FinishedNumbers.NONE, new byte[bodyBytes]);
    }

    @Test
    void damagedFramesAreRefusedAndNothingElseHappens() {
        Random random = new Random(7);
        List<byte[]> good = List.of(
                RpcFrames.hello(new RpcFrames.Hello("bank", SALT, SALT)),
                RpcFrames.welcome(new RpcFrames.Welcome(SALT, SALT)),
                RpcFrames.refused(true, "no"),
                RpcFrames.request(CLIENT, COPY),
                RpcFrames.finished(CLIENT, FinishedNumbers.of(2)),
                RpcFrames.answer(300, Answer.reply(new byte[9], 1, 2)),
                RpcFrames.state(new RpcFrames.State("a", 1)));
        List<Consumer<byte[]>> readers = List.of(
                RpcFrames::readHello,
                RpcFrames::readWelcome,
                RpcFrames::readRefused,
                RpcFrames::readRequest,
                RpcFrames::readFinished,
                RpcFrames::readAnswer,
                RpcFrames::readState);
        int refused = 0;
        for (int round = 0; round < 20_000; round++) {
            byte[] frame = good.get(round % good.size()).clone();
            int cut = random.nextInt(3) == 0 ? random.nextInt(frame.length + 1) : frame.length;
            frame = Arrays.copyOf(frame, cut);
            for (int i = 0; i < 2 && frame.length > 0; i++) {
                frame[random.nextInt(frame.length)] = (byte) random.nextInt();
            }
            try {
                readers.get(round % readers.size()).accept(frame);
            } catch (MalformedFrameException e) {
                refused++;
            }
        }
        assertTrue(refused > 5_000, "refused " + refused);
    }

    @Test
    void aFrameOfAnotherKindIsNamed() {
        MalformedFrameException why =
                assertThrows(MalformedFrameException.class, () -> RpcFrames.readRequest(RpcFrames.draining()));
        assertTrue(why.getMessage().startsWith("request: field kind"), why.getMessage());
    }

    private static void golden(String hex, byte[] frame) {
        assertEquals(hex.replace(" ", ""), HexFormat.of().formatHex(frame));
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(
                Decoder.of(
                        "client frames",
                        MalformedFrameException.class,
                        RpcFramesTest::asAMember,
                        RpcFrames.hello(new RpcFrames.Hello("bank", SALT, new byte[0])),
                        RpcFrames.request(CLIENT, COPY),
                        RpcFrames.finished(CLIENT, FinishedNumbers.of(2, 4, 9)),
                        RpcFrames.ask(300, new byte[] {2, 3}),
                        RpcFrames.path(300, PATH),
                        RpcFrames.operate(300, "member", "add d=h:1/2 0 "),
                        RpcFrames.read(300, READ)),
                Decoder.of(
                        "member frames",
                        MalformedFrameException.class,
                        RpcFramesTest::asAClient,
                        RpcFrames.welcome(new RpcFrames.Welcome(SALT, new byte[0])),
                        RpcFrames.refused(true, "no"),
                        RpcFrames.answer(300, Answer.reply(new byte[] {1, 2}, 1, 2)),
                        RpcFrames.answer(300, Answer.refused(Refusal.STALE, 1, 2)),
                        RpcFrames.state(new RpcFrames.State("a", 7)),
                        RpcFrames.told(300, Optional.of(new byte[] {1})),
                        RpcFrames.operated(300, Optional.of("{}")),
                        RpcFrames.readAnswer(300, ReadAnswer.result(7, new byte[] {1})),
                        RpcFrames.readAnswer(300, ReadAnswer.refused("no"))));
    }

    private static void asAMember(byte[] frame) {
        switch (RpcFrames.kind(frame)) {
            case RpcFrames.REQUEST -> RpcFrames.readRequest(frame);
            case RpcFrames.ASK -> RpcFrames.readPath(RpcFrames.readAsk(frame).question());
            case RpcFrames.FINISHED -> RpcFrames.readFinished(frame);
            case RpcFrames.OPERATE -> RpcFrames.readOperate(frame);
            case RpcFrames.READ -> RpcFrames.readRead(frame);
            default -> RpcFrames.readHello(frame);
        }
    }

    private static void asAClient(byte[] frame) {
        switch (RpcFrames.kind(frame)) {
            case RpcFrames.REFUSED -> RpcFrames.readRefused(frame);
            case RpcFrames.ANSWER -> RpcFrames.readAnswer(frame);
            case RpcFrames.TOLD -> RpcFrames.readTold(frame);
            case RpcFrames.OPERATED -> RpcFrames.readOperated(frame);
            case RpcFrames.STATE -> RpcFrames.readState(frame);
            case RpcFrames.READ_ANSWER -> RpcFrames.readReadAnswer(frame);
            default -> RpcFrames.readWelcome(frame);
        }
    }
}
