package org.amo.replication.order.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Reads a file of records from its beginning: finds the whole records, and looks at the bytes behind them. One thread
 * owns it.
 */
final class LogScan {
    private static final int WINDOW = 1 << 20;
    private static final String SHORTER = "the file became shorter while it was read";

    private final Source file;
    private final long size;
    private ByteBuffer window = ByteBuffer.allocate(0);
    private long windowAt;

    /** Index of the first record; 0 if there is none. */
    long first;
    /** Where the whole records lie, from the first on. */
    long[] offsets = new long[64];

    int count;
    /** Where the next record belongs. */
    long end;
    /** Of the last whole record. */
    int checksum;
    /** Whether there is more than zeros behind the whole records. */
    boolean broken;
    /** The highest index that a record behind the broken one says was forced; 0 if there is none. */
    long forcedBehind;
    /** The highest index of a record behind the broken one; 0 if there is none. */
    long behind;

    /** Where the bytes come from. */
    interface Source {
        /** As {@link FileChannel#read(ByteBuffer, long)}. */
        int read(ByteBuffer into, long at) throws IOException;
    }

    private LogScan(Source file, long size) {
        this.file = file;
        this.size = size;
    }

    static LogScan of(FileChannel file) throws IOException {
        return of(file::read, file.size());
    }

    static LogScan of(Source file, long size) throws IOException {
        LogScan scan = new LogScan(file, size);
        scan.readWhole();
        scan.readBehind();
        scan.window = ByteBuffer.allocate(0);
        return scan;
    }

    /** The record at an offset that is known to hold one; empty if it is not whole. */
    static Optional<LogRecord> read(FileChannel file, long at, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        fill(file::read, bytes, at);
        return LogRecord.read(bytes, 0, bytes.position());
    }

    long last() {
        return count == 0 ? 0 : first + count - 1;
    }

    private void readWhole() throws IOException {
        Optional<LogRecord> record = recordAt(0);
        while (record.isPresent() && fits(record.get())) {
            add(record.get());
            record = recordAt(end);
        }
    }

    private boolean fits(LogRecord record) {
        return record.index() > 0 && (count == 0 || (record.index() == first + count && record.before() == checksum));
    }

    private void add(LogRecord record) {
        if (count == 0) {
            first = record.index();
        }
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, 2 * count);
        }
        offsets[count++] = end;
        checksum = record.checksum();
        end += LogRecord.size(record.entry());
    }

    private void readBehind() throws IOException {
        for (long at = end; at < size; ) {
            load(at, LogRecord.HEAD);
            int in = (int) (at - windowAt);
            if (window.limit() - in >= Long.BYTES && window.getLong(in) == 0) {
                at += Long.BYTES;
                continue;
            }
            if (window.get(in) != 0) {
                broken = true;
                Optional<LogRecord> record =
                        size - at >= LogRecord.HEAD && LogRecord.mayBegin(window, in) ? recordAt(at) : Optional.empty();
                if (record.isPresent()) {
                    forcedBehind = Math.max(forcedBehind, record.get().forced());
                    behind = Math.max(behind, record.get().index());
                    at += LogRecord.size(record.get().entry());
                    continue;
                }
            }
            at++;
        }
    }

    private Optional<LogRecord> recordAt(long at) throws IOException {
        if (size - at < LogRecord.HEAD) {
            return Optional.empty();
        }
        load(at, LogRecord.HEAD);
        int in = (int) (at - windowAt);
        if (!LogRecord.mayBegin(window, in)) {
            return Optional.empty();
        }
        int length = LogRecord.claimedLength(window, in);
        if (length < 0 || length > size - at - LogRecord.HEAD || length > Integer.MAX_VALUE - LogRecord.HEAD - 8) {
            return Optional.empty();
        }
        if (length > WINDOW && !isWhole(at, in, length)) {
            return Optional.empty();
        }
        load(at, LogRecord.HEAD + length);
        in = (int) (at - windowAt);
        return LogRecord.read(window, in, in + LogRecord.HEAD + length);
    }

    /** A damaged length may be that of the whole file: no memory is taken for it before the checksum says that it is right. */
    private boolean isWhole(long at, int in, int length) throws IOException {
        CRC32C checksum = LogRecord.checksumOfHead(window, in);
        ByteBuffer part = ByteBuffer.allocate(EntryFile.PIECE);
        for (int done = 0; done < length; done += part.limit()) {
            part.clear().limit(Math.min(EntryFile.PIECE, length - done));
            fill(file, part, at + LogRecord.HEAD + done);
            if (part.hasRemaining()) {
                throw new IOException(SHORTER);
            }
            checksum.update(part.flip());
        }
        return (int) checksum.getValue() == LogRecord.claimedChecksum(window, in);
    }

    /** Sees to it that the window holds so many bytes from there, or all to the end of the file. */
    private void load(long at, int length) throws IOException {
        long needed = Math.min(size, at + length);
        if (at >= windowAt && needed <= windowAt + window.limit()) {
            return;
        }
        ByteBuffer next = ByteBuffer.allocate((int) Math.min(size - at, Math.max(length, WINDOW)));
        fill(file, next, at);
        window = next.flip();
        windowAt = at;
        if (windowAt + window.limit() < needed) {
            throw new IOException(SHORTER);
        }
    }

    /** Fills the buffer, its first byte from that place of the file, or as far as the file goes. */
    static void fill(Source file, ByteBuffer into, long at) throws IOException {
        int last = into.limit();
        for (int read = 0; into.position() < last && read >= 0; ) {
            // The Java library reads through a direct buffer of the same length.
            into.limit(Math.min(last, into.position() + EntryFile.PIECE));
            read = file.read(into, at + into.position());
        }
        into.limit(last);
    }
}
