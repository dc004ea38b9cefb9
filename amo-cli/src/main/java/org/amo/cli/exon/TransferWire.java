package org.amo.cli.exon;

import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/** The messages of {@code amo exon}; docs/wire/exon-files.md has their bytes. */
final class TransferWire {
    /** The first two bytes of each message. */
    static final int VERSION = 1;

    static final int OFFER = 1;
    static final int PIECE = 2;
    static final int TAKEN = 3;
    static final int LINE = 4;
    static final int END_OF_LINES = 5;
    static final int PROBE = 6;
    static final int ANSWER = 7;

    /** Of a name, as most file systems have it. */
    static final int MOST_NAME_BYTES = 255;

    static final int MOST_LINE_BYTES = 64 << 10;
    private static final int MOST_REASON_BYTES = 2_000;
    private static final int HEAD = 2;

    /** One piece of a file. */
    record Piece(TransferKey key, long offset, byte[] bytes) {}

    /** One line of a stream, which has a number of its own; lines are counted from 0. */
    record Line(long stream, long number, byte[] bytes) {}

    private TransferWire() {}

    /**
     * Which message it is.
     *
     * @throws MalformedFrameException if it is none, or of another version
     */
    static int kind(byte[] message) {
        WireReader reader = new WireReader("exon transfer", message);
        reader.version(VERSION);
        return reader.u8("kind");
    }

    static byte[] offer(FileOffer offer) {
        WireWriter writer = begin(OFFER, 64 + MOST_NAME_BYTES);
        writer.varint(offer.length());
        writer.raw(offer.sha256(), 0, FileOffer.HASH_BYTES);
        writer.text("the name", offer.name(), MOST_NAME_BYTES);
        return writer.toBytes();
    }

    static FileOffer offer(byte[] message) {
        WireReader reader = reader(message);
        long length = reader.varint("length", 0, WireReader.MAX_NUMBER);
        byte[] sha256 = rest(reader, message, "sha256", FileOffer.HASH_BYTES);
        WireReader after = new WireReader(
                "exon transfer",
                message,
                reader.position() + FileOffer.HASH_BYTES,
                reader.remaining() - FileOffer.HASH_BYTES);
        String name = after.text("name", MOST_NAME_BYTES);
        after.end();
        return new FileOffer(name, length, sha256);
    }

    static byte[] piece(TransferKey key, long offset, byte[] bytes, int count) {
        WireWriter writer = begin(PIECE, HEAD + 24 + count);
        key(writer, key);
        writer.i64(offset);
        writer.raw(bytes, 0, count);
        return writer.take();
    }

    static Piece piece(byte[] message) {
        WireReader reader = reader(message);
        TransferKey key = key(reader);
        long offset = reader.i64("offset");
        return new Piece(key, offset, rest(reader, message, "bytes", reader.remaining()));
    }

    static byte[] taken(TransferKey key) {
        WireWriter writer = begin(TAKEN, HEAD + 16);
        key(writer, key);
        return writer.take();
    }

    static TransferKey taken(byte[] message) {
        WireReader reader = reader(message);
        TransferKey key = key(reader);
        reader.end();
        return key;
    }

    static byte[] line(long stream, long number, byte[] bytes) {
        WireWriter writer = begin(LINE, HEAD + 16 + bytes.length);
        writer.i64(stream);
        writer.i64(number);
        writer.raw(bytes, 0, bytes.length);
        return writer.take();
    }

    /** A line, or the end of lines, which has the number of the first line that is missing. */
    static Line line(byte[] message) {
        WireReader reader = reader(message);
        long stream = reader.i64("stream");
        long number = reader.i64("number");
        if (number < 0) {
            throw reader.malformed("number", number);
        }
        return new Line(stream, number, rest(reader, message, "bytes", reader.remaining()));
    }

    static byte[] endOfLines(long stream, long count) {
        WireWriter writer = begin(END_OF_LINES, HEAD + 16);
        writer.i64(stream);
        writer.i64(count);
        return writer.take();
    }

    /**
     * Counts for nothing but the way.
     *
     * @param bytes of the message, at least 2
     */
    static byte[] probe(int bytes) {
        byte[] message = new byte[Math.max(HEAD, bytes)];
        message[0] = VERSION;
        message[1] = PROBE;
        return message;
    }

    static byte[] answer(TransferAnswer answer) {
        WireWriter writer = begin(ANSWER, 64);
        writer.u8(answer.state().number());
        writer.varint(answer.position());
        writer.u8(answer.exitCode());
        String reason = answer.reason();
        writer.text(reason.substring(0, Math.min(MOST_REASON_BYTES / 4, reason.length())));
        return writer.toBytes();
    }

    static TransferAnswer answer(byte[] message) {
        WireReader reader = reader(message);
        int number = reader.u8("state");
        TransferAnswer answer = new TransferAnswer(
                TransferAnswer.State.of(number).orElseThrow(() -> reader.malformed("state", number)),
                reader.varint("position", 0, WireReader.MAX_NUMBER),
                reader.u8("exit code"),
                reader.text("reason", MOST_REASON_BYTES));
        reader.end();
        return answer;
    }

    private static WireWriter begin(int kind, int capacity) {
        WireWriter writer = new WireWriter(capacity);
        writer.u8(VERSION);
        writer.u8(kind);
        return writer;
    }

    private static WireReader reader(byte[] message) {
        WireReader reader = new WireReader("exon transfer", message);
        reader.need("head", HEAD);
        return new WireReader("exon transfer", message, HEAD, message.length - HEAD);
    }

    private static void key(WireWriter writer, TransferKey key) {
        writer.i64(key.high());
        writer.i64(key.low());
    }

    private static TransferKey key(WireReader reader) {
        return new TransferKey(reader.i64("key, high"), reader.i64("key, low"));
    }

    private static byte[] rest(WireReader reader, byte[] message, String field, int count) {
        reader.need(field, count);
        byte[] bytes = new byte[count];
        System.arraycopy(message, reader.position(), bytes, 0, count);
        return bytes;
    }
}
