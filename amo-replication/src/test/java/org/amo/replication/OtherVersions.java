package org.amo.replication;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.amo.core.order.LogListener;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.replication.order.InMemoryLogs;

/** Members that tell settings of another version, and the lines that a class logs about them. */
final class OtherVersions {
    private static final byte VERSION = 2;
    private static final byte SETTINGS = 5;

    private OtherVersions() {}

    /** Another member, which answers each message that it takes with one setting. */
    static OrderedLog start(InMemoryLogs logs, String id, String name, String value) {
        OrderedLog other = logs.member(id);
        byte[] settings = settings(name, value);
        other.start(new LogListener() {
            @Override
            public void onDelivered(long position, byte[] entry) {}

            @Override
            public void onRejected(long submission) {}

            @Override
            public void onLeader(String member) {}

            @Override
            public void onMessage(String member, byte[] message) {
                if (message[1] == SETTINGS) {
                    other.send(member, settings);
                }
            }

            @Override
            public void onEnded(OrderedLogException why) {}
        });
        return other;
    }

    /** docs/wire/peer-message.md, kind 5. */
    private static byte[] settings(String name, String value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(new byte[] {VERSION, SETTINGS, 0, 1, (byte) name.length()});
        bytes.writeBytes(name.getBytes(StandardCharsets.UTF_8));
        bytes.write(value.length());
        bytes.writeBytes(value.getBytes(StandardCharsets.UTF_8));
        return bytes.toByteArray();
    }

    /** What a class logs until this is closed. */
    static final class Lines extends Handler {
        private final List<String> lines = new CopyOnWriteArrayList<>();
        private final Logger log;

        Lines(Class<?> of) {
            log = Logger.getLogger(of.getName());
            log.addHandler(this);
        }

        List<String> all() {
            return List.copyOf(lines);
        }

        @Override
        public void publish(LogRecord line) {
            lines.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            log.removeHandler(this);
        }
    }
}
