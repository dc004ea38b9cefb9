package org.amo.replication.service;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Consumer;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;

/**
 * Writes the outcomes of a client's calls, one JSON object a line, with the ids and values that the replicas write. Each
 * line is handed to the operating system at once. The client's thread owns it.
 */
final class ClientHistory {
    /** As many bytes of a reply as a replica writes. */
    private static final int MOST_VALUE_BYTES = 256;

    private final Optional<BufferedWriter> writer;
    private final String client;
    private final Consumer<String> onSend;

    /** @param onSend told the id of each attempt before it leaves */
    ClientHistory(Optional<Path> file, String client, Consumer<String> onSend) {
        this.client = client;
        this.writer = file.map(ClientHistory::open);
        this.onSend = onSend;
    }

    /** An attempt leaves. If its number differs from the one before, the request under that one did not run. */
    void sent(PendingCall call, RequestId id) {
        onSend.accept(id.toString());
        invoked(call, id);
    }

    private void invoked(PendingCall call, RequestId id) {
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

    void replied(PendingCall call, RequestId id, byte[] reply) {
        // A oneway has no reply; its acknowledgement is no value.
        line(
                "ok",
                id,
                call.oneway() || writer.isEmpty()
                        ? ""
                        : ",\"value\":\"" + HexFormat.of().formatHex(reply, 0, Math.min(reply.length, MOST_VALUE_BYTES))
                                + "\"");
    }

    void notExecuted(PendingCall call, RequestId id, Optional<Refusal> reason) {
        // Perhaps no attempt ever left.
        invoked(call, id);
        line("fail", id, ",\"reason\":\"" + reason.map(Refusal::name).orElse("NO_MEMBER") + "\"");
    }

    void unknown(PendingCall call, RequestId id) {
        invoked(call, id);
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
