package org.amo.replication.order.sequencer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.order.OrderedLog;

/** The messages between members for a {@link MajoritySequence}: a kind, which the channel carries, and these bytes. */
final class SequencerFrames {
    static final byte ENTRY = 1;
    static final byte MARK = 2;
    static final byte FOUND = 3;
    static final byte STATUS = 4;
    static final byte FETCH = 5;
    static final byte PIECE = 6;
    static final byte ACKNOWLEDGE = 7;
    static final byte SNAPSHOT = 9;

    private SequencerFrames() {}

    static byte[] mark(long nonce) {
        WireWriter frame = new WireWriter(8);
        frame.i64(nonce);
        return frame.toBytes();
    }

    static byte[] status(long nonce, boolean established) {
        WireWriter frame = new WireWriter(9);
        frame.i64(nonce);
        frame.u8(established ? 1 : 0);
        return frame.toBytes();
    }

    static byte[] fetch(long nonce, long firstPosition, long offset) {
        WireWriter frame = new WireWriter(24);
        frame.i64(nonce);
        frame.i64(firstPosition);
        frame.i64(offset);
        return frame.toBytes();
    }

    static byte[] snapshotPiece(long nonce, SequenceHistory.Snapshot snapshot, int offset, int length) {
        WireWriter frame = new WireWriter(length + 48);
        frame.i64(nonce);
        frame.i64(snapshot.position());
        frame.i64(snapshot.hash());
        frame.i64(snapshot.content().length);
        frame.i64(offset);
        frame.raw(snapshot.content(), offset, length);
        return frame.toBytes();
    }

    static byte[] piece(long nonce, long firstPosition, long total, List<byte[]> entries) {
        WireWriter frame = new WireWriter(1 << 16);
        frame.i64(nonce);
        frame.i64(firstPosition);
        frame.i64(total);
        frame.varint(entries.size());
        entries.forEach(entry -> frame.blob("entry", entry, OrderedLog.MAX_ENTRY_BYTES));
        return frame.toBytes();
    }

    static byte[] acknowledge(long received, long hash) {
        WireWriter frame = new WireWriter(16);
        frame.i64(received);
        frame.i64(hash);
        return frame.toBytes();
    }

    /**
     * Passes a message of another member to this member's sequence.
     *
     * @return false for an unknown kind
     * @throws MalformedFrameException for bytes that no member writes; the sequence has not been told then
     */
    static boolean tell(MajoritySequence sequence, String from, byte kind, byte[] frame) {
        WireReader in = new WireReader("sequencer frame " + kind, frame);
        switch (kind) {
            case ENTRY -> {
                if (frame.length > OrderedLog.MAX_ENTRY_BYTES) {
                    throw in.malformed("length of an entry", frame.length);
                }
                sequence.onEntry(frame);
            }
            case MARK -> sequence.onMark(from, in.i64("nonce"));
            case FOUND -> sequence.onFound();
            case STATUS -> sequence.onStatus(from, in.i64("nonce"), in.flag("established"));
            case FETCH -> sequence.onFetch(from, in.i64("nonce"), count("first", in), count("offset", in));
            case SNAPSHOT ->
                sequence.onSnapshotPiece(
                        from,
                        in.i64("nonce"),
                        count("position", in),
                        in.i64("hash"),
                        count("total", in),
                        count("offset", in),
                        Arrays.copyOfRange(frame, in.position(), frame.length));
            case ACKNOWLEDGE -> sequence.onAcknowledged(from, count("received", in), in.i64("hash"));
            case PIECE -> sequence.onPiece(from, in.i64("nonce"), count("first", in), count("total", in), entries(in));
            default -> {
                return false;
            }
        }
        return true;
    }

    private static long count(String field, WireReader in) {
        long value = in.i64(field);
        if (value < 0) {
            throw in.malformed(field, value);
        }
        return value;
    }

    private static List<byte[]> entries(WireReader in) {
        // Each entry takes a byte at least: a count that the rest cannot hold allocates nothing.
        int count = (int) in.varint("count", 0, in.remaining());
        List<byte[]> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(in.blob("entry", OrderedLog.MAX_ENTRY_BYTES));
        }
        return entries;
    }
}
