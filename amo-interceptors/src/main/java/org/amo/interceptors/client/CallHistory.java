package org.amo.interceptors.client;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.amo.core.request.RequestId;

/**
 * The history file: one line as each call begins and one as it ends. A line is written at once and whole, so that a
 * killed client leaves every call that it sent.
 */
final class CallHistory implements Closeable {
    private final Optional<OutputStream> out;
    private final String client;
    private boolean closed;

    CallHistory(Optional<Path> file, String client) {
        this.client = quote(client);
        this.out = file.map(CallHistory::open);
    }

    boolean isOn() {
        return out.isPresent();
    }

    void invoke(RequestId id, String operation) {
        write("invoke", id, ",\"op\":" + quote(operation));
    }

    void ok(RequestId id) {
        write("ok", id, "");
    }

    /** It certainly did not run. */
    void fail(RequestId id, String reason) {
        write("fail", id, ",\"reason\":" + quote(reason));
    }

    /** The outcome is unknown. */
    void info(RequestId id, String reason) {
        write("info", id, ",\"reason\":" + quote(reason));
    }

    @Override
    public void close() {
        if (out.isPresent()) {
            try {
                synchronized (this) {
                    closed = true;
                }
                out.get().close();
            } catch (IOException lost) {
                throw new UncheckedIOException(lost);
            }
        }
    }

    private void write(String type, RequestId id, String more) {
        if (out.isEmpty()) {
            return;
        }
        String line = "{\"type\":\"" + type + "\",\"client\":" + client + ",\"id\":\"" + id + "\"" + more + ",\"t\":"
                + System.nanoTime() + "}\n";
        try {
            synchronized (this) {
                // The JVM ends while a thread still calls: its call stays open in the file, as after a crash.
                if (!closed) {
                    out.get().write(line.getBytes(StandardCharsets.UTF_8));
                }
            }
        } catch (IOException full) {
            throw new UncheckedIOException("amo.history cannot be written: " + full.getMessage(), full);
        }
    }

    private static OutputStream open(Path file) {
        try {
            return Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException cannot) {
            throw new UncheckedIOException("amo.history=" + file + " cannot be opened for writing", cannot);
        }
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append("\\u00").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
