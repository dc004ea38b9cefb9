package org.amo.dpg;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.dpg.Report.SiteStatus;

/**
 * Reads and writes PDUs, byte by byte as in docs/wire/dpg.md. Decoded PDUs are checked for form, not for truth. Every method
 * that reads throws {@link MalformedFrameException}.
 */
public final class DpgCodec {
    /** First byte of a 'message' PDU; the low bits are the format's version. */
    static final int MESSAGE = 0xD1;

    /** First byte of a 'report' PDU. */
    static final int REPORT = 0xDA;

    /** Longest body. */
    public static final int MAX_BODY = 60_000;

    /** Longer lists fit no datagram: an element takes two bytes. */
    private static final int MAX_LIST = 32_768;

    private static final long MAX_NUMBER = Long.MAX_VALUE / 4;

    /** By their numbers in a frame. */
    private static final List<SiteStatus> STANDINGS =
            List.of(SiteStatus.LISTENING, SiteStatus.PLACED, SiteStatus.ALONE);

    private DpgCodec() {}

    public static byte[] encode(Message message) {
        WireWriter writer = new WireWriter(32 + message.body().length);
        writer.u8(MESSAGE);
        writer.i64(message.tag().origin());
        writer.varint(message.tag().number());
        writer.blob("body", message.body(), MAX_BODY);
        return writer.toBytes();
    }

    public static byte[] encode(Report report) {
        WireWriter writer = new WireWriter(256);
        Map<Long, Integer> origins = origins(report);
        writer.u8(REPORT);
        writer.i64(report.origin());
        writer.varint(report.number());
        writer.u8(STANDINGS.indexOf(report.standing()));
        writer.varint(report.clockMicros());
        writer.varint(report.messageCycleMicros());
        writer.varint(origins.size());
        origins.keySet().forEach(writer::i64);
        tags(report.order(), origins, writer);
        indices(report.decided(), report.order(), writer);
        tag(report.delivered(), origins, writer);
        tags(report.vertices(), origins, writer);
        Map<Tag, Integer> places = new LinkedHashMap<>();
        if (report.anchored()) {
            places.put(report.latestDeliverable(), 0);
        }
        report.vertices().forEach(tag -> places.putIfAbsent(tag, places.size()));
        writer.varint(report.arcs().size());
        for (Arc arc : report.arcs()) {
            writer.varint(2L * place(places, arc.from()) + (arc.marked() ? 1 : 0));
            writer.varint(place(places, arc.to()));
        }
        tags(report.lost(), origins, writer);
        writer.varint(report.bodies().size());
        for (Message message : report.bodies()) {
            tag(message.tag(), origins, writer);
            writer.blob("body", message.body(), MAX_BODY);
        }
        return writer.toBytes();
    }

    private static int place(Map<Tag, Integer> places, Tag tag) {
        Integer place = places.get(tag);
        if (place == null) {
            throw new IllegalArgumentException("an arc of " + tag + ", which is neither a vertex nor L_DELIV");
        }
        return place;
    }

    private static Map<Long, Integer> origins(Report report) {
        Map<Long, Integer> origins = new LinkedHashMap<>();
        report.order().forEach(tag -> origins.putIfAbsent(tag.origin(), origins.size()));
        origins.putIfAbsent(report.delivered().origin(), origins.size());
        report.vertices().forEach(tag -> origins.putIfAbsent(tag.origin(), origins.size()));
        report.lost().forEach(tag -> origins.putIfAbsent(tag.origin(), origins.size()));
        report.bodies().forEach(body -> origins.putIfAbsent(body.tag().origin(), origins.size()));
        return origins;
    }

    private static void tags(List<Tag> tags, Map<Long, Integer> origins, WireWriter writer) {
        writer.varint(tags.size());
        tags.forEach(tag -> tag(tag, origins, writer));
    }

    private static void indices(List<Tag> picked, List<Tag> of, WireWriter writer) {
        writer.varint(picked.size());
        int last = -1;
        for (Tag tag : picked) {
            int index = of.indexOf(tag);
            if (index <= last) {
                throw new IllegalArgumentException(tag + " is not in the order, or not in its place");
            }
            writer.varint(index - last - 1L);
            last = index;
        }
    }

    private static void tag(Tag tag, Map<Long, Integer> origins, WireWriter writer) {
        writer.varint(origins.getOrDefault(tag.origin(), 0));
        writer.varint(tag.number());
    }

    /** Whether the frame says that it is a message; if not it must be a report. */
    public static boolean isMessage(byte[] frame) {
        return frame.length > 0 && (frame[0] & 0xFF) == MESSAGE;
    }

    public static Message decodeMessage(byte[] frame) {
        WireReader reader = new WireReader("dpg message", frame);
        int kind = reader.u8("kind");
        if (kind != MESSAGE) {
            throw reader.malformed("kind", kind);
        }
        Tag tag = new Tag(reader.i64("origin"), reader.varint("number", 1, MAX_NUMBER));
        if (tag.origin() == 0) {
            throw reader.malformed("origin", 0);
        }
        Message message = new Message(tag, reader.blob("body", MAX_BODY));
        reader.end();
        return message;
    }

    public static Report decodeReport(byte[] frame) {
        WireReader reader = new WireReader("dpg report", frame);
        int kind = reader.u8("kind");
        if (kind != REPORT) {
            throw reader.malformed("kind", kind);
        }
        long origin = reader.i64("origin");
        if (origin == 0) {
            throw reader.malformed("origin", 0);
        }
        long number = reader.varint("number", 1, MAX_NUMBER);
        int code = reader.u8("standing");
        if (code >= STANDINGS.size()) {
            throw reader.malformed("standing", code);
        }
        SiteStatus standing = STANDINGS.get(code);
        boolean anchored = standing != SiteStatus.LISTENING;
        long clock = reader.varint("clock", 0, MAX_NUMBER);
        long cycle = reader.varint("message cycle", 0, MAX_NUMBER);
        long[] origins = new long[count("origins", 8, reader)];
        for (int i = 0; i < origins.length; i++) {
            origins[i] = reader.i64("origin");
        }
        List<Tag> order = tags("order", origins, reader);
        if (anchored == order.isEmpty()) {
            throw reader.malformed("order", order.size());
        }
        List<Tag> decided = picked(order, reader);
        Tag delivered = tag("delivered", origins, reader);
        List<Tag> vertices = tags("vertices", origins, reader);
        List<Tag> places = new ArrayList<>(vertices.size() + 1);
        if (anchored) {
            places.add(order.get(order.size() - 1));
        }
        places.addAll(vertices);
        if (Set.copyOf(places).size() != places.size()) {
            throw reader.malformed("vertices, some of them twice,", vertices.size());
        }
        List<Arc> arcs = arcs(places, reader);
        List<Tag> lost = tags("lost", origins, reader);
        int count = count("bodies", 3, reader);
        List<Message> bodies = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            bodies.add(new Message(tag("body tag", origins, reader), reader.blob("body", MAX_BODY)));
        }
        reader.end();
        return new Report(
                origin, number, standing, clock, cycle, order, decided, delivered, vertices, arcs, lost, bodies);
    }

    private static List<Arc> arcs(List<Tag> places, WireReader reader) {
        int count = count("arcs", 2, reader);
        List<Arc> arcs = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            long from = reader.varint("arc from", 0, Math.max(0, 2L * places.size() - 1));
            int to = (int) reader.varint("arc to", 0, Math.max(0, places.size() - 1));
            if (places.isEmpty()) {
                throw reader.malformed("arcs without vertices", count);
            }
            arcs.add(new Arc(places.get((int) (from / 2)), places.get(to), from % 2 == 1));
        }
        return arcs;
    }

    private static List<Tag> tags(String field, long[] origins, WireReader reader) {
        int count = count(field, 2, reader);
        List<Tag> tags = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            tags.add(tag(field, origins, reader));
        }
        return tags;
    }

    private static List<Tag> picked(List<Tag> order, WireReader reader) {
        int count = count("decided", 1, reader);
        List<Tag> picked = new ArrayList<>(count);
        int index = -1;
        for (int i = 0; i < count; i++) {
            int left = order.size() - index - 2;
            if (left < 0) {
                throw reader.malformed("decided beyond the order", count);
            }
            index += 1 + (int) reader.varint("decided", 0, left);
            picked.add(order.get(index));
        }
        return picked;
    }

    private static Tag tag(String field, long[] origins, WireReader reader) {
        int origin = (int) reader.varint(field + " origin", 0, Math.max(0, origins.length - 1));
        long number = reader.varint(field + " number", 0, MAX_NUMBER);
        if (origins.length == 0) {
            throw reader.malformed(field + " without origins", origin);
        }
        if ((origins[origin] == 0) != (number == 0)) {
            throw reader.malformed(field + " number", number);
        }
        return new Tag(origins[origin], number);
    }

    /** Each element takes so many bytes at least: a count that the rest cannot hold allocates nothing. */
    private static int count(String field, int leastBytes, WireReader reader) {
        return (int) reader.varint(field + " count", 0, Math.min(MAX_LIST, reader.remaining() / leastBytes));
    }
}
