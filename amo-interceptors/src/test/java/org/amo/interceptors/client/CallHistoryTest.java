package org.amo.interceptors.client;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.request.RequestId;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallHistoryTest {
    private static final RequestId ID = RequestId.own(new ClientId(1, 2), 3);

    @TempDir
    private Path folder;

    /** The JVM ends while a thread still calls: its line is there or not, and the call does not fail for it. */
    @Test
    void aLineThatMeetsTheEndIsWholeOrNotThere() {
        Meetings.prove(
                () -> {
                    CallHistory history = new CallHistory(Optional.of(folder.resolve("sound")), "client");
                    return ending(() -> history.ok(ID), history::close);
                },
                () -> {
                    OutputStream out = open(folder.resolve("planted"));
                    boolean[] closed = {false};
                    return ending(
                            () -> {
                                if (!closed[0]) {
                                    out.write('x');
                                }
                            },
                            () -> {
                                closed[0] = true;
                                out.close();
                            });
                });
    }

    private static Meeting ending(Meeting.Act write, Meeting.Act close) {
        return Meeting.of(
                () -> "",
                () -> {
                    for (int i = 0; i < 3; i++) {
                        write.run();
                    }
                },
                close);
    }

    private static OutputStream open(Path file) {
        try {
            return Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
