package org.amo.replication;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import org.amo.core.replica.Execution;

/**
 * Writes every execution of this replica, one JSON object a line, for an oracle that knows nothing of amo. Each
 * line is handed to the operating system at once, so that it survives the kill of the process.
 */
final class ReplicaHistory implements AutoCloseable {
    private final BufferedWriter writer;
    private final String member;

    ReplicaHistory(Path file, String member) {
        this.member = member;
        try {
            writer = Files.newBufferedWriter(
                    file, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the history file " + file, e);
        }
    }

    /**
     * This member goes on from a state of that position, 0 being none: its process starts, or it installed a snapshot.
     * Entries behind that position that an earlier process executed are executed again from the log.
     */
    void joined(long position) {
        line("{\"type\":\"join\",\"replica\":\"" + member + "\",\"pos\":" + position + ",\"t\":" + System.nanoTime()
                + "}");
    }

    void executed(Execution execution, byte[] reply) {
        line("{\"type\":\"exec\",\"replica\":\"" + member + "\",\"id\":\""
                + execution.request().id() + "\",\"pos\":" + execution.position() + ",\"value\":\""
                + HexFormat.of().formatHex(reply, 0, Math.min(reply.length, 256)) + "\",\"t\":" + System.nanoTime()
                + "}");
    }

    @Override
    public synchronized void close() {
        try {
            writer.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized void line(String text) {
        try {
            writer.write(text);
            writer.write('\n');
            writer.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the history of " + member + " cannot be written", e);
        }
    }
}
