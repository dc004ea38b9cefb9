package org.amo.replication.order.raft;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jgroups.protocols.raft.LogEntry;

/**
 * The records of a log in a file. Room is written ahead with zeros: a full disk is noticed before a record is begun, and
 * forcing a record need not force the file's size too.
 *
 * <p>An exception leaves the file in a state that only another start may judge; see {@link CheckedFileLog}.
 * Guarded by its own lock, since RAFT's election reads in other threads.
 */
final class EntryFile implements Closeable {
    static final String NAME = "entries.amo";
    private static final String NEXT = "entries.next";
    private static final String DAMAGED = "entries.damaged";

    /** Room is taken in such steps. */
    private static final int STEP = 256 << 10;
    /** Room kept for a leader's first entry and for the entries on their way when the disk is full. */
    private static final int SPARE = 64 << 10;

    /** Bytes are written in such pieces, through one buffer: memory that is lacking half-way would leave half a batch. */
    static final int PIECE = 256 << 10;

    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(PIECE);

    private final Disk disk;
    private final Path folder;
    private FileChannel file;
    private long first;
    private long[] offsets = new long[64];
    private int count;
    private long end;
    private long room;
    private int checksum;
    private final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);

    /** There is no room for more; nothing was written. */
    static final class NoRoomException extends IOException {
        private static final long serialVersionUID = 1;

        NoRoomException(IOException cause) {
            super(cause.getMessage(), cause);
        }
    }

    /** A record that was whole is not. */
    static final class DamagedRecordException extends IOException {
        private static final long serialVersionUID = 1;

        DamagedRecordException(long index) {
            super("log entry " + index + " is damaged on disk");
        }
    }

    EntryFile(Disk disk, Path folder) throws IOException {
        this.disk = disk;
        this.folder = folder;
        boolean created = Disk.isMissing(folder.resolve(NAME));
        file = disk.open(folder.resolve(NAME));
        if (created) {
            disk.forceFolder(folder);
        }
    }

    /** Reads the file and takes up behind its last whole record; later bytes stay until {@link #cutBehindLast}. */
    synchronized LogScan scan() throws IOException {
        LogScan scan = LogScan.of(file);
        first = scan.first;
        offsets = scan.offsets;
        count = scan.count;
        end = scan.end;
        checksum = scan.checksum;
        room = scan.broken ? end : file.size();
        return scan;
    }

    synchronized long first() {
        return first;
    }

    synchronized long last() {
        return count == 0 ? 0 : first + count - 1;
    }

    /** Bytes that the records take. */
    synchronized long bytes() {
        return end;
    }

    /** As {@link MeasuredLog#newest}, with what a record takes beside its entry. */
    synchronized long newest(long index, long bytes) {
        if (count == 0 || index < first || index > last()) {
            return 0;
        }
        int behind = (int) (index - first) + 1;
        long least = (behind < count ? offsets[behind] : end) - bytes;
        int place = Arrays.binarySearch(offsets, 0, behind, least);
        return (long) behind - (place < 0 ? -place - 1 : place);
    }

    /** Of the last record; 0 if there is none. */
    synchronized int checksum() {
        return checksum;
    }

    synchronized Optional<LogRecord> get(long index) throws IOException {
        if (count == 0 || index < first || index > last()) {
            return Optional.empty();
        }
        int place = (int) (index - first);
        long next = place + 1 < count ? offsets[place + 1] : end;
        Optional<LogRecord> record = LogScan.read(file, offsets[place], (int) (next - offsets[place]));
        if (record.isEmpty() || record.get().index() != index) {
            throw new DamagedRecordException(index);
        }
        return record;
    }

    /**
     * Appends entries with rising indexes.
     *
     * @param index of the first; the next one, or any if the file is empty
     * @param acknowledged the last index that was on disk before
     * @throws NoRoomException when the disk is full; then nothing has changed
     */
    synchronized void append(long index, List<LogEntry> entries, long acknowledged, boolean force) throws IOException {
        if (count > 0 && index != last() + 1) {
            throw new IllegalStateException("entry " + index + " behind " + last());
        }
        takeRoom(size(entries));
        // All memory is taken before a byte is written.
        if (count + entries.size() > offsets.length) {
            offsets = Arrays.copyOf(offsets, Math.max(2 * count, count + entries.size()));
        }
        int last = write(index, entries, acknowledged, checksum, end);
        if (force) {
            disk.force(file, false);
        }
        if (count == 0) {
            first = index;
        }
        for (LogEntry entry : entries) {
            offsets[count++] = end;
            end += LogRecord.size(entry);
        }
        checksum = last;
    }

    /** Writes records to a place of the file. @return the checksum of the last one */
    private int write(long index, List<LogEntry> entries, long forced, int before, long place) throws IOException {
        int checksumBefore = before;
        long at = place;
        piece.clear();
        for (int i = 0; i < entries.size(); i++) {
            LogEntry entry = entries.get(i);
            at = piece.remaining() < LogRecord.HEAD ? writePiece(at) : at;
            checksumBefore = LogRecord.writeHead(piece, index + i, forced, checksumBefore, entry);
            for (int done = 0; done < entry.length(); ) {
                at = piece.hasRemaining() ? at : writePiece(at);
                int more = Math.min(piece.remaining(), entry.length() - done);
                piece.put(entry.command(), entry.offset() + done, more);
                done += more;
            }
        }
        writePiece(at);
        return checksumBefore;
    }

    /** @return where the next one belongs */
    private long writePiece(long at) throws IOException {
        int length = piece.flip().limit();
        writeFully(file, piece, at);
        piece.clear();
        return at + length;
    }

    /** Whether so many bytes of records can be appended; takes the room for them. */
    synchronized void takeRoom(long bytes) throws IOException {
        long wanted = end + bytes + SPARE;
        if (wanted <= room) {
            return;
        }
        long upTo = (wanted + STEP - 1) / STEP * STEP;
        try {
            ByteBuffer zeros = ZEROS.duplicate();
            for (long at = room; at < upTo; at += zeros.limit()) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), upTo - at));
                writeFully(file, zeros, at);
            }
        } catch (IOException e) {
            throw new NoRoomException(e);
        }
        room = upTo;
    }

    /**
     * The records survive a loss of power when this returns. The last batch is written once more: if its sync failed in an earlier
     * process, the operating system holds it and takes it for written, and a sync alone would not write it.
     */
    synchronized void forceAgain() throws IOException {
        long forced = get(last()).map(LogRecord::forced).orElse(0L);
        for (long index = Math.max(first, forced + 1); count > 0 && index <= last(); index++) {
            LogRecord record = get(index).orElseThrow(); // as it is on disk, if the operating system has dropped it
            int same = write(
                    index, List.of(record.entry()), record.forced(), record.before(), offsets[(int) (index - first)]);
            assert same == record.checksum();
        }
        disk.force(file, false);
    }

    /** Removes the bytes behind the last record. */
    synchronized void cutBehindLast() throws IOException {
        file.truncate(end);
        disk.force(file, true);
        room = end;
    }

    /** Removes the record of an index and all behind it. */
    synchronized void cutFrom(long index) throws IOException {
        if (count == 0 || index > last()) {
            cutBehindLast();
            return;
        }
        int kept = (int) Math.max(0, index - first);
        int of = kept == 0 ? 0 : get(first + kept - 1).orElseThrow().checksum();
        end = offsets[kept];
        count = kept;
        checksum = of;
        first = kept == 0 ? 0 : first;
        cutBehindLast();
    }

    /** Removes the records below an index, which must be there. The file grows no holes: it is written anew. */
    synchronized void cutBelow(long index) throws IOException {
        int gone = (int) (index - first);
        try (FileChannel next = begin()) {
            ByteBuffer record = ByteBuffer.allocate(1 << 16);
            long at = 0;
            for (int i = gone; i < count; i++) {
                long behind = i + 1 < count ? offsets[i + 1] : end;
                LogEntry entry = get(first + i).orElseThrow().entry(); // checks that the record is whole
                int length = (int) (behind - offsets[i]);
                assert length == LogRecord.size(entry);
                if (record.capacity() < length) {
                    record = ByteBuffer.allocate(length);
                }
                record.clear().limit(length);
                LogScan.fill(file::read, record, offsets[i]);
                writeFully(next, record.flip(), at);
                at += length;
            }
            disk.force(next, true);
        } catch (IOException e) {
            Files.deleteIfExists(folder.resolve(NEXT));
            if (e instanceof DamagedRecordException) {
                throw e;
            }
            throw new NoRoomException(e);
        }
        long shift = offsets[gone];
        long[] left = Arrays.copyOfRange(offsets, gone, Math.max(count, gone + 64));
        for (int i = 0; i < count - gone; i++) {
            left[i] -= shift;
        }
        usePlace(left, count - gone, end - shift);
        first = index;
    }

    /** Begins anew with one record in place of all. */
    synchronized void beginAt(long index, LogEntry entry) throws IOException {
        ByteBuffer record = ByteBuffer.allocate(Math.toIntExact(LogRecord.size(entry)));
        int of = LogRecord.write(record, index, index, 0, entry);
        try (FileChannel next = begin()) {
            writeFully(next, record.flip(), 0);
            disk.force(next, true);
        }
        usePlace(new long[64], 1, record.limit());
        first = index;
        checksum = of;
    }

    /** Puts the file aside for a look at it, and keeps only the whole records in front. */
    synchronized void putAside() throws IOException {
        try (FileChannel next = begin()) {
            for (long at = 0; at < end; at += piece.limit()) {
                piece.clear().limit((int) Math.min(PIECE, end - at));
                LogScan.fill(file::read, piece, at);
                writeFully(next, piece.flip(), at);
            }
            disk.force(next, true);
        }
        file.close();
        disk.rename(folder.resolve(NAME), folder.resolve(DAMAGED));
        disk.rename(folder.resolve(NEXT), folder.resolve(NAME));
        file = disk.open(folder.resolve(NAME));
        room = end;
    }

    /** The file that was put aside is no longer needed. */
    void forgetAside() throws IOException {
        Files.deleteIfExists(folder.resolve(DAMAGED));
    }

    /** All records go. */
    synchronized void clear() {
        first = 0;
        count = 0;
        end = 0;
        checksum = 0;
    }

    @Override
    public synchronized void close() throws IOException {
        file.close();
    }

    private FileChannel begin() throws IOException {
        Path next = folder.resolve(NEXT);
        Files.deleteIfExists(next);
        return disk.open(next);
    }

    private void usePlace(long[] at, int records, long bytes) throws IOException {
        file.close();
        disk.rename(folder.resolve(NEXT), folder.resolve(NAME));
        file = disk.open(folder.resolve(NAME));
        offsets = at;
        count = records;
        end = bytes;
        room = bytes;
    }

    static long size(List<LogEntry> entries) {
        long bytes = 0;
        for (LogEntry entry : entries) {
            bytes += LogRecord.size(entry);
        }
        return bytes;
    }

    /** Writes the rest of a buffer, its first byte at that place of the file. */
    static void writeFully(FileChannel to, ByteBuffer bytes, long at) throws IOException {
        long base = at - bytes.position();
        int last = bytes.limit();
        while (bytes.position() < last) {
            // The Java library copies a buffer of the heap into a direct one of the same length.
            bytes.limit(Math.min(last, bytes.position() + PIECE));
            to.write(bytes, base + bytes.position());
        }
    }
}
