package org.amo.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.amo.grpc.EngineRig.FakeAttempt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Crashes in the middle of writes, and damage. Each test works on a copy of files that were in use. */
final class CallFolderTest {
    @TempDir
    private Path folder;

    private Path records;
    private Path copy;
    private FakeAttempt first;
    private FakeAttempt second;
    private FakeAttempt running;

    @BeforeEach
    void use() throws IOException {
        Path used = folder.resolve("used");
        copy = folder.resolve("copy");
        try (EngineRig rig = new EngineRig(used)) {
            first = rig.send(rig.call(1)).ends("five");
            second = rig.send(rig.call(2)).ends("six");
            running = rig.send(rig.call(3));
            Files.createDirectories(copy);
            try (Stream<Path> all = Files.list(used)) {
                for (Path each : all.toList()) {
                    Files.copy(each, copy.resolve(each.getFileName()), StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
        records = copy.resolve("records-0000000000000001");
    }

    @Test
    void allIsThereAfterTheEndOfTheProcess() throws IOException {
        try (EngineRig rig = new EngineRig(copy)) {
            assertEquals(List.of("again five"), answers(rig, first));
            assertEquals(List.of("again six"), answers(rig, second));
            assertEquals(List.of("UNKNOWN"), answers(rig, running));
        }
    }

    /** At each place where a crash may cut: a call whose begin is whole does not run again, and a reply that is whole is there. */
    @Test
    void anInterruptedWriteIsLeftOut() throws IOException {
        byte[] whole = Files.readAllBytes(records);
        int begun = endOfRecords(whole, 1);
        int ended = endOfRecords(whole, 2);
        for (int length = 8; length < ended + 20; length += 3) {
            Path cut = copyOf("cut-" + length);
            Files.write(cut.resolve(records.getFileName()), Arrays.copyOf(whole, length));
            try (EngineRig rig = new EngineRig(cut)) {
                FakeAttempt again = rig.send(first.again());
                assertEquals(length < begun ? 1 : 0, again.executed, "executions after a cut at " + length);
                List<String> told = length < begun ? List.of() : List.of(length < ended ? "UNKNOWN" : "again five");
                assertEquals(told, again.answers, "answers after a cut at " + length);
            }
        }
    }

    private static int endOfRecords(byte[] file, int count) {
        int end = 8;
        for (int i = 0; i < count; i++) {
            end += 8 + ByteBuffer.wrap(file).getInt(end);
        }
        return end;
    }

    @Test
    void damageBeforeWholeRecordsIsRefused() throws IOException {
        byte[] bytes = Files.readAllBytes(records);
        bytes[20] ^= 1;
        Files.write(records, bytes);
        IOException refused = assertThrows(IOException.class, () -> new EngineRig(copy));
        assertTrue(refused.getMessage().contains("is damaged at byte 8"), refused.getMessage());
    }

    @Test
    void aDamagedStateIsRefused() throws IOException {
        Path state = copy.resolve("state-0000000000000001");
        byte[] bytes = Files.readAllBytes(state);
        bytes[bytes.length - 1] ^= 1;
        Files.write(state, bytes);
        IOException refused = assertThrows(IOException.class, () -> new EngineRig(copy));
        assertTrue(refused.getMessage().contains("move its folder away"), refused.getMessage());
    }

    /** A crash between the new file of records and its state: both files of records count. */
    @Test
    void recordsBehindAStateThatWasNotWritten() throws IOException {
        byte[] whole = Files.readAllBytes(records);
        int head = 8;
        // The first call stays, the rest goes to the next file.
        int end = endOfRecords(whole, 2);
        Files.write(records, Arrays.copyOf(whole, end));
        byte[] rest = new byte[head + whole.length - end];
        System.arraycopy(whole, 0, rest, 0, head);
        System.arraycopy(whole, end, rest, head, whole.length - end);
        Files.write(copy.resolve("records-0000000000000002"), rest);
        Files.write(copy.resolve("state-new"), new byte[] {1, 2, 3});
        allIsThereAfterTheEndOfTheProcess();
    }

    /** The new file of records is there before the last write to the one before it. */
    @Test
    void anInterruptedWriteBeforeAFileWithoutRecordsIsLeftOut() throws IOException {
        byte[] whole = Files.readAllBytes(records);
        Files.write(records, Arrays.copyOf(whole, whole.length - 3));
        for (int length : new int[] {0, 5, 8}) {
            Path cut = copyOf("next-" + length);
            Files.write(cut.resolve("records-0000000000000002"), Arrays.copyOf(whole, length));
            try (EngineRig rig = new EngineRig(cut)) {
                assertEquals(List.of("again six"), answers(rig, second));
            }
        }
        Path used = copyOf("next-used");
        Files.write(used.resolve("records-0000000000000002"), Arrays.copyOf(whole, endOfRecords(whole, 1)));
        IOException refused = assertThrows(IOException.class, () -> new EngineRig(used));
        assertTrue(refused.getMessage().contains("records-0000000000000001 is damaged"), refused.getMessage());
    }

    private Path copyOf(String name) throws IOException {
        Path to = folder.resolve(name);
        Files.createDirectories(to);
        Files.copy(copy.resolve("state-0000000000000001"), to.resolve("state-0000000000000001"));
        Files.copy(records, to.resolve(records.getFileName()));
        return to;
    }

    private static List<String> answers(EngineRig rig, FakeAttempt earlier) {
        // An attempt belongs to the rig that made it, and the engine of another one answers it as well.
        FakeAttempt again = earlier.again();
        rig.engine.onAttempt(again);
        return again.answers;
    }
}
