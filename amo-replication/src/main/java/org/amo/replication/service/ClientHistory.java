package org.amo.replication.service;

import java.io.Closeable;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.amo.base.HistoryWriter;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the outcomes of a client's calls, with the ids and values that the replicas write. A file that cannot be written costs no
 * call its outcome. The client's thread owns it.
 */
final class ClientHistory implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(ClientHistory.class);

    private final Optional<HistoryWriter> events;
    private final Consumer<String> onSend;

    /** @param onSend told the id of each attempt before it leaves */
    ClientHistory(Optional<Path> file, String client, Consumer<String> onSend) {
        this.events = file.map(path -> HistoryWriter.ofClient(path, client));
        this.onSend = onSend;
    }

    /** An attempt leaves. If its number differs from the one before, the request under that one did not run. */
    void sent(PendingCall call, RequestId id) {
        onSend.accept(id.toString());
        invoked(call, id);
    }

    private void invoked(PendingCall call, RequestId id) {
        if (events.isEmpty()) {
            return;
        }
        RequestId before = call.sentAs(id);
        if (id.equals(before)) {
            return;
        }
        if (before != null) {
            line("fail", before, HistoryWriter.text("reason", "NEW_NUMBER"));
        }
        line("invoke", id, HistoryWriter.text("op", "call"));
    }

    void replied(PendingCall call, RequestId id, byte[] reply) {
        // A oneway has no reply; its acknowledgement is no value.
        line("ok", id, call.oneway() || events.isEmpty() ? "" : HistoryWriter.value(reply));
    }

    void notExecuted(PendingCall call, RequestId id, Optional<Refusal> reason) {
        // Perhaps no attempt ever left.
        invoked(call, id);
        line("fail", id, HistoryWriter.text("reason", reason.map(Refusal::name).orElse("NO_MEMBER")));
    }

    void unknown(PendingCall call, RequestId id) {
        invoked(call, id);
        line("info", id, HistoryWriter.text("reason", "UNKNOWN"));
    }

    @Override
    public void close() {
        events.ifPresent(file -> file.tryClose(LOG::error));
    }

    private void line(String type, RequestId id, String more) {
        events.ifPresent(file -> file.tryWrite(type, HistoryWriter.text("id", id) + more, LOG::error));
    }
}
