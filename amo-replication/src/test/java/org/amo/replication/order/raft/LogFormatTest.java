package org.amo.replication.order.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.amo.core.order.LogRepair.Damage;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.jgroups.protocols.raft.LogEntry;
import org.junit.jupiter.api.Test;

/** The bytes of docs/wire/raft-log.md. */
final class LogFormatTest implements HostileBytes {
    private static final HexFormat HEX = HexFormat.of();

    private static final String RECORD = "616d6f52" + "01" + "01" + "00000002" + "0000000000000007" + "0000000000000003"
            + "0000000000000006" + "11223344" + "4b03a415" + "6869";
    private static final String SLOT = "616d6f4d" + "01" + "02" + "0000000000000009" + "0000000000000003"
            + "0000000000000005" + "0000000000000006" + "55667788" + "0000000000000008" + "0000000000000002"
            + "00000003" + "0a0b0c";

    @Override
    public List<Decoder> decoders() {
        byte[] slot = new byte[MemberState.LENGTH];
        byte[] beginning = HEX.parseHex(SLOT);
        System.arraycopy(beginning, 0, slot, 0, beginning.length);
        byte[] record = HEX.parseHex(RECORD);
        byte[] second = record(8, ByteBuffer.wrap(record).getInt(38));
        byte[] log = new byte[record.length + second.length + 30];
        System.arraycopy(record, 0, log, 0, record.length);
        System.arraycopy(second, 0, log, record.length, second.length);
        return List.of(
                Decoder.of("record of a log", IOException.class, LogFormatTest::readRecord, record),
                Decoder.of("state of a member", IOException.class, LogFormatTest::readSlot, slot),
                Decoder.of("file of a log", IOException.class, LogFormatTest::scan, log)
                        .taking(100_000)); // windows
    }

    /** With its checksum as it is, and with a right one. Neither is an error: it is whole or it is not. */
    private static void readRecord(byte[] bytes) {
        ByteBuffer record = ByteBuffer.wrap(bytes);
        LogRecord.read(record, 0, bytes.length);
        if (bytes.length >= LogRecord.HEAD) {
            CRC32C checksum = new CRC32C();
            checksum.update(bytes, 0, 38);
            checksum.update(bytes, LogRecord.HEAD, bytes.length - LogRecord.HEAD);
            LogRecord.read(record.putInt(38, (int) checksum.getValue()), 0, bytes.length);
        }
    }

    private static void readSlot(byte[] bytes) {
        ByteBuffer slot = ByteBuffer.wrap(bytes);
        MemberState.read(slot, 0);
        MemberState.otherVersion(slot, 0);
        if (bytes.length >= MemberState.LENGTH) {
            CRC32C checksum = new CRC32C();
            checksum.update(bytes, 0, MemberState.LENGTH - Integer.BYTES);
            MemberState.read(slot.putInt(MemberState.LENGTH - Integer.BYTES, (int) checksum.getValue()), 0);
            MemberState.otherVersion(slot, 0);
        }
    }

    private static LogScan scan(byte[] bytes) throws IOException {
        return LogScan.of(
                (into, at) -> {
                    int length = Math.min(into.remaining(), bytes.length - (int) at);
                    into.put(bytes, (int) at, length);
                    return length == 0 ? -1 : length;
                },
                bytes.length);
    }

    /** A flipped bit in the length of a record must not end the member at each start for want of memory. */
    @Test
    void aDamagedLengthTakesNoMemory() throws IOException {
        byte[] head = HEX.parseHex(RECORD);
        ByteBuffer.wrap(head).putInt(6, 150 << 20);
        long size = 160 << 20;
        byte[] zeros = new byte[1 << 20];
        int[] longest = {0};
        LogScan scan = LogScan.of(
                (into, at) -> {
                    longest[0] = Math.max(longest[0], into.capacity());
                    int length = (int) Math.min(Math.min(into.remaining(), size - at), zeros.length);
                    if (at < head.length) {
                        length = Math.min(length, head.length - (int) at);
                        into.put(head, (int) at, length);
                    } else {
                        into.put(zeros, 0, length);
                    }
                    return length == 0 ? -1 : length;
                },
                size);
        assertTrue(scan.broken);
        assertEquals(0, scan.count);
        assertTrue(longest[0] <= 1 << 20, longest[0] + " bytes");
    }

    @Test
    void aRecordThatIsLongerThanAWindowIsRead() throws IOException {
        LogEntry entry = new LogEntry(3, new byte[3 << 20]);
        ByteBuffer bytes = ByteBuffer.allocate((int) LogRecord.size(entry));
        LogRecord.write(bytes, 7, 6, 0, entry);
        byte[] log = bytes.array();
        assertEquals(7, scan(log).last());
        log[2 << 20] ^= 4;
        assertEquals(0, scan(log).last());
    }

    private static byte[] record(long index, int before) {
        ByteBuffer bytes = ByteBuffer.allocate(LogRecord.HEAD + 2);
        LogRecord.write(bytes, index, 6, before, new LogEntry(3, "hi".getBytes(UTF_8)));
        return bytes.array();
    }

    @Test
    void aSlotHoldsTheLongestVoteThatIsTaken() {
        for (int length : new int[] {0, MemberState.MAX_VOTE}) {
            byte[] vote = new byte[length];
            Arrays.fill(vote, (byte) 7);
            MemberState state = new MemberState(
                    Long.MAX_VALUE, Long.MAX_VALUE, vote, Long.MAX_VALUE, Long.MAX_VALUE, -1, Optional.empty());
            ByteBuffer bytes = ByteBuffer.allocate(MemberState.LENGTH);
            state.write(bytes);
            assertEquals(Optional.of(state), MemberState.read(bytes, 0));
        }
    }

    @Test
    void aRecord() {
        ByteBuffer bytes = ByteBuffer.allocate(LogRecord.HEAD + 2);
        LogEntry entry = new LogEntry(3, "hi".getBytes(UTF_8)).internal(true);
        int checksum = LogRecord.write(bytes, 7, 6, 0x11223344, entry);
        assertEquals(RECORD, HEX.formatHex(bytes.array()));
        LogRecord read = LogRecord.read(bytes, 0, bytes.capacity()).orElseThrow();
        assertEquals(7, read.index());
        assertEquals(6, read.forced());
        assertEquals(0x11223344, read.before());
        assertEquals(checksum, read.checksum());
        assertEquals(3, read.entry().term());
    }

    @Test
    void aSlotOfTheState() {
        MemberState state =
                new MemberState(9, 3, new byte[] {10, 11, 12}, 5, 6, 0x55667788, Optional.of(new Damage(8, 2, false)));
        ByteBuffer bytes = ByteBuffer.allocate(MemberState.LENGTH);
        state.write(bytes);
        String hex = HEX.formatHex(bytes.array());
        assertEquals(SLOT, hex.substring(0, SLOT.length()));
        assertEquals("3e0588bb", hex.substring(hex.length() - 8));
        assertEquals("0".repeat(hex.length() - 8 - SLOT.length()), hex.substring(SLOT.length(), hex.length() - 8));
        assertEquals(Optional.of(state), MemberState.read(bytes, 0));
    }
}
