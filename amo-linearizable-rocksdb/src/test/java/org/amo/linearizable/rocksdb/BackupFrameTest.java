package org.amo.linearizable.rocksdb;

import static org.amo.linearizable.rocksdb.Operations.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.amo.base.wire.MalformedFrameException;
import org.amo.linearizable.rocksdb.BackupFrame.Answer;
import org.amo.linearizable.rocksdb.BackupFrame.Kind;
import org.amo.linearizable.rocksdb.BackupFrame.Status;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;

/** Golden bytes of docs/wire/store-backup.md. */
final class BackupFrameTest implements HostileBytes {
    private static final String CHANGES = "0001016b0176" + "01020172" + "020201610162";

    @TempDir
    Path folder;

    @Override
    public List<Decoder> decoders() {
        return List.of(
                Decoder.of(
                        "request to a backup",
                        MalformedFrameException.class,
                        BackupFrame::decode,
                        BackupFrame.of(Kind.SEAL, "s0", 7).encode(),
                        new BackupFrame(Kind.APPEND, "s0", 7, 300, bytes("changes")).encode()),
                Decoder.of(
                        "answer of a backup",
                        MalformedFrameException.class,
                        Answer::decode,
                        Answer.of(Status.FENCED, 300).encode()),
                Decoder.of(
                        "changes of a store",
                        MalformedFrameException.class,
                        BackupFrameTest::decode,
                        HexFormat.of().parseHex(CHANGES)));
    }

    private static void decode(byte[] changes) {
        try {
            StoreChanges.decode(changes, new StoreChanges.Target() {
                @Override
                public void put(int family, byte[] row, byte[] value) {}

                @Override
                public void delete(int family, byte[] row) {}

                @Override
                public void deleteRange(int family, byte[] first, byte[] end) {}
            });
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The bytes of docs/wire/store-backup.md. */
    @Test
    void theBytesOfRequestsAnswersAndChanges() throws Exception {
        assertEquals(
                "0104" + "027330" + "07" + "ac02" + "00",
                hex(new BackupFrame(Kind.APPEND, "s0", 7, 300, new byte[] {0}).encode()));
        assertEquals("0109", hex(Answer.of(Status.FENCED, 9).encode()));
        try (RocksFiles files = RocksFiles.open(folder.resolve("files"));
                StoreChanges changes = new StoreChanges(files, true)) {
            changes.put(StoreChanges.OBJECTS, bytes("k"), bytes("v"));
            changes.delete(StoreChanges.RPCS, bytes("r"));
            changes.deleteRange(StoreChanges.RPCS, bytes("a"), bytes("b"));
            assertEquals(CHANGES, hex(changes.toBytes()));
        }
    }

    @Test
    void bytesThatAreNoRequestAreRefused() {
        try (StoreBackup backup = StoreBackup.open(folder.resolve("b"), Durability.FILE)) {
            for (String bytes :
                    List.of("", "02", "0109027330" + "0100", "01000273", "010402733001", "0100" + "0273300000")) {
                Answer answer = Answer.decode(backup.handle(HexFormat.of().parseHex(bytes)));
                assertEquals(Status.MALFORMED, answer.status(), bytes);
            }
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
