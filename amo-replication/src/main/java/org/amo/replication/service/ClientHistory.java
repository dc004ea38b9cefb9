package org.amo.replication.service;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;

/**
 * Writes what a client's calls came to, one JSON object a line, under the ids that the replicas write, each handed to the
 * operating system at once. The client's thread owns it.
 */
final class ClientHistory {
    private final Optional<BufferedWriter> writer;
    private final String client;

    ClientHistory(Optional<Path> file, String client) {
        this.client = client;
        this.writer = file.map(ClientHistory::open);
    }

    /** A copy leaves; another number than before says that the one before did not run. */
    void sent(PendingCall call, RequestId id) {
        if (writer.isEmpty()) {
            return;
        }
        RequestId before = call.sentAs(id);
        if (id.equals(before)) {
            return;
        }
        if (before != null) {
            line("fail", before, ",\"reason\":\"NEW_NUMBER\"");
        }
        line("invoke", id, ",\"op\":\"call\"");
    }

    void replied(RequestId id) {
        line("ok", id, "");
    }

    void notExecuted(RequestId id, Optional<Refusal> reason) {
        line("fail", id, ",\"reason\":\"" + reason.map(Refusal::name).orElse("NO_MEMBER") + "\"");
    }

    void unknown(RequestId id) {
        line("info", id, ",\"reason\":\"UNKNOWN\"");
    }

    private void line(String type, RequestId id, String more) {
        if (writer.isEmpty()) {
            return;
        }
        try {
            writer.get()
                    .write("{\"type\":\"" + type + "\",\"client\":\"" + client + "\",\"id\":\"" + id + "\"" + more
                            + ",\"t\":" + System.nanoTime() + "}\n");
            writer.get().flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the history of client " + client + " cannot be written", e);
        }
    }

    private static BufferedWriter open(Path file) {
        try {
            return Files.newBufferedWriter(
                    file, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the history file " + file, e);
        }
    }
}
