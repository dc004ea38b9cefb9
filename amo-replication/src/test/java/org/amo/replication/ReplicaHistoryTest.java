package org.amo.replication;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.amo.base.HistoryWriter;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplicaHistoryTest {
    private static final int LINES = 3;

    @TempDir
    private Path folder;

    @Test
    void linesOfTwoThreadsAreWhole() {
        Meetings.prove(
                () -> {
                    Path file = file();
                    HistoryWriter history = HistoryWriter.ofReplica(file, "a");
                    return writing(() -> history.write("join", ""), history::close, file);
                },
                () -> {
                    Path file = file();
                    BufferedWriter writer = open(file);
                    return writing(
                            () -> {
                                writer.write("{\"type\":\"join\"}");
                                writer.write('\n');
                            },
                            writer::close,
                            file);
                });
    }

    private Path file() {
        try {
            return Files.createTempFile(folder, "history", ".jsonl");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static BufferedWriter open(Path file) {
        try {
            return Files.newBufferedWriter(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Meeting writing(Meeting.Act write, Meeting.Act close, Path file) {
        Meeting.Act act = () -> {
            for (int i = 0; i < LINES; i++) {
                write.run();
            }
        };
        return Meeting.of(
                () -> {
                    try {
                        close.run();
                        List<String> lines = Files.readAllLines(file);
                        Files.delete(file);
                        return lines.size() == 2 * LINES && lines.stream().allMatch(line -> line.endsWith("}"))
                                ? ""
                                : "lines: " + lines;
                    } catch (Exception e) {
                        return "cannot read the history: " + e;
                    }
                },
                act,
                act);
    }
}
