package org.amo.lab.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.amo.base.HistoryWriter;

/** Writes the events of one client process to a new file. Threads share it. */
final class LoadHistory implements AutoCloseable {
    private final String key;
    private final HistoryWriter events;

    /** @param key of the service that is called */
    LoadHistory(String client, String key, Path file) throws IOException {
        this.key = key;
        Files.deleteIfExists(file);
        this.events = HistoryWriter.ofClient(file, client);
    }

    void invoke(String id, String op, String argJson, long nanos) {
        events.write(
                "invoke",
                HistoryWriter.text("id", id)
                        + HistoryWriter.text("op", op)
                        + HistoryWriter.text("key", key)
                        + HistoryWriter.json("arg", argJson),
                nanos);
    }

    void ok(String id, String valueJson, long nanos) {
        events.write("ok", HistoryWriter.text("id", id) + HistoryWriter.json("value", valueJson), nanos);
    }

    /** Certainly not executed. */
    void fail(String id, String reason, long nanos) {
        ended("fail", id, reason, nanos);
    }

    /** Unknown, for ever. */
    void info(String id, String reason, long nanos) {
        ended("info", id, reason, nanos);
    }

    @Override
    public void close() {
        events.close();
    }

    private void ended(String type, String id, String reason, long nanos) {
        String plain = reason.replaceAll("[^A-Za-z0-9_. :-]", "_");
        events.write(type, HistoryWriter.text("id", id) + HistoryWriter.text("reason", plain), nanos);
    }
}
