package org.amo.examples.chat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.amo.exon.NodeId;
import org.amo.exon.udp.ExonReceiver;

/** Records the lines of the room, and answers each line with its number. */
final class Room implements ExonReceiver {
    private final Map<String, Integer> lines = new ConcurrentHashMap<>();

    @Override
    public void onMessage(NodeId from, byte[] line) {
        lines.merge(new String(line, StandardCharsets.UTF_8), 1, Integer::sum);
    }

    @Override
    public byte[] onRequest(NodeId from, byte[] line) {
        onMessage(from, line);
        return Integer.toString(lines.size()).getBytes(StandardCharsets.UTF_8);
    }

    int different() {
        return lines.size();
    }

    /** Lines that were heard more than once; every line is said once. */
    long doubled() {
        return lines.values().stream().filter(times -> times > 1).count();
    }
}
