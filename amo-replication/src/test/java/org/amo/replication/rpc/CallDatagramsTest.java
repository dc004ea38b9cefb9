package org.amo.replication.rpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.client.Attempt;
import org.amo.core.datagram.CallDatagrams;
import org.amo.core.datagram.DatagramCipher;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** The bytes of docs/wire/first-call.md. */
class CallDatagramsTest implements HostileBytes {
    private static final ClientId CLIENT = new ClientId(0x0102030405060708L, 0x090A0B0C0D0E0F10L);
    private static final byte[] SALT = HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f");
    private static final String SECRET = "00112233445566778899aabbccddeeff".repeat(2);
    private static final Attempt FIRST = new Attempt(
            300,
            RequestId.own(CLIENT, 1),
            1_700_000_000_000L,
            1_700_000_010_000L,
            false,
            FinishedNumbers.NONE,
            new byte[] {0x61, 0x62});
    private static final CallDatagrams.Head CALL =
            new CallDatagrams.Head(CallDatagrams.CALL, true, CLIENT, 1, new byte[0]);
    private static final CallDatagrams.Head ANSWER =
            new CallDatagrams.Head(CallDatagrams.ANSWER, true, CLIENT, 7, SALT);

    @Test
    void theExamplesOfThePageAreTheBytes() {
        golden("414d4f55 01 01 01 0102030405060708090a0b0c0d0e0f10 0000000000000001", CALL.encode());
        golden(
                "414d4f55 01 03 01 0102030405060708090a0b0c0d0e0f10 0000000000000007 000102030405060708090a0b0c0d0e0f",
                ANSWER.encode());
        golden(
                "04 62616e6b ac02 00 1d 01 0102030405060708090a0b0c0d0e0f10 01 0000018bcfe56800 904e 00 02 6162 0000",
                CallDatagrams.call("bank", FIRST, FinishedNumbers.NONE, 43));
        golden(
                "04 62616e6b 0000018bcfe56801 12 02 0102030405060708090a0b0c0d0e0f10 03",
                CallDatagrams.finished("bank", CLIENT, 1_700_000_000_001L, FinishedNumbers.of(1)));
        golden(
                "00 ac02 00 00 00 0000018bcfe56800 0000018bcfe56801 6f6b",
                CallDatagrams.answer(
                        300, Answer.reply(new byte[] {0x6f, 0x6b}, 1_700_000_000_000L, 1_700_000_000_001L)));
        golden("01 ac02", CallDatagrams.byConnection(300));
        golden("02 ac02", CallDatagrams.elsewhere(300));
        DatagramCipher cipher =
                new DatagramCipher(Optional.of(GroupKey.of("bank", SECRET).datagrams()));
        golden(
                "414d4f55 01 03 01 0102030405060708090a0b0c0d0e0f10 0000000000000007 000102030405060708090a0b0c0d0e0f"
                        + "0934d3 83d49243e73c8998049380a01f325ce9",
                cipher.seal(ANSWER, CallDatagrams.byConnection(300)));
    }

    @Test
    void aSealedDatagramOpensUnderItsHeadAlone() {
        DatagramCipher cipher =
                new DatagramCipher(Optional.of(GroupKey.of("bank", SECRET).datagrams()));
        byte[] content = CallDatagrams.call("bank", FIRST, FinishedNumbers.NONE, 100);
        byte[] datagram = cipher.seal(CALL, content);
        assertEquals(CALL.bytes() + 100 + cipher.tagBytes(), datagram.length);
        assertArrayEquals(content, cipher.open(CALL, datagram).orElseThrow());
        assertTrue(new DatagramCipher(Optional.of(GroupKey.of("other", SECRET).datagrams()))
                .open(CALL, datagram)
                .isEmpty());
        assertTrue(new DatagramCipher(Optional.empty()).open(CALL, datagram).isEmpty());
        for (int bit = 0; bit < 8 * datagram.length; bit++) {
            byte[] flipped = datagram.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertTrue(isRefused(cipher, flipped), "bit " + bit);
        }
        for (int length = 0; length < datagram.length; length++) {
            assertTrue(isRefused(cipher, Arrays.copyOf(datagram, length)), "length " + length);
        }
    }

    private static boolean isRefused(DatagramCipher cipher, byte[] datagram) {
        try {
            return CallDatagrams.readHead(datagram)
                    .flatMap(head -> cipher.open(head, datagram))
                    .isEmpty();
        } catch (MalformedFrameException e) {
            return true;
        }
    }

    @Test
    void theLongestBodyFitsADatagramOfAGroupWithTheLongestName() {
        Attempt longest = new Attempt(
                Long.MAX_VALUE,
                RequestId.own(CLIENT, 1L << 60),
                1L << 47,
                1L << 48,
                true,
                FinishedNumbers.NONE,
                new byte[CallDatagrams.MAX_BODY_BYTES]);
        int content = CallDatagrams.call("g".repeat(64), longest, FinishedNumbers.NONE, 0).length;
        assertTrue(CALL.bytes() + content + 16 <= CallDatagrams.MAX_BYTES, "content=" + content);
        assertTrue(DatagramCalls.fits(CallDatagrams.MAX_BODY_BYTES));
    }

    @Test
    void paddingIsZero() {
        byte[] content = CallDatagrams.call("bank", FIRST, FinishedNumbers.NONE, 100);
        content[99] = 1;
        assertThrows(MalformedFrameException.class, () -> CallDatagrams.readCall(content));
    }

    private static void golden(String expected, byte[] bytes) {
        assertEquals(expected.replace(" ", ""), HexFormat.of().formatHex(bytes));
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(
                Decoder.of(
                        "call datagram",
                        MalformedFrameException.class,
                        CallDatagrams::readCall,
                        CallDatagrams.call("bank", FIRST, FinishedNumbers.of(2, 4, 9), 100)),
                Decoder.of(
                        "acknowledgements by datagram",
                        MalformedFrameException.class,
                        CallDatagrams::readFinished,
                        CallDatagrams.finished("bank", CLIENT, 1, FinishedNumbers.of(2, 4, 9))),
                Decoder.of(
                        "answer datagram",
                        MalformedFrameException.class,
                        CallDatagrams::readAnswer,
                        CallDatagrams.answer(300, Answer.reply(new byte[] {1, 2}, 1, 2)),
                        CallDatagrams.answer(300, Answer.refused(Refusal.STALE, 1, 2)),
                        CallDatagrams.byConnection(300),
                        CallDatagrams.elsewhere(300)),
                Decoder.of(
                        "head of a call datagram",
                        MalformedFrameException.class,
                        CallDatagrams::readHead,
                        CALL.encode(),
                        ANSWER.encode()));
    }
}
