package org.amo.replication.store;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.amo.base.ClientId;
import org.amo.core.reply.ReplyStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps long replies in files, one behind the other. A file that is full goes when the last of its replies has gone. The files are of
 * this process alone and hold nothing that must survive it; the system writes them out when it needs the memory. Short replies
 * are not taken, since to remember their places would take as much. No file is made before the first reply.
 *
 * <p>The checksum of each reply stays in memory: a reply that the disk returns changed is never told. {@link #get} then throws, which
 * ends the member, and its log or a snapshot brings the reply again.
 */
final class FileReplies implements ReplyStore {
    static final int SHORTEST = 1 << 10;
    private static final Logger LOG = LoggerFactory.getLogger(FileReplies.class);

    /** Above this share of its room no new requests are ordered; the rest is for those that are under way. */
    private static final double FULL_SHARE = 0.9;

    private final Path folder;
    private final long roomBytes;
    private final long segmentBytes;
    private final Map<Key, Stored> places = new HashMap<>();
    private final Set<Segment> segments = new HashSet<>();
    private final MinuteLimit warnings = new MinuteLimit(System::nanoTime);
    private @Nullable Segment current;
    private long bytes;

    /** The disk had no room for the last reply; so until it takes one, or a reply goes, here or on the heap. */
    private boolean failed;

    /** Clients choose their numbers, and so many keys of one hash: their order keeps the search for one of them short. */
    record Key(ClientId client, long number) implements Comparable<Key> {
        private static final Comparator<Key> ORDER =
                Comparator.comparing(Key::client).thenComparingLong(Key::number);

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }
    }

    private record Stored(Segment segment, long at, int length, int checksum) {}

    private static final class Segment {
        private final FileChannel file;
        private long end;
        private long live;

        private Segment(FileChannel file) {
            this.file = file;
        }
    }

    /**
     * @param folder of the files, made when the first reply comes
     * @param roomBytes above nine tenths of them the store says that it is full; it takes what the disk takes
     * @param segmentBytes of a file
     */
    FileReplies(Path folder, long roomBytes, long segmentBytes) {
        this.folder = folder;
        this.roomBytes = roomBytes;
        this.segmentBytes = segmentBytes;
    }

    @Override
    public boolean put(ClientId client, long number, byte[] reply) {
        if (reply.length < SHORTEST) {
            return false;
        }
        try {
            Segment segment = current;
            if (segment == null || segment.end >= segmentBytes) {
                segment = open();
                retireCurrent();
                current = segment;
            }
            write(segment.file, segment.end, reply);
            int checksum = ReplyChecksum.of(client, number, reply, reply.length);
            places.put(new Key(client, number), new Stored(segment, segment.end, reply.length, checksum));
            segment.end += reply.length;
            segment.live += reply.length;
            bytes += reply.length;
            failed = false;
            return true;
        } catch (IOException e) {
            if (warnings.pass()) {
                LOG.warn(
                        "no room for replies on the disk of {} ({}); they stay in memory, and new requests are refused"
                                + " until some have gone: make room on it",
                        folder,
                        e.toString());
            }
            failed = true;
            return false;
        }
    }

    private static void write(FileChannel file, long at, byte[] reply) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(reply);
        while (left.hasRemaining()) {
            file.write(left, at + left.position());
        }
    }

    private Segment open() throws IOException {
        Files.createDirectories(folder);
        Path path = Files.createTempFile(folder, "replies-", ".tmp");
        FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        // Without a name it goes with the process, however that ends.
        Files.delete(path);
        Segment segment = new Segment(file);
        segments.add(segment);
        return segment;
    }

    private void retireCurrent() {
        Segment before = current;
        if (before != null && before.live == 0) {
            end(before);
        }
    }

    private void end(Segment segment) {
        segments.remove(segment);
        try {
            segment.file.close();
        } catch (IOException e) {
            LOG.warn("cannot close a file of replies in {}: {}", folder, e.toString());
        }
    }

    @Override
    public byte[] get(ClientId client, long number) {
        Stored stored = present(places.get(new Key(client, number)), client, number);
        ByteBuffer reply = ByteBuffer.allocate(stored.length);
        try {
            while (reply.hasRemaining()) {
                if (stored.segment.file.read(reply, stored.at + reply.position()) < 0) {
                    throw new EOFException("a file of replies is too short");
                }
            }
            if (ReplyChecksum.of(client, number, reply.array(), stored.length) != stored.checksum) {
                throw new IOException("it is damaged, since the disk returned other bytes than were written");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read a reply in " + folder + ": " + e.getMessage(), e);
        }
        return reply.array();
    }

    @Override
    public int remove(ClientId client, long number) {
        Stored stored = present(places.remove(new Key(client, number)), client, number);
        Segment segment = stored.segment;
        bytes -= stored.length;
        segment.live -= stored.length;
        failed = false;
        if (segment.live == 0) {
            if (segment.equals(current)) {
                // Its room is used again; what is in it is of nobody.
                segment.end = 0;
            } else {
                end(segment);
            }
        }
        return stored.length;
    }

    private static Stored present(@Nullable Stored stored, ClientId client, long number) {
        if (stored == null) {
            throw new IllegalStateException("the store lost the reply to " + client + " " + number);
        }
        return stored;
    }

    /** The heap has room again, so that the disk need not take the next reply. */
    @Override
    public void forgotten(int length) {
        failed = false;
    }

    @Override
    public void clear() {
        places.clear();
        Set.copyOf(segments).forEach(this::end);
        current = null;
        bytes = 0;
        failed = false;
    }

    @Override
    public void close() {
        clear();
    }

    @Override
    public boolean isFull() {
        return failed || bytes > FULL_SHARE * roomBytes;
    }

    /** Files that are open now. */
    int files() {
        return segments.size();
    }

    /** Bytes of the replies in them now. */
    long bytes() {
        return bytes;
    }
}
