package org.amo.lab.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the events of one client process, one JSON object a line. Threads share it. */
final class LoadHistory implements AutoCloseable {
    private final String client;
    private final String key;
    private final Writer writer;

    /** @param key of the service that is called */
    LoadHistory(String client, String key, Path file) throws IOException {
        this.client = client;
        this.key = key;
        this.writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
    }

    void invoke(String id, String op, String argJson, long nanos) {
        write("{\"type\":\"invoke\",\"client\":\"" + client + "\",\"id\":\"" + id + "\",\"op\":\"" + op
                + "\",\"key\":\"" + key + "\",\"arg\":" + argJson + ",\"t\":" + nanos + "}");
    }

    void ok(String id, String valueJson, long nanos) {
        write("{\"type\":\"ok\",\"client\":\"" + client + "\",\"id\":\"" + id + "\",\"value\":" + valueJson + ",\"t\":"
                + nanos + "}");
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
    public void close() throws IOException {
        synchronized (writer) {
            writer.close();
        }
    }

    private void ended(String type, String id, String reason, long nanos) {
        write("{\"type\":\"" + type + "\",\"client\":\"" + client + "\",\"id\":\"" + id + "\",\"reason\":\""
                + reason.replaceAll("[^A-Za-z0-9_. :-]", "_") + "\",\"t\":" + nanos + "}");
    }

    private void write(String line) {
        try {
            synchronized (writer) {
                writer.write(line);
                writer.write('\n');
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the history of " + client, e);
        }
    }
}
