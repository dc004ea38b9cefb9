package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.amo.base.wire.FrameLimitException;
import org.amo.base.wire.MalformedFrameException;
import org.amo.dpg.Report.SiteStatus;
import org.amo.meetings.Decoder;
import org.amo.meetings.Fuzz;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** Golden bytes of docs/wire/dpg.md, and what a decoder must bear (row D1). */
class DpgCodecTest implements HostileBytes {
    private static final long A = 0x0011223344556677L;
    private static final long B = 0x8899AABBCCDDEEFFL;

    private static final String MESSAGE = "d1 0011223344556677 ac02 05 68656c6c6f";
    private static final String REPORT = "da 0011223344556677 07 01 e807 f403" // head
            + "02 0011223344556677 8899aabbccddeeff" // origins
            + "02 00 01 01 09" // order: A:1, B:9 = L_DELIV
            + "01 01" // of it decided: B:9, 1 behind the first
            + "00 01" // delivered: A:1
            + "02 00 02 01 0a" // vertices: A:2, B:10
            + "02 00 01 03 02" // arcs: B:9 -> A:2, A:2 => B:10
            + "01 01 0a" // lost: B:10
            + "01 00 01 02 6869"; // body of A:1: "hi"
    private static final String LISTENING =
            "da 0011223344556677 01 00 e807 01 01 0000000000000000 00 00 00 00 00 00 00 00";

    private static Report report() {
        Tag a1 = new Tag(A, 1);
        Tag a2 = new Tag(A, 2);
        Tag b9 = new Tag(B, 9);
        Tag b10 = new Tag(B, 10);
        return new Report(
                A,
                7,
                SiteStatus.PLACED,
                1_000,
                500,
                List.of(a1, b9),
                List.of(b9),
                a1,
                List.of(a2, b10),
                List.of(Arc.plain(b9, a2), Arc.marked(a2, b10)),
                List.of(b10),
                List.of(new Message(a1, "hi".getBytes(StandardCharsets.US_ASCII))));
    }

    @Test
    void aFrameTellsWhetherItIsAMessage() {
        assertTrue(DpgCodec.isMessage(Fuzz.bytes(MESSAGE)));
        assertFalse(DpgCodec.isMessage(Fuzz.bytes(REPORT)));
        assertFalse(DpgCodec.isMessage(new byte[0]));
    }

    /** Each list of a report may name origins that no other list has. */
    @Test
    void aReportKeepsTheOriginsOfAllItsLists() {
        Tag last = new Tag(1, 1);
        Report report = new Report(
                A,
                7,
                SiteStatus.PLACED,
                1_000,
                500,
                List.of(last),
                List.of(),
                last,
                List.of(new Tag(2, 1), new Tag(3, 1)),
                List.of(Arc.plain(last, new Tag(2, 1))),
                List.of(new Tag(4, 1)),
                List.of(new Message(new Tag(5, 1), new byte[] {1})));
        Report again = DpgCodec.decodeReport(DpgCodec.encode(report));
        assertEquals(report.vertices(), again.vertices());
        assertEquals(report.lost(), again.lost());
        assertEquals(new Tag(5, 1), again.bodies().get(0).tag());
    }

    @Test
    void aMessageHasTheseBytes() {
        Message message = new Message(new Tag(A, 300), "hello".getBytes(StandardCharsets.US_ASCII));
        assertEquals(Fuzz.hex(Fuzz.bytes(MESSAGE)), Fuzz.hex(DpgCodec.encode(message)));
        Message again = DpgCodec.decodeMessage(Fuzz.bytes(MESSAGE));
        assertEquals(message.tag(), again.tag());
        assertArrayEquals(message.body(), again.body());
    }

    @Test
    void aReportHasTheseBytes() {
        assertEquals(Fuzz.hex(Fuzz.bytes(REPORT)), Fuzz.hex(DpgCodec.encode(report())));
        Report again = DpgCodec.decodeReport(Fuzz.bytes(REPORT));
        assertEquals(report().order(), again.order());
        assertEquals(report().decided(), again.decided());
        assertEquals(report().arcs(), again.arcs());
        assertEquals(report().lost(), again.lost());
        assertEquals(Fuzz.hex(Fuzz.bytes(REPORT)), Fuzz.hex(DpgCodec.encode(again)));
    }

    @Test
    void aSiteThatListensHasAShortReport() {
        Report listening = new Report(
                A,
                1,
                SiteStatus.LISTENING,
                1_000,
                1,
                List.of(),
                List.of(),
                Tag.ROOT,
                List.of(),
                List.of(),
                List.of(),
                List.of());
        assertEquals(Fuzz.hex(Fuzz.bytes(LISTENING)), Fuzz.hex(DpgCodec.encode(listening)));
        assertEquals(listening, DpgCodec.decodeReport(Fuzz.bytes(LISTENING)));
    }

    @Test
    void aReportTellsWhetherItsSiteIsAlone() {
        byte[] alone = Fuzz.bytes(REPORT.replaceFirst("07 01", "07 02"));
        assertEquals(SiteStatus.ALONE, DpgCodec.decodeReport(alone).standing());
        assertEquals(Fuzz.hex(alone), Fuzz.hex(DpgCodec.encode(DpgCodec.decodeReport(alone))));
        byte[] other = Fuzz.bytes(REPORT.replaceFirst("07 01", "07 03"));
        assertThrows(MalformedFrameException.class, () -> DpgCodec.decodeReport(other));
    }

    @Test
    void anyBytesAreMalformedOrDecodedAtLittleCost() {
        Fuzz.truncations(Fuzz.bytes(MESSAGE), DpgCodec::decodeMessage);
        Fuzz.truncations(Fuzz.bytes(REPORT), DpgCodec::decodeReport);
        Fuzz.mutations(21, 30_000, Fuzz.bytes(MESSAGE), bytes -> DpgCodec.encode(DpgCodec.decodeMessage(bytes)), true);
        Fuzz.mutations(22, 60_000, Fuzz.bytes(REPORT), bytes -> DpgCodec.encode(DpgCodec.decodeReport(bytes)), false);
    }

    @Test
    void whatClaimsMoreThanItHoldsIsMalformed() {
        String head = "da 0011223344556677 07 01 e807 f403";
        String origins = "01 0011223344556677";
        for (String frame : List.of(
                head + "ff7f 0011223344556677", // as many origins
                head + origins + "ff7f 00 01", // as long an order
                head + origins + "01 00 01 01 01 00 01 00 00 00 00", // decided beyond the order
                head + origins + "01 00 01 02 00 00 00 01 00 00 00 00", // more decided than ordered
                head + origins + "00 00 00 01 00 00 00 00", // anchored without an order
                head + origins + "01 01 01 00 00 01 00 00 00 00", // an origin that is not in the table
                head + origins + "01 00 01 00 00 01 01 00 01 00 00 00", // L_DELIV as a vertex
                head + origins + "01 00 01 00 00 01 00 01 04 00 00 00", // an arc from nowhere
                head + origins + "01 00 00 00 00 01 00 00 00 00", // number 0 of a site
                head + origins + "01 00 01 00 00 01 00 00 00 01 00 01 ffff03")) { // as long a body
            Fuzz.claims(Fuzz.bytes(frame), bytes -> DpgCodec.encode(DpgCodec.decodeReport(bytes)));
        }
        Fuzz.claims(Fuzz.bytes("d1 0000000000000000 01 00"), bytes -> DpgCodec.encode(DpgCodec.decodeMessage(bytes)));
        // Version 1, which did not tell what was decided.
        String former = "d9 0011223344556677 01 00 e807 01 01 0000000000000000 00 00 00 00 00 00 00";
        assertThrows(MalformedFrameException.class, () -> DpgCodec.decodeReport(Fuzz.bytes(former)));
        assertThrows(MalformedFrameException.class, () -> DpgCodec.decodeReport(Fuzz.bytes(MESSAGE)));
        assertThrows(MalformedFrameException.class, () -> DpgCodec.decodeMessage(Fuzz.bytes(REPORT)));
    }

    /** A site that decides for itself which reports are too long must not send one that the others drop. */
    @Test
    void aReportAsLongAsADatagramIsRead() {
        List<Tag> order = new ArrayList<>();
        for (int i = 0; i < 32_700; i++) {
            order.add(new Tag(A, 1 + i % 100));
        }
        List<Tag> none = List.of();
        Report longest =
                new Report(A, 1, SiteStatus.PLACED, 1_000, 1, order, none, Tag.ROOT, none, List.of(), none, List.of());
        byte[] bytes = DpgCodec.encode(longest);
        assertTrue(bytes.length > 65_000 && bytes.length < 65_507, "length " + bytes.length);
        assertEquals(longest, DpgCodec.decodeReport(bytes));
    }

    @Test
    void aBodyBeyondTheLimitIsRefusedByTheWriter() {
        Message longest = new Message(new Tag(A, 1), new byte[DpgCodec.MAX_BODY]);
        assertEquals(
                DpgCodec.MAX_BODY,
                DpgCodec.decodeMessage(DpgCodec.encode(longest)).body().length);
        Message tooLong = new Message(new Tag(A, 1), new byte[DpgCodec.MAX_BODY + 1]);
        assertThrows(FrameLimitException.class, () -> DpgCodec.encode(tooLong));
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(
                Decoder.of("dpg message", MalformedFrameException.class, DpgCodec::decodeMessage, Fuzz.bytes(MESSAGE)),
                Decoder.of(
                        "dpg report",
                        MalformedFrameException.class,
                        DpgCodec::decodeReport,
                        Fuzz.bytes(REPORT),
                        Fuzz.bytes(LISTENING)));
    }

    /** All of an order may have been decided; none of it twice. */
    @Test
    void theDecidedMessagesAreToldUpToTheLast() {
        Tag a1 = new Tag(A, 1);
        Tag b9 = new Tag(B, 9);
        Report all = decided(List.of(a1, b9));
        assertEquals(all, DpgCodec.decodeReport(DpgCodec.encode(all)));
        assertThrows(IllegalArgumentException.class, () -> DpgCodec.encode(decided(List.of(b9, a1))));
        assertThrows(IllegalArgumentException.class, () -> DpgCodec.encode(decided(List.of(a1, a1))));
    }

    private static Report decided(List<Tag> decided) {
        List<Tag> order = List.of(new Tag(A, 1), new Tag(B, 9));
        return new Report(
                A,
                7,
                SiteStatus.PLACED,
                1_000,
                500,
                order,
                decided,
                order.get(0),
                List.of(),
                List.of(),
                List.of(),
                List.of());
    }
}
