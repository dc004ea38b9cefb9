package org.amo.exon.udp;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.amo.exon.NodeId;
import org.amo.net.CheckedFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps messages on disk until the application has taken them: a log in segments, and a file that notes how far the
 * application has come. docs/wire/exon.md has the bytes.
 *
 * <p>Invariant: a position is used once. An inbox that was lost goes on behind the node's clock, which no former life of the
 * node had reached. A message is behind the note, or in a segment.
 *
 * <p>One thread at a time may use it, except for {@link #note}, which one other thread may call at any time.
 */
final class DurableInbox implements AutoCloseable {
    static final int SEGMENT_BYTES = 16 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(DurableInbox.class);
    private static final int MAGIC = 0x616D6F49; // amoI
    private static final int VERSION = 1;
    private static final int HEAD = 2 * Integer.BYTES;
    /** Length and checksum, then position and sender. */
    private static final int RECORD_HEAD = 2 * Integer.BYTES + 3 * Long.BYTES;

    /** A position and its checksum. */
    private static final int NOTE_BYTES = 2 * Long.BYTES;

    private static final Pattern NAME = Pattern.compile("[0-9a-f]{16}");
    private static final String SUFFIX = ".inbox";

    private final Path folder;
    private final FileChannel claim;
    /** Not a channel: an application that leaves its thread interrupted would close it. */
    private final RandomAccessFile notes;

    private final int segmentBytes;
    private final Disk disk;
    private final ByteBuffer buffer = ByteBuffer.allocate(1 << 20);

    /** First position of each older segment to the last one. */
    private final TreeMap<Long, Long> older = new TreeMap<>();

    private final ArrayDeque<Kept> unnoted = new ArrayDeque<>();
    private @Nullable FileChannel segment;
    private long segmentStart;
    private long size;
    private boolean failed;
    private long last;
    private volatile long noted;
    private int notesWritten;

    /** A message with its position, the number that is its id. */
    record Kept(long position, NodeId from, byte[] message) {
        /** Of room that it takes, in datagrams of so many bytes. */
        int units(int datagramBytes) {
            return 1 + message.length / datagramBytes;
        }
    }

    /** Returns when the bytes of a segment are on disk. */
    @FunctionalInterface
    interface Disk {
        void force(FileChannel segment) throws IOException;
    }

    private DurableInbox(Path folder, FileChannel claim, RandomAccessFile notes, int segmentBytes, Disk disk) {
        this.folder = folder;
        this.claim = claim;
        this.notes = notes;
        this.segmentBytes = segmentBytes;
        this.disk = disk;
    }

    /**
     * Opens the inbox of a folder, which is made if there is none, and reads what was not handed over.
     *
     * @param above the first position of a new inbox is above it
     * @throws IOException if another process has the folder, or a message in it is damaged
     */
    static DurableInbox open(Path folder, long above) throws IOException {
        return open(folder, above, SEGMENT_BYTES, segment -> segment.force(false));
    }

    static DurableInbox open(Path folder, long above, int segmentBytes, Disk disk) throws IOException {
        CheckedFile.createFolders(folder);
        FileChannel claim = CheckedFile.claim(folder.resolve("inbox"));
        DurableInbox inbox = null;
        try {
            RandomAccessFile notes =
                    new RandomAccessFile(folder.resolve("handed-over").toFile(), "rw");
            inbox = new DurableInbox(folder, claim, notes, segmentBytes, disk);
            inbox.readNotes();
            inbox.readSegments();
            inbox.last = Math.max(Math.max(inbox.last, inbox.noted), above);
            inbox.begin();
            return inbox;
        } catch (IOException | RuntimeException e) {
            if (inbox != null) {
                inbox.close();
            }
            claim.close();
            throw e;
        }
    }

    private void readNotes() throws IOException {
        byte[] bytes = new byte[2 * NOTE_BYTES];
        int length = Math.max(0, notes.read(bytes));
        for (int at = 0; at + NOTE_BYTES <= length; at += NOTE_BYTES) {
            ByteBuffer note = ByteBuffer.wrap(bytes, at, NOTE_BYTES);
            long position = note.getLong();
            if (note.getLong() == checksum(ByteBuffer.wrap(bytes, at, Long.BYTES)) && position > noted) {
                noted = position;
                notesWritten = at / NOTE_BYTES + 1;
            }
        }
    }

    private void readSegments() throws IOException {
        TreeMap<Long, Path> files = new TreeMap<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
            for (Path file : all) {
                String name = file.getFileName().toString();
                String start = name.substring(0, name.length() - SUFFIX.length());
                if (NAME.matcher(start).matches()) {
                    files.put(Long.parseLong(start, 16), file);
                }
            }
        }
        for (Map.Entry<Long, Path> file : files.entrySet()) {
            read(file.getKey(), file.getValue(), file.getKey().equals(files.lastKey()));
        }
    }

    private void read(long start, Path file, boolean newest) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        int whole = 0;
        if (bytes.remaining() >= HEAD) {
            if (bytes.getInt() != MAGIC || bytes.getInt() != VERSION) {
                throw new IOException(file + " is no inbox of this version; move " + folder + " away to begin anew");
            }
            whole = HEAD;
            while (isRecord(bytes, whole)) {
                int length = bytes.getInt(whole);
                keep(bytes.slice(whole, length));
                whole += length;
            }
        }
        if (whole < bytes.limit()) {
            cut(file, bytes, whole, newest);
        }
        older.put(start, last);
    }

    /** A crash leaves a part of the last write, of messages that no sender was told of. Other bytes are damage. */
    private void cut(Path file, ByteBuffer bytes, int whole, boolean newest) throws IOException {
        boolean torn = newest;
        for (int at = whole + 1; torn && at + RECORD_HEAD <= bytes.limit(); at++) {
            torn = !isRecord(bytes, at);
        }
        if (!torn) {
            throw new IOException(
                    file + " is damaged at byte " + whole + ", and messages that were reported as delivered"
                            + " may be lost; move " + folder + " away to begin anew without them");
        }
        LOG.info("{}: a write that a crash interrupted is cut off at byte {}", file, whole);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(whole);
            channel.force(true);
        }
    }

    /** Whether a record stands there, whole. */
    private boolean isRecord(ByteBuffer bytes, int at) {
        if (bytes.limit() - at < RECORD_HEAD) {
            return false;
        }
        int length = bytes.getInt(at);
        return length >= RECORD_HEAD
                && length <= bytes.limit() - at
                && bytes.getInt(at + Integer.BYTES) == (int) checksum(bytes.slice(at + HEAD, length - HEAD))
                && bytes.getLong(at + HEAD) > last;
    }

    private void keep(ByteBuffer record) {
        record.position(HEAD);
        long position = record.getLong();
        NodeId from = new NodeId(record.getLong(), record.getLong());
        last = position;
        if (position > noted) {
            byte[] message = new byte[record.remaining()];
            record.get(message);
            unnoted.add(new Kept(position, from, message));
        }
    }

    /** Messages of former processes that were not noted as handed over, oldest first; once. */
    List<Kept> takeUnnoted() {
        List<Kept> taken = new ArrayList<>(unnoted);
        unnoted.clear();
        return taken;
    }

    /** The position for the next message. */
    long nextPosition() {
        return last + 1;
    }

    /**
     * Writes messages in positions that follow each other. When it returns, they are on disk. If it throws, none of them
     * counts; the same call may be made again.
     */
    void append(List<Kept> messages) throws IOException {
        FileChannel here = Objects.requireNonNull(segment);
        if (failed) {
            // Pages that a failed write or force has left are not trusted; and no position may stand in two segments.
            here.truncate(size);
            here.force(true);
        }
        if (failed || size > segmentBytes) {
            long start = segmentStart;
            begin();
            if (segmentStart != start) {
                older.put(start, last);
            }
            here = Objects.requireNonNull(segment);
        }
        failed = true; // until it is done
        buffer.clear();
        long end = size;
        for (Kept kept : messages) {
            ByteBuffer record = record(kept);
            if (record.remaining() > buffer.remaining()) {
                end = flush(here, end);
            }
            if (record.remaining() > buffer.remaining()) {
                end = write(here, record, end);
            }
            buffer.put(record);
        }
        end = flush(here, end);
        disk.force(here);
        failed = false;
        size = end;
        last = messages.isEmpty() ? last : messages.get(messages.size() - 1).position;
        trim();
    }

    private static ByteBuffer record(Kept kept) {
        ByteBuffer record = ByteBuffer.allocate(RECORD_HEAD + kept.message.length);
        record.putInt(record.capacity()).putInt(0);
        record.putLong(kept.position).putLong(kept.from.high()).putLong(kept.from.low());
        record.put(kept.message);
        record.putInt(Integer.BYTES, (int) checksum(record.slice(HEAD, record.capacity() - HEAD)));
        return record.flip();
    }

    private long flush(FileChannel to, long from) throws IOException {
        long end = write(to, buffer.flip(), from);
        buffer.clear();
        return end;
    }

    private static long write(FileChannel to, ByteBuffer bytes, long from) throws IOException {
        long at = from;
        while (bytes.hasRemaining()) {
            at += to.write(bytes, at);
        }
        return at;
    }

    // It is closed with the inbox, or by the next one.
    @SuppressWarnings("MustBeClosedChecker")
    private void begin() throws IOException {
        long start = last + 1;
        FileChannel next = FileChannel.open(
                folder.resolve(String.format("%016x", start) + SUFFIX),
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
        next.write(ByteBuffer.allocate(HEAD).putInt(MAGIC).putInt(VERSION).flip());
        next.force(true);
        CheckedFile.forceFolder(folder);
        if (segment != null) {
            segment.close();
        }
        segment = next;
        segmentStart = start;
        size = HEAD;
        older.remove(start); // an empty one of a former process
    }

    /** Drops segments that the application has passed; another time if the disk refuses. */
    private void trim() {
        try {
            for (boolean forced = false; !older.isEmpty() && older.firstEntry().getValue() <= noted; forced = true) {
                if (!forced) {
                    notes.getFD().sync(); // or a loss of power could bring back a note of before
                }
                Files.deleteIfExists(folder.resolve(String.format("%016x", older.firstKey()) + SUFFIX));
                older.remove(older.firstKey());
            }
        } catch (IOException e) {
            LOG.warn("cannot drop an old segment of {} ({})", folder, e.toString());
        }
    }

    /**
     * The application has taken the message at the position, and all before. Survives the end of the process when it returns; a
     * loss of power may undo it until the next segment is dropped.
     */
    void note(long position) throws IOException {
        ByteBuffer note = ByteBuffer.allocate(NOTE_BYTES).putLong(position);
        note.putLong(checksum(note.duplicate().flip()));
        notes.seek((notesWritten++ % 2) * (long) NOTE_BYTES);
        notes.write(note.array());
        noted = position;
    }

    private static long checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return crc.getValue();
    }

    @Override
    public void close() throws IOException {
        try (claim;
                RandomAccessFile ofNotes = notes;
                FileChannel ofSegment = segment) {
            ofNotes.getFD().sync();
            LOG.trace("{} is closed at {}", folder, ofSegment);
        }
    }
}
