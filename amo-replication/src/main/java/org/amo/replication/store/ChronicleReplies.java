package org.amo.replication.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import net.openhft.chronicle.map.ChronicleMap;
import net.openhft.chronicle.map.ChronicleMapBuilder;
import org.amo.base.ClientId;
import org.amo.core.reply.ReplyStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps replies outside the heap, in a Chronicle Map, so that the garbage collector does not see them: in memory, or in a
 * file that the system may write out. Its room is fixed when it is opened. Replies that do not fit stay on the heap, and
 * until some replies have gone the member orders no new requests. It is empty after a start; earlier replies come back with
 * the log or a snapshot.
 *
 * <p>A file that a killed process left is deleted, not read: it can hold locks that make its successor wait for minutes.
 *
 * <p>Behind each reply is its checksum. A reply that comes back changed is never told: {@link #get} then throws, which ends the
 * member, and its log or a snapshot brings the reply again.
 */
public final class ChronicleReplies implements ReplyStore {
    private static final Logger LOG = LoggerFactory.getLogger(ChronicleReplies.class);
    private static final int KEY_BYTES = 24;

    /** How many times the budget a file may hold. */
    private static final int FILE_FACTOR = 8;

    /** Above this share of its room no new requests are ordered; the rest is for those that are under way. */
    private static final double FULL_SHARE = 0.9;

    /** A reply of more than this part of the room stays on the heap. */
    private static final int LARGEST_SHARE = 64;

    private final ChronicleMap<byte[], byte[]> map;
    private final Optional<MapFile> file;
    private final long roomBytes;
    private final long roomEntries;
    private final byte[] keyBytes = new byte[KEY_BYTES];
    private final ByteBuffer key = ByteBuffer.wrap(keyBytes);
    private final MinuteLimit warnings = new MinuteLimit(System::nanoTime);
    private long bytes;
    private long entries;

    /** The map refused a reply although there was room in all; so until the next one goes. */
    private boolean segmentFull;

    /** The disk had no room for the file to grow; so until the file grows, or a reply goes, here or on the heap. */
    private boolean diskFull;

    /** @param file of the map, if it has one */
    ChronicleReplies(ChronicleMap<byte[], byte[]> map, Optional<MapFile> file, long roomBytes, long roomEntries) {
        this.map = map;
        this.file = file;
        this.roomBytes = roomBytes;
        this.roomEntries = roomEntries;
    }

    /**
     * A store for the replies of as many requests as a group's budget admits.
     *
     * @param budgetBytes of the group
     * @param replyBytes the charge of a live entry for its reply: the size that is expected of one
     */
    public static ChronicleReplies open(long budgetBytes, int replyBytes) {
        int expected = Math.max(1, replyBytes);
        long roomEntries = Math.max(1, budgetBytes / expected);
        return new ChronicleReplies(
                builder(roomEntries, expected).create(), Optional.empty(), budgetBytes, roomEntries);
    }

    /**
     * The same in a file of this folder, {@code replies-*.map}. Its room in bytes is a multiple of the budget, since a file
     * costs no memory. Files of earlier openings are deleted; each has a name of its own, for Chronicle Map hands out a file
     * that this process still has open as it is.
     *
     * @throws UncheckedIOException when the file cannot be made
     */
    public static ChronicleReplies inFolder(Path folder, long budgetBytes, int replyBytes) {
        int expected = Math.max(1, replyBytes);
        long roomEntries = Math.max(1, budgetBytes / expected);
        try {
            Files.createDirectories(folder);
            try (DirectoryStream<Path> earlier = Files.newDirectoryStream(folder, "replies-*.map")) {
                for (Path each : earlier) {
                    Files.delete(each);
                }
            }
            Path file = Files.createTempFile(folder, "replies-", ".map");
            Files.delete(file);
            ChronicleMap<byte[], byte[]> map =
                    builder(roomEntries, expected).maxBloatFactor(FILE_FACTOR).createPersistedTo(file.toFile());
            return new ChronicleReplies(
                    map,
                    Optional.of(new MapFile(file, map::offHeapMemoryUsed)),
                    FILE_FACTOR * budgetBytes,
                    roomEntries);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ChronicleMapBuilder<byte[], byte[]> builder(long entries, int valueBytes) {
        return ChronicleMap.of(byte[].class, byte[].class)
                .constantKeySizeBySample(new byte[KEY_BYTES])
                .averageValueSize(valueBytes + Integer.BYTES)
                .entries(entries);
    }

    @Override
    public boolean put(ClientId client, long number, byte[] reply) {
        // A reply out of all proportion would leave a segment of the map without room for the others.
        if (!map.isOpen()
                || reply.length > roomBytes / LARGEST_SHARE
                || entries == roomEntries
                || bytes + reply.length > roomBytes) {
            return false;
        }
        try {
            map.put(key(client, number), withChecksum(client, number, reply));
        } catch (RuntimeException e) {
            return refused(e);
        }
        noteGrowth();
        bytes += reply.length;
        entries++;
        return true;
    }

    private void noteGrowth() {
        if (file.isPresent() && file.get().noteGrowth()) {
            diskFull = false;
        }
    }

    private static byte[] withChecksum(ClientId client, long number, byte[] reply) {
        byte[] value = Arrays.copyOf(reply, reply.length + Integer.BYTES);
        ByteBuffer.wrap(value).putInt(reply.length, ReplyChecksum.of(client, number, reply, reply.length));
        return value;
    }

    private static int checksumBehind(byte[] value, int length) {
        return ByteBuffer.wrap(value).getInt(length);
    }

    /** The reply stays on the heap, if the map only lacks room. */
    private boolean refused(RuntimeException why) {
        Optional<IOException> ofDisk = DiskErrors.rootOf(why);
        if (ofDisk.isPresent() && file.isPresent()) {
            file.get().undoGrowth(ofDisk.get());
            if (warnings.pass()) {
                LOG.warn(
                        "no room for {} to grow ({}); replies stay in memory, and new requests are refused"
                                + " until some have gone: make room on its disk",
                        file.get(),
                        ofDisk.get().toString());
            }
            diskFull = true;
        } else if (why instanceof IllegalStateException || why instanceof IllegalArgumentException) {
            noteGrowth();
            segmentFull = true;
        } else {
            throw why;
        }
        return false;
    }

    @Override
    public byte[] get(ClientId client, long number) {
        byte[] value = present(map.get(key(client, number)), client, number);
        int length = value.length - Integer.BYTES;
        if (length < 0 || checksumBehind(value, length) != ReplyChecksum.of(client, number, value, length)) {
            IOException why = new IOException("it is damaged, since the disk returned other bytes than were written");
            throw new UncheckedIOException("cannot read a reply in a Chronicle Map: " + why.getMessage(), why);
        }
        return Arrays.copyOf(value, length);
    }

    @Override
    public int remove(ClientId client, long number) {
        int length = present(map.remove(key(client, number)), client, number).length - Integer.BYTES;
        bytes -= length;
        entries--;
        segmentFull = false;
        diskFull = false;
        return length;
    }

    /** The heap has room again, so that the disk need not take the next reply. */
    @Override
    public void forgotten(int length) {
        diskFull = false;
    }

    @Override
    public void clear() {
        map.clear();
        bytes = 0;
        entries = 0;
        segmentFull = false;
        diskFull = false;
    }

    @Override
    public void close() {
        map.close();
    }

    @Override
    public boolean isFull() {
        return diskFull
                || (entries > 0
                        && (segmentFull || bytes > FULL_SHARE * roomBytes || entries > FULL_SHARE * roomEntries));
    }

    /** Bytes of the replies in it now. */
    public long bytes() {
        return bytes;
    }

    /** Bytes that the store takes outside the heap now, replies included. */
    public long memoryBytes() {
        return map.offHeapMemoryUsed();
    }

    private byte[] key(ClientId client, long number) {
        key.putLong(0, client.high()).putLong(Long.BYTES, client.low()).putLong(2 * Long.BYTES, number);
        return keyBytes;
    }

    private static byte[] present(byte @org.jspecify.annotations.Nullable [] reply, ClientId client, long number) {
        if (reply == null) {
            throw new IllegalStateException("the store lost the reply to " + client + " " + number);
        }
        return reply;
    }
}
