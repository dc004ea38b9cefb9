package org.amo.exon;

import java.util.ArrayList;
import java.util.List;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.exon.Frame.Ack;
import org.amo.exon.Frame.Arrived;
import org.amo.exon.Frame.Refused;
import org.amo.exon.Frame.RequestSlots;
import org.amo.exon.Frame.Seen;
import org.amo.exon.Frame.Slots;
import org.amo.exon.Frame.Token;
import org.amo.exon.Frame.Unknown;

/** Reads and writes datagrams, byte by byte as in docs/wire/exon.md. */
final class ExonCodec {
    /** First byte of a datagram that names both nodes; the low bits are the format's version. */
    static final int LONG = 0xE1;

    /**
     * First byte of a datagram that names its sender by the receiver's handle; its seal is good for one life of both, and
     * its numbers are distances ({@link Numbers}). A draft used 0xE9.
     */
    static final int SHORT = 0xEA;

    /** Most bytes of header, seal and frame around one piece of a message. */
    static final int MAX_OVERHEAD = 160;

    static final int MAX_HOLES = 64;
    static final int MAX_DATAGRAM = 65_507;

    private static final int SEEN = 1;
    private static final int REQUEST_SLOTS = 2;
    private static final int SLOTS = 3;
    private static final int TOKENS = 4;
    private static final int PIECE = 5;
    private static final int ACK = 6;
    private static final int UNKNOWN = 7;
    private static final int ARRIVED = 8;
    private static final int REFUSED = 9;
    static final long MAX_NUMBER = Long.MAX_VALUE / 4;
    private static final int MAX_COUNT = 1 << 24;

    private ExonCodec() {}

    /**
     * The header before the frames.
     *
     * @param named whether it names both nodes; else only handle and packet have a meaning
     * @param to the receiver
     * @param from the sender
     * @param incarnation of the sender
     * @param handle named: the handle of the sender's record of the receiver; else: of the receiver's record of the sender
     * @param echo named: the handle that the sender has heard from the receiver, or 0
     * @param packet number of this datagram, rising
     */
    record Header(boolean named, NodeId to, NodeId from, long incarnation, int handle, int echo, long packet) {
        private static final NodeId NOBODY = new NodeId(0, 0);

        static Header shortForm(int handle, long packet) {
            return new Header(false, NOBODY, NOBODY, 0, handle, 0, packet);
        }
    }

    static void writeHeader(Header header, WireWriter writer) {
        writer.u8(header.named ? LONG : SHORT);
        if (header.named) {
            writer.i64(header.to.high());
            writer.i64(header.to.low());
            writer.i64(header.from.high());
            writer.i64(header.from.low());
            writer.varint(header.incarnation);
            writer.i32(header.handle);
            writer.i32(header.echo);
        } else {
            writer.i32(header.handle);
        }
        writer.varint(header.packet);
    }

    /** Reads the header and leaves the reader at the first frame. */
    static Header readHeader(WireReader reader) {
        int form = reader.u8("form");
        if (form == SHORT) {
            return Header.shortForm(reader.i32("handle"), reader.varint("packet", 1, MAX_NUMBER));
        }
        if (form != LONG) {
            throw reader.malformed("form", form);
        }
        NodeId to = new NodeId(reader.i64("to"), reader.i64("to"));
        NodeId from = new NodeId(reader.i64("from"), reader.i64("from"));
        long incarnation = reader.varint("incarnation", 1, MAX_NUMBER);
        int handle = reader.i32("handle");
        int echo = reader.i32("echo");
        return new Header(true, to, from, incarnation, handle, echo, reader.varint("packet", 1, MAX_NUMBER));
    }

    static void writeFrame(Frame frame, Numbers numbers, WireWriter writer) {
        if (frame instanceof Seen seen) {
            writer.u8(SEEN);
            writer.varint(seen.packet());
            writer.varint(seen.delayMicros());
        } else if (frame instanceof RequestSlots request) {
            writer.u8(REQUEST_SLOTS);
            numbers.writeSenders(request.from(), writer);
            writer.varint(request.count());
            writer.varint(request.from() - request.frontier());
            writer.varint(request.need());
        } else if (frame instanceof Slots slots) {
            writer.u8(SLOTS);
            numbers.writeReceivers(slots.from(), writer);
            numbers.writeSenders(slots.incarnation(), writer);
            writer.varint(slots.count());
        } else if (frame instanceof Token token) {
            writeTokens(List.of(token), numbers, writer);
        } else if (frame instanceof Ack ack) {
            writer.u8(ACK);
            writeAck(ack, numbers, writer);
        } else if (frame instanceof Arrived arrived) {
            writer.u8(ARRIVED);
            writeAck(arrived.slots(), numbers, writer);
        } else if (frame instanceof Refused refused) {
            writer.u8(REFUSED);
            numbers.writeSenders(refused.incarnation(), writer);
            numbers.writeReceivers(refused.slot(), writer);
            writer.varint(refused.count());
        } else if (frame instanceof Unknown unknown) {
            writer.u8(UNKNOWN);
            numbers.writeSenders(unknown.incarnation(), writer);
        }
    }

    /** Writes tokens of one incarnation in consecutive slots: one piece of a message, or any number of whole messages. */
    static void writeTokens(List<Token> run, Numbers numbers, WireWriter writer) {
        Token first = run.get(0);
        boolean piece = first.pieces() > 1;
        writer.u8(piece ? PIECE : TOKENS);
        numbers.writeReceivers(first.incarnation(), writer);
        numbers.writeSenders(first.slot(), writer);
        if (piece) {
            writer.varint(first.index());
            writer.varint(first.pieces());
        } else {
            writer.varint(run.size());
        }
        for (Token token : run) {
            writer.blob("body", token.body(), MAX_DATAGRAM);
        }
    }

    private static void writeAck(Ack ack, Numbers numbers, WireWriter writer) {
        numbers.writeSenders(ack.incarnation(), writer);
        numbers.writeReceivers(ack.end(), writer);
        writer.varint(ack.end() - ack.from());
        writer.varint(ack.holes().length / 2);
        long above = ack.end();
        for (int i = 0; i < ack.holes().length; i += 2) {
            writer.varint(above - ack.holes()[i + 1]);
            writer.varint(ack.holes()[i + 1] - ack.holes()[i] - 1);
            above = ack.holes()[i];
        }
    }

    /** Reads all frames up to the end. */
    static List<Frame> readFrames(WireReader reader, Numbers numbers) {
        List<Frame> frames = new ArrayList<>(4);
        while (reader.remaining() > 0) {
            int kind = reader.u8("kind");
            switch (kind) {
                case SEEN ->
                    frames.add(new Seen(
                            reader.varint("seen packet", 1, MAX_NUMBER), reader.varint("seen delay", 0, MAX_NUMBER)));
                case REQUEST_SLOTS -> frames.add(readRequest(reader, numbers));
                case SLOTS ->
                    frames.add(new Slots(
                            numbers.readReceivers("slots from", reader),
                            numbers.readSenders("slots incarnation", reader),
                            (int) reader.varint("slots count", 0, MAX_COUNT)));
                case TOKENS -> readTokens(reader, numbers, frames);
                case PIECE -> frames.add(readPiece(reader, numbers));
                case ACK -> frames.add(readAck(reader, numbers));
                case ARRIVED -> frames.add(new Arrived(readAck(reader, numbers)));
                case REFUSED ->
                    frames.add(new Refused(
                            numbers.readSenders("refused incarnation", reader),
                            numbers.readReceivers("refused slot", reader),
                            (int) reader.varint("refused count", 1, MAX_COUNT)));
                case UNKNOWN -> frames.add(new Unknown(numbers.readSenders("unknown incarnation", reader)));
                default -> throw reader.malformed("kind", kind);
            }
        }
        return frames;
    }

    private static RequestSlots readRequest(WireReader reader, Numbers numbers) {
        long from = numbers.readSenders("request from", reader);
        int count = (int) reader.varint("request count", 0, MAX_COUNT);
        long frontier = from - reader.varint("request frontier", 0, from);
        return new RequestSlots(from, count, frontier, (int) reader.varint("request need", 0, count));
    }

    private static void readTokens(WireReader reader, Numbers numbers, List<Frame> frames) {
        long incarnation = numbers.readReceivers("token incarnation", reader);
        long slot = numbers.readSenders("token slot", reader);
        int count = (int) reader.varint("token count", 1, Math.max(1, reader.remaining()));
        for (int i = 0; i < count; i++) {
            frames.add(new Token(incarnation, slot + i, 0, 1, reader.blob("token body", MAX_DATAGRAM)));
        }
    }

    private static Token readPiece(WireReader reader, Numbers numbers) {
        long incarnation = numbers.readReceivers("piece incarnation", reader);
        long slot = numbers.readSenders("piece slot", reader);
        int index = (int) reader.varint("piece index", 0, Math.min(MAX_COUNT, slot - 1));
        int pieces = (int) reader.varint("pieces", Math.max(2, index + 1), MAX_COUNT);
        return new Token(incarnation, slot, index, pieces, reader.blob("piece body", MAX_DATAGRAM));
    }

    private static Ack readAck(WireReader reader, Numbers numbers) {
        long incarnation = numbers.readSenders("ack incarnation", reader);
        long end = numbers.readReceivers("ack end", reader);
        long from = end - reader.varint("ack length", 1, end);
        int count = (int) reader.varint("ack holes", 0, MAX_HOLES);
        long[] holes = new long[2 * count];
        long above = end;
        for (int i = 0; i < holes.length; i += 2) {
            holes[i + 1] = above - reader.varint("ack hole distance", 0, above - from);
            holes[i] = holes[i + 1] - 1 - reader.varint("ack hole length", 0, MAX_NUMBER);
            if (holes[i] < from || holes[i + 1] <= from) {
                throw reader.malformed("ack hole", holes[i]);
            }
            above = holes[i];
        }
        return new Ack(incarnation, from, end, holes);
    }

    /** A whole datagram without its seal, for tests and tools. */
    static List<Frame> decode(byte[] bytes, int length, Numbers numbers) {
        if (length > bytes.length) {
            throw new MalformedFrameException("exon datagram: length " + length + " exceeds " + bytes.length);
        }
        WireReader reader = new WireReader("exon datagram", bytes, 0, length);
        readHeader(reader);
        return readFrames(reader, numbers);
    }
}
