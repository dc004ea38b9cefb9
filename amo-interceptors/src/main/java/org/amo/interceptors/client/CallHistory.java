package org.amo.interceptors.client;

import java.nio.file.Path;
import java.util.Optional;
import org.amo.base.HistoryWriter;
import org.amo.core.request.RequestId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes an event as each call begins and one as it ends, so that a killed client leaves every call that it sent. A file that cannot be
 * written costs no call its outcome.
 */
final class CallHistory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CallHistory.class);

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
        events.ifPresent(file -> file.tryClose(LOG::error));
    }

    private void write(String type, RequestId id, String more) {
        events.ifPresent(file -> file.tryWrite(type, HistoryWriter.text("id", id) + more, LOG::error));
    }
}
