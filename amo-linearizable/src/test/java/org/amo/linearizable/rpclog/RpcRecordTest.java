package org.amo.linearizable.rpclog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseId;
import org.amo.meetings.Decoder;
import org.amo.meetings.Fuzz;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** Golden bytes of docs/wire/rpclog.md, and what a decoder must bear. */
class RpcRecordTest implements HostileBytes {
    private static final String RECORD = "01" // version
            + "ac02" // client 300
            + "07" // number 7
            + "02" // ackId 5
            + "0000000000000003" // table 3
            + "8899aabbccddeeff" // key hash
            + "02 6f6b"; // "ok"
    private static final RpcRecord DECODED = new RpcRecord(
            new RpcId(new LeaseId(300), 7), 5, 3, 0x8899AABBCCDDEEFFL, "ok".getBytes(StandardCharsets.US_ASCII));

    /** The same call of a server that has the hash of its request. */
    private static final String OF_A_REQUEST =
            "02" + "ac02" + "07" + "02" + "0000000000000003" + "8899aabbccddeeff" + "0102030405060708" + "02 6f6b";

    private static final RpcRecord DECODED_OF_A_REQUEST = new RpcRecord(
            DECODED.id(), 5, 3, 0x8899AABBCCDDEEFFL, 0x0102030405060708L, "ok".getBytes(StandardCharsets.US_ASCII));

    private static final String HEADER = "ac02 07 02 e807 f403";

    @Test
    void aRecordHasTheseBytes() {
        assertEquals(Fuzz.hex(Fuzz.bytes(RECORD)), Fuzz.hex(DECODED.encode()));
        assertEquals(DECODED, RpcRecord.decode(Fuzz.bytes(RECORD)));
        assertEquals(Fuzz.hex(Fuzz.bytes(OF_A_REQUEST)), Fuzz.hex(DECODED_OF_A_REQUEST.encode()));
        assertEquals(DECODED_OF_A_REQUEST, RpcRecord.decode(Fuzz.bytes(OF_A_REQUEST)));
    }

    @Test
    void aHeaderHasTheseBytes() {
        assertEquals(Fuzz.hex(Fuzz.bytes(HEADER)), Fuzz.hex(againHeader(Fuzz.bytes(HEADER))));
        assertEquals(
                new RpcHeader(DECODED.id(), 5, new ClusterTime(1_000), new ClusterTime(500)),
                RpcHeader.read(new WireReader("header", Fuzz.bytes(HEADER))));
    }

    @Test
    void anyOtherBytesAreMalformedOrMeanExactlyWhatTheySay() {
        for (String text : List.of(RECORD, OF_A_REQUEST)) {
            byte[] record = Fuzz.bytes(text);
            Fuzz.truncations(record, RpcRecord::decode);
            Fuzz.mutations(1, 15_000, record, bytes -> RpcRecord.decode(bytes).encode(), true);
        }
        Fuzz.truncations(Fuzz.bytes(HEADER), RpcRecordTest::againHeader);
        Fuzz.mutations(2, 30_000, Fuzz.bytes(HEADER), RpcRecordTest::againHeader, true);
    }

    @Test
    void claimsBeyondTheBytesOrTheLimitsAreMalformed() {
        String places = "0000000000000003 8899aabbccddeeff";
        for (String frame : new String[] {
            "03 ac02 07 02" + places + "00", // a version to come
            "02 ac02 07 02" + places + "0000000000000000" + "00", // no request, in the version with one
            "01 00 07 02" + places + "00", // no client
            "01 ac02 00 00" + places + "00", // no number
            "01 ac02 07 00" + places + "00", // acknowledges itself
            "01 ac02 07 08" + places + "00", // acknowledges less than nothing
            "01 ac02 07 02" + places + "818040", // 1 MiB + 1
            "01 ac02 07 02" + places + "ffff3f" // more than there is
        }) {
            Fuzz.claims(Fuzz.bytes(frame), bytes -> RpcRecord.decode(bytes).encode());
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new RpcRecord(DECODED.id(), 5, 3, 4, new byte[RpcRecord.MAX_RESULT + 1]));
    }

    private static byte[] againHeader(byte[] bytes) {
        WireReader reader = new WireReader("header", bytes);
        RpcHeader header = RpcHeader.read(reader);
        reader.end();
        WireWriter writer = new WireWriter(16);
        header.write(writer);
        return writer.toBytes();
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(
                Decoder.of(
                        "rpc record",
                        MalformedFrameException.class,
                        RpcRecord::decode,
                        Fuzz.bytes(RECORD),
                        Fuzz.bytes(OF_A_REQUEST)),
                Decoder.of(
                        "rpc header", MalformedFrameException.class, RpcRecordTest::againHeader, Fuzz.bytes(HEADER)));
    }
}
