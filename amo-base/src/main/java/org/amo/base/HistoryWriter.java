package org.amo.base;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.function.Consumer;

/**
 * Appends events of one client or one replica to a history file, one JSON object a line (docs/reference/history.md). Each line is whole
 * and is handed to the operating system at once, so that it survives the kill of the process. Any thread.
 */
public final class HistoryWriter implements Closeable {
    private static final int MOST_VALUE_BYTES = 256;

    private final Path file;
    private final String author;
    private final OutputStream out;
    private boolean closed;
    private volatile boolean broken;

    private HistoryWriter(Path file, String author) {
        this.file = file;
        this.author = author;
        try {
            boolean torn = isTorn(file);
            out = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            if (torn) {
                out.write('\n');
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the history file " + file, e);
        }
    }

    /** Whether a full disk took a part of the last line only. The next line must not continue it. */
    private static boolean isTorn(Path file) throws IOException {
        if (!Files.isRegularFile(file) || Files.size(file) == 0) {
            return false;
        }
        try (SeekableByteChannel in = Files.newByteChannel(file)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            in.position(in.size() - 1);
            return in.read(last) == 1 && last.get(0) != '\n';
        }
    }

    /** @throws UncheckedIOException if the file cannot be opened */
    public static HistoryWriter ofClient(Path file, String client) {
        return new HistoryWriter(file, text("client", client));
    }

    /** @throws UncheckedIOException if the file cannot be opened */
    public static HistoryWriter ofReplica(Path file, String replica) {
        return new HistoryWriter(file, text("replica", replica));
    }

    /** A field whose value is written as a string. */
    public static String text(String name, Object value) {
        return json(name, quote(value.toString()));
    }

    /** A field whose value is JSON already. */
    public static String json(String name, Object json) {
        return ",\"" + name + "\":" + json;
    }

    /** The field of a reply: its first bytes, which clients and replicas write alike. */
    public static String value(byte[] reply) {
        return text("value", HexFormat.of().formatHex(reply, 0, Math.min(reply.length, MOST_VALUE_BYTES)));
    }

    /** Writes an event of this moment. */
    public void write(String type, String fields) {
        write(type, fields, System.nanoTime());
    }

    /**
     * Writes an event. After {@link #close} it does nothing: the process ends while a call is open, and the call stays open in
     * the file, as after a crash.
     *
     * @param fields made by the methods above
     * @param nanos of the machine's monotonic clock
     */
    public void write(String type, String fields, long nanos) {
        String line = "{\"type\":\"" + type + '"' + author + fields + ",\"t\":" + nanos + "}\n";
        try {
            synchronized (this) {
                if (!closed) {
                    out.write(line.getBytes(StandardCharsets.UTF_8));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the history file " + file + " cannot be written: " + e.getMessage(), e);
        }
    }

    /**
     * Writes an event for an author that goes on without its file: after the first one that cannot be written, none is.
     *
     * @param failed is told that once, in one line
     */
    public void tryWrite(String type, String fields, Consumer<String> failed) {
        if (!broken) {
            attempt(() -> write(type, fields), failed);
        }
    }

    /** Closes the file; the same if it cannot be closed. */
    public void tryClose(Consumer<String> failed) {
        attempt(this::close, failed);
    }

    private void attempt(Runnable action, Consumer<String> failed) {
        try {
            action.run();
        } catch (UncheckedIOException e) {
            broken = true;
            failed.accept(e.getMessage() + "; calls go on, and the file lacks the events from here on");
        }
    }

    @Override
    public void close() {
        try {
            synchronized (this) {
                closed = true;
                out.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the history file " + file + " cannot be closed: " + e.getMessage(), e);
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
