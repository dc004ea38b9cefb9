package org.amo.replication.order.dpg;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.order.OrderedLog;

/**
 * Cuts the messages between members of a {@link DpgLog} into pieces that fit into messages of DPG, and joins them again in
 * their order: a parcel stands where its last piece is delivered. docs/wire/dpg.md. One thread owns it. Only the latest
 * unfinished parcels are held, per sender and in all, without memory for missing pieces. Their bytes have a limit over all
 * senders: beyond it, the sender that holds most loses its oldest parcel. A parcel that lost a piece never comes.
 *
 * <p>The entries of a log must be dropped alike by all members, so their limit is a constant.
 */
final class Fragments {
    static final int PIECE_BYTES = 16_000;

    /** Of a parcel. A history is the longest: it holds all entries. */
    static final int MOST_BYTES = 1 << 30;

    private static final int MOST_PIECES = (MOST_BYTES + PIECE_BYTES - 1) / PIECE_BYTES;
    private static final int MOST_PIECES_OF_ENTRY = (OrderedLog.MAX_ENTRY_BYTES + PIECE_BYTES - 1) / PIECE_BYTES;

    /** Of an entry, from any sender. */
    static final int MOST_ENTRY_BYTES = MOST_PIECES_OF_ENTRY * PIECE_BYTES;

    /** Of all unfinished entries, with {@link #PIECE_OVERHEAD} for each piece. */
    static final long MOST_BYTES_OF_ENTRIES = 4L * MOST_ENTRY_BYTES;

    /** Of memory, for each piece that is held. */
    static final int PIECE_OVERHEAD = 64;

    private static final int MOST_UNFINISHED = 64;
    private static final int MOST_UNFINISHED_OF_ALL = 16 * MOST_UNFINISHED;
    private static final int MAX_ID_BYTES = 32;

    private final String member;
    private final long mostBytes;
    private final Map<Name, Unfinished> unfinished = new LinkedHashMap<>();
    private long bytes;

    /** The content of a parcel. */
    enum Kind {
        /** An entry of the log. */
        ENTRY(0),
        /** A message to one member. */
        WORD(1),
        /** The sender is there. */
        ALIVE(2),
        /** The sender asks for the log before this parcel. */
        MARK(3),
        /** The log before a mark, to the member that set it. */
        HISTORY(4);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        private static Optional<Kind> of(int code) {
            return Arrays.stream(values()).filter(kind -> kind.code == code).findFirst();
        }
    }

    /**
     * A parcel.
     *
     * @param from the member that sent it
     * @param to the member that it is for; empty if it is for all
     */
    record Parcel(Kind kind, String from, String to, byte[] content) {}

    private record Name(String from, long life, long number) {}

    /** The pieces that have come, of so many. */
    private static final class Unfinished {
        private final int count;
        private final TreeMap<Integer, byte[]> pieces = new TreeMap<>();
        private long bytes;

        private Unfinished(int count) {
            this.count = count;
        }
    }

    /** Of entries: for all members. */
    Fragments() {
        this("", MOST_BYTES_OF_ENTRIES);
    }

    /**
     * Of other parcels.
     *
     * @param member only parcels for this member and for all are joined; all parcels if it is empty
     * @param mostBytes most bytes of unfinished parcels
     */
    Fragments(String member, long mostBytes) {
        this.member = member;
        this.mostBytes = mostBytes;
    }

    /**
     * The pieces of a parcel, in order.
     *
     * @param life of the sender's process, at random
     * @param number of the parcel in this life
     * @throws IllegalArgumentException if it is too large
     */
    static List<byte[]> pieces(Parcel parcel, long life, long number) {
        if (parcel.content.length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "a parcel has at most " + MOST_BYTES + " bytes over DPG: " + parcel.content.length);
        }
        int count = Math.max(1, (parcel.content.length + PIECE_BYTES - 1) / PIECE_BYTES);
        List<byte[]> pieces = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int begin = i * PIECE_BYTES;
            int length = Math.min(PIECE_BYTES, parcel.content.length - begin);
            WireWriter writer = new WireWriter(64 + length);
            writer.u8(parcel.kind.code);
            writer.text("from", parcel.from, MAX_ID_BYTES);
            writer.text("to", parcel.to, MAX_ID_BYTES);
            writer.i64(life);
            writer.varint(number);
            writer.varint(i);
            writer.varint(count);
            writer.raw(parcel.content, begin, length);
            pieces.add(writer.toBytes());
        }
        return pieces;
    }

    /**
     * A piece was delivered.
     *
     * @return the parcel that it completes
     * @throws MalformedFrameException if it is none
     */
    Optional<Parcel> onPiece(byte[] message) {
        WireReader reader = new WireReader("dpg parcel", message);
        int code = reader.u8("kind");
        Kind kind = Kind.of(code).orElseThrow(() -> reader.malformed("kind", code));
        String from = reader.text("from", MAX_ID_BYTES);
        String to = reader.text("to", MAX_ID_BYTES);
        Name name = new Name(from, reader.i64("life"), reader.varint("number", 0, Long.MAX_VALUE / 4));
        int most = kind == Kind.ENTRY ? MOST_PIECES_OF_ENTRY : MOST_PIECES;
        int index = (int) reader.varint("index", 0, most - 1);
        int count = (int) reader.varint("count", index + 1L, most);
        if (reader.remaining() > PIECE_BYTES) {
            throw reader.malformed("length of a piece", reader.remaining());
        }
        if (!member.isEmpty() && !to.isEmpty() && !to.equals(member)) {
            return Optional.empty();
        }
        byte[] piece = new byte[reader.remaining()];
        System.arraycopy(message, reader.position(), piece, 0, piece.length);
        if (count == 1) {
            return Optional.of(new Parcel(kind, from, to, piece));
        }
        Unfinished parts = unfinished.get(name);
        if (parts == null) {
            makeRoom(from);
            parts = new Unfinished(count);
            unfinished.put(name, parts);
        }
        if (parts.count != count || parts.pieces.containsKey(index)) {
            return Optional.empty(); // not as it began
        }
        put(parts, index, piece);
        if (parts.pieces.size() < count) {
            while (bytes > mostBytes) {
                remove(oldestOfLargestSender());
            }
            return Optional.empty();
        }
        remove(name);
        return Optional.of(new Parcel(kind, from, to, together(parts.pieces.values())));
    }

    /** Writes the unfinished parcels, so that another member can go on from here. */
    void write(WireWriter writer) {
        writer.varint(unfinished.size());
        unfinished.forEach((name, parts) -> {
            writer.text(name.from);
            writer.i64(name.life);
            writer.varint(name.number);
            writer.varint(parts.count);
            for (int i = 0; i < parts.count; i++) {
                byte[] piece = parts.pieces.get(i);
                writer.u8(piece == null ? 0 : 1);
                if (piece != null) {
                    writer.blob(piece);
                }
            }
        });
    }

    /** @throws MalformedFrameException if it is not as {@link #write} wrote it */
    static Fragments read(WireReader reader) {
        Fragments parcels = new Fragments();
        parcels.take(reader);
        return parcels;
    }

    void take(WireReader reader) {
        int count = (int) reader.varint("unfinished", 0, MOST_UNFINISHED_OF_ALL);
        for (int i = 0; i < count; i++) {
            Name name = new Name(
                    reader.text("from", MAX_ID_BYTES),
                    reader.i64("life"),
                    reader.varint("number", 0, Long.MAX_VALUE / 4));
            Unfinished parts = new Unfinished((int) reader.varint("pieces", 2, MOST_PIECES));
            for (int piece = 0; piece < parts.count; piece++) {
                if (reader.flag("piece")) {
                    put(parts, piece, reader.blob("piece", PIECE_BYTES));
                }
            }
            if (bytes > mostBytes) {
                throw reader.malformed("bytes of unfinished parcels", bytes);
            }
            unfinished.put(name, parts);
        }
    }

    /** Whether it is a piece of an entry. */
    static boolean isOfEntry(byte[] message) {
        return message.length > 0 && message[0] == Kind.ENTRY.code;
    }

    private void put(Unfinished parts, int index, byte[] piece) {
        parts.pieces.put(index, piece);
        parts.bytes += piece.length + PIECE_OVERHEAD;
        bytes += piece.length + PIECE_OVERHEAD;
    }

    private void remove(Name name) {
        Unfinished removed = unfinished.remove(name);
        bytes -= removed == null ? 0 : removed.bytes;
    }

    private void makeRoom(String from) {
        List<Name> own = unfinished.keySet().stream()
                .filter(name -> name.from.equals(from))
                .toList();
        own.subList(0, Math.max(0, own.size() - MOST_UNFINISHED + 1)).forEach(this::remove);
        if (unfinished.size() >= MOST_UNFINISHED_OF_ALL) {
            remove(unfinished.keySet().iterator().next());
        }
    }

    /** Of senders with equal bytes, the one whose oldest parcel is the oldest: all members choose alike. */
    private Name oldestOfLargestSender() {
        Map<String, Long> held = new LinkedHashMap<>();
        unfinished.forEach((name, parts) -> held.merge(name.from, parts.bytes, Long::sum));
        long most = Collections.max(held.values());
        return unfinished.keySet().stream()
                .filter(name -> held.getOrDefault(name.from, 0L) == most)
                .findFirst()
                .orElseThrow();
    }

    private static byte[] together(Collection<byte[]> pieces) {
        WireWriter writer =
                new WireWriter(pieces.stream().mapToInt(piece -> piece.length).sum());
        pieces.forEach(piece -> writer.raw(piece, 0, piece.length));
        return writer.toBytes();
    }
}
