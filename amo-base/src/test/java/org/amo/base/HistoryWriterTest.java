package org.amo.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryWriterTest {
    @TempDir
    private Path folder;

    @Test
    void anEventIsALineOfJson() throws Exception {
        Path file = folder.resolve("history");
        HistoryWriter client = HistoryWriter.ofClient(file, "c1");
        client.write("invoke", HistoryWriter.text("id", "c1-7") + HistoryWriter.json("arg", "[1]"), 1);
        client.write("fail", HistoryWriter.text("reason", "a \"b\" \\ \n\u00fc"), 2);
        assertEquals(
                List.of(
                        "{\"type\":\"invoke\",\"client\":\"c1\",\"id\":\"c1-7\",\"arg\":[1],\"t\":1}",
                        "{\"type\":\"fail\",\"client\":\"c1\",\"reason\":\"a \\\"b\\\" \\\\ \\u000a\u00fc\",\"t\":2}"),
                Files.readAllLines(file),
                "there before the file is closed");
        client.close();
        try (HistoryWriter replica = HistoryWriter.ofReplica(file, "a")) {
            replica.write("exec", HistoryWriter.json("pos", 12L) + HistoryWriter.value(new byte[] {0x2a}), 3);
        }
        assertEquals(
                "{\"type\":\"exec\",\"replica\":\"a\",\"pos\":12,\"value\":\"2a\",\"t\":3}",
                Files.readAllLines(file).get(2),
                "it is appended");
    }

    @Test
    void ofALongReplyTheFirst256BytesAreWritten() {
        assertEquals(",\"value\":\"" + "00".repeat(256) + "\"", HistoryWriter.value(new byte[257]));
    }

    /** A full disk takes a part of a line, and the process goes on or starts again once there is room. */
    @Test
    void theNextProcessDoesNotContinueATornLine() throws Exception {
        Path file = folder.resolve("history");
        Files.writeString(file, "{\"type\":\"ok\"}\n{\"type\":\"inv");
        for (int i = 0; i < 2; i++) {
            HistoryWriter.ofClient(file, "c1").close();
        }
        try (HistoryWriter client = HistoryWriter.ofClient(file, "c1")) {
            client.write("info", "", 3);
        }
        assertEquals(
                List.of("{\"type\":\"ok\"}", "{\"type\":\"inv", "{\"type\":\"info\",\"client\":\"c1\",\"t\":3}"),
                Files.readAllLines(file));
    }

    @Test
    void nothingIsWrittenAfterTheEnd() throws Exception {
        Path file = folder.resolve("history");
        HistoryWriter history = HistoryWriter.ofClient(file, "c1");
        history.close();
        history.write("ok", "");
        assertEquals(0, Files.size(file));
    }

    @Test
    void aFileThatCannotBeOpenedIsNamed() {
        Path file = folder.resolve("none").resolve("history");
        UncheckedIOException cannot =
                assertThrows(UncheckedIOException.class, () -> HistoryWriter.ofClient(file, "c1"));
        assertEquals("cannot write the history file " + file, cannot.getMessage());
    }
}
