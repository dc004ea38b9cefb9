package org.amo.replication.order.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the leader's snapshot to a member that lacks entries which the leader has cut off. The leader offers it; the
 * member fetches it piece by piece into a file, at its own pace, so that neither RAFT's thread nor a heap has to hold
 * it. A member without an answer asks again when the offer is repeated, and after some seconds takes another offer. A
 * snapshot that its disk has no room for leaves nothing there, and the member takes no offer for a minute.
 *
 * <p>The pieces can come by datagrams. If these do not arrive, the rest comes over the channel.
 *
 * <p>One thread owns it.
 */
final class SnapshotTransfer {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotTransfer.class);

    static final int PIECE_BYTES = 512 << 10;
    private static final long OFFER_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long NO_ROOM_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** Room that a gathered snapshot leaves to the log. */
    static final long SPARE_BYTES = 16L << 20;

    private static final int HEAD = 2 * Long.BYTES;

    /** Behind the head of a fetch: the piece may come by a datagram. */
    private static final byte BY_DATAGRAM = 1;

    /** The actions that it asks for, and its events. */
    interface Effects {
        void offer(String to, byte[] frame);

        void fetch(String from, byte[] frame);

        /** @param byDatagram if both members have a socket for them, and over the channel else */
        void piece(String to, byte[] frame, boolean byDatagram);

        /** Bytes that this member's disk has room for; 0 if it has none or does not tell. */
        long usableBytes();

        /** The own snapshot cannot be read. */
        void unreadable(IOException why);

        /**
         * A whole file has been gathered; it may still be damaged.
         *
         * @return whether the file is in use until {@link SnapshotTransfer#placed}
         */
        boolean gathered(long index);
    }

    private final SnapshotFile file;
    private final LongSupplier nanos;
    private final Effects effects;
    private final boolean datagrams;
    private final Map<String, Long> offeredNanos = new HashMap<>();
    private Optional<Gathering> gathering = Optional.empty();
    /** When the disk had no room. */
    private Optional<Long> noRoomNanos = Optional.empty();

    /** The gathered file waits for its place. RAFT's thread may wait for long before, and the leader offers on. */
    private boolean placing;

    private static final class Gathering {
        private final String from;
        private final long index;
        private final long length;
        private boolean byDatagrams;
        private long have;
        private long heardNanos;

        private Gathering(String from, long index, long length, boolean byDatagrams, long heardNanos) {
            this.from = from;
            this.index = index;
            this.length = length;
            this.byDatagrams = byDatagrams;
            this.heardNanos = heardNanos;
        }

        private byte[] fetch() {
            byte[] head = longs(index, have);
            return byDatagrams
                    ? ByteBuffer.allocate(HEAD + 1).put(head).put(BY_DATAGRAM).array()
                    : head;
        }
    }

    /** @param datagrams whether this member has a socket for them */
    SnapshotTransfer(SnapshotFile file, LongSupplier nanos, boolean datagrams, Effects effects) {
        this.file = file;
        this.nanos = nanos;
        this.datagrams = datagrams;
        this.effects = effects;
    }

    /** A member needs the snapshot of this one. */
    void offer(String to) {
        Long before = offeredNanos.get(to);
        if (before != null && nanos.getAsLong() - before < OFFER_EVERY_NANOS) {
            return;
        }
        offeredNanos.put(to, nanos.getAsLong());
        try {
            Optional<Long> index = file.index();
            if (index.isPresent()) {
                effects.offer(to, longs(index.get(), Files.size(file.path())));
            }
        } catch (IOException e) {
            effects.unreadable(e);
        }
    }

    /** @param delivered the index up to which this member has everything */
    void onOffer(String from, ByteBuffer frame, long delivered) {
        if (frame.remaining() != HEAD) {
            return;
        }
        long index = frame.getLong();
        long length = frame.getLong();
        if (index <= delivered || length < 1 || placing || hadNoRoomLately()) {
            return;
        }
        if (gathering.isPresent()) {
            Gathering now = gathering.get();
            long silent = nanos.getAsLong() - now.heardNanos;
            if (now.from.equals(from) && now.index == index && silent < PATIENCE_NANOS) {
                // A piece by datagrams may be long under way.
                if (silent > (now.byDatagrams ? PATIENCE_NANOS : OFFER_EVERY_NANOS) / 2) {
                    if (now.byDatagrams) {
                        LOG.warn("no datagram of member {} comes; its snapshot is taken over the channel", from);
                        now.byDatagrams = false;
                    }
                    effects.fetch(from, now.fetch());
                }
                return;
            }
            if (silent < PATIENCE_NANOS) {
                return;
            }
        }
        try {
            Files.deleteIfExists(file.incoming());
            long usable = effects.usableBytes();
            if (usable > 0 && usable - SPARE_BYTES < length) {
                throw new IOException("it has " + length + " bytes, and the disk has room for " + usable);
            }
        } catch (IOException e) {
            dropFor(from, e);
            return;
        }
        LOG.info("takes the snapshot of member {}, {} bytes, up to index {}", from, length, index);
        Gathering begun = new Gathering(from, index, length, datagrams, nanos.getAsLong());
        gathering = Optional.of(begun);
        effects.fetch(from, begun.fetch());
    }

    void onFetch(String from, ByteBuffer frame) {
        boolean byDatagram = frame.remaining() == HEAD + 1 && frame.get(frame.limit() - 1) == BY_DATAGRAM;
        if (frame.remaining() != HEAD && !byDatagram) {
            return;
        }
        long index = frame.getLong();
        long offset = frame.getLong();
        try (FileChannel in = FileChannel.open(file.path(), StandardOpenOption.READ)) {
            // Another snapshot may have taken its place; the fetching member then begins anew.
            if (file.claimedIndex() != index || offset < 0 || offset >= in.size()) {
                return;
            }
            ByteBuffer piece = ByteBuffer.allocate(HEAD + (int) Math.min(PIECE_BYTES, in.size() - offset));
            piece.putLong(index).putLong(offset);
            LogScan.fill(in::read, piece, offset - HEAD);
            effects.piece(from, piece.array(), byDatagram);
        } catch (IOException e) {
            LOG.error("the snapshot {} cannot be read; member {} stays behind", file.path(), from, e);
        }
    }

    void onPiece(String from, ByteBuffer frame) {
        if (frame.remaining() <= HEAD || gathering.isEmpty()) {
            return;
        }
        Gathering now = gathering.get();
        if (!now.from.equals(from) || frame.getLong() != now.index || frame.getLong() != now.have) {
            return;
        }
        int length = frame.remaining();
        try (FileChannel out = FileChannel.open(file.incoming(), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            EntryFile.writeFully(out, frame, now.have);
        } catch (IOException e) {
            dropFor(from, e);
            return;
        }
        now.have += length;
        now.heardNanos = nanos.getAsLong();
        if (now.have < now.length) {
            effects.fetch(from, now.fetch());
        } else {
            LOG.info(
                    "has the snapshot of member {}, {} bytes, by {}",
                    from,
                    now.length,
                    now.byDatagrams ? "datagrams" : "the channel");
            gathering = Optional.empty();
            placing = effects.gathered(now.index);
            if (!placing) {
                deleteIncoming();
            }
        }
    }

    private boolean hadNoRoomLately() {
        return noRoomNanos
                .filter(since -> nanos.getAsLong() - since < NO_ROOM_NANOS)
                .isPresent();
    }

    /** Deletes the gathered part, which would keep the room from the log, and refuses offers for a while. */
    private void dropFor(String from, IOException why) {
        LOG.error(
                "the snapshot of member {} cannot be stored ({}); make room on the disk of {}; it is tried again in a"
                        + " minute",
                from,
                why.getMessage(),
                file.path());
        gathering = Optional.empty();
        noRoomNanos = Optional.of(nanos.getAsLong());
        deleteIncoming();
    }

    private void deleteIncoming() {
        try {
            Files.deleteIfExists(file.incoming());
        } catch (IOException e) {
            LOG.error("cannot delete {}", file.incoming(), e);
        }
    }

    /** The gathered file is no longer in use. */
    void placed() {
        placing = false;
        deleteIncoming();
    }

    private static byte[] longs(long one, long other) {
        return ByteBuffer.allocate(HEAD).putLong(one).putLong(other).array();
    }
}
