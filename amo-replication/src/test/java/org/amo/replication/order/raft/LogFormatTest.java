package org.amo.replication.order.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Optional;
import org.amo.core.order.LogRepair.Damage;
import org.jgroups.protocols.raft.LogEntry;
import org.junit.jupiter.api.Test;

/** The bytes of docs/wire/raft-log.md. */
final class LogFormatTest {
    private static final HexFormat HEX = HexFormat.of();

    private static final String RECORD = "616d6f52" + "01" + "01" + "00000002" + "0000000000000007" + "0000000000000003"
            + "0000000000000006" + "11223344" + "4b03a415" + "6869";
    private static final String SLOT = "616d6f4d" + "01" + "02" + "0000000000000009" + "0000000000000003"
            + "0000000000000005" + "0000000000000006" + "55667788" + "0000000000000008" + "0000000000000002"
            + "00000003" + "0a0b0c";

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
