package org.amo.interceptors.client;

import java.nio.file.Path;
import java.util.Optional;
import org.amo.base.HistoryWriter;
import org.amo.core.request.RequestId;

/** Writes an event as each call begins and one as it ends, so that a killed client leaves every call that it sent. */
final class CallHistory implements AutoCloseable {
    private final Optional<HistoryWriter> events;

    CallHistory(Optional<Path> file, String client) {
        this.events = file.map(path -> HistoryWriter.ofClient(path, client));
    }

    boolean isOn() {
        return events.isPresent();
    }

    void invoke(RequestId id, String operation) {
        write("invoke", id, HistoryWriter.text("op", operation));
    }

    void ok(RequestId id) {
        write("ok", id, "");
    }

    /** It certainly did not run. */
    void fail(RequestId id, String reason) {
        write("fail", id, HistoryWriter.text("reason", reason));
    }

    /** The outcome is unknown. */
    void info(RequestId id, String reason) {
        write("info", id, HistoryWriter.text("reason", reason));
    }

    @Override
    public void close() {
        events.ifPresent(HistoryWriter::close);
    }

    private void write(String type, RequestId id, String more) {
        events.ifPresent(file -> file.write(type, HistoryWriter.text("id", id) + more));
    }
}
