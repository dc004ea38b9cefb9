package org.amo.grpc;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.amo.base.wire.WireWriter;
import org.amo.net.CheckedFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a server's calls (docs/wire/grpc.md): states, and records that change them. A file of records has a number; the state with
 * the same number is the one before its first record. A state is there as a whole or not at all.
 *
 * <p>One process at a time has a folder. One thread at a time may use an object, and any thread the static methods.
 */
final class CallFolder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CallFolder.class);
    private static final int MAGIC = 0x616D6F67; // amog
    private static final int VERSION = 1;
    private static final int HEAD = 2 * Integer.BYTES;
    private static final String STATE = "state-";
    private static final String RECORDS = "records-";
    private static final Pattern NAME = Pattern.compile("(" + STATE + "|" + RECORDS + ")[0-7][0-9a-f]{15}");

    /** Length and checksum before each record. */
    static final int RECORD_HEAD = 2 * Integer.BYTES;

    private final Path path;
    private final FileChannel claim;
    private final TreeMap<Long, Path> states = new TreeMap<>();
    private final TreeMap<Long, Path> records = new TreeMap<>();

    /** Is told what a folder holds. */
    interface Reader {
        /** The state before the first record. */
        void onState(byte[] state) throws IOException;

        /** The next record. */
        void onRecord(byte[] record) throws IOException;
    }

    /** @throws IOException if another server has the folder, or it cannot be made */
    CallFolder(Path path) throws IOException {
        this.path = path;
        CheckedFile.createFolders(path);
        claim = CheckedFile.claim(path.resolve("calls"));
        try (DirectoryStream<Path> all = Files.newDirectoryStream(path)) {
            for (Path each : all) {
                String name = each.getFileName().toString();
                if (NAME.matcher(name).matches()) {
                    long number = Long.parseLong(name.substring(name.indexOf('-') + 1), 16);
                    (name.startsWith(STATE) ? states : records).put(number, each);
                }
            }
        } catch (IOException | RuntimeException e) {
            claim.close();
            throw e;
        }
    }

    /** Whether no server has used it. */
    boolean isNew() {
        return states.isEmpty();
    }

    /**
     * Reads the latest state and the records behind it.
     *
     * @throws IOException in one line with the remedy, if a file is damaged otherwise than by a crash
     */
    void read(Reader reader) throws IOException {
        Path state = states.lastEntry().getValue();
        ByteBuffer whole = ByteBuffer.wrap(Files.readAllBytes(state));
        if (!hasHead(whole) || !isRecord(whole, HEAD) || recordEnd(whole, HEAD) != whole.limit()) {
            throw damaged(state, 0);
        }
        reader.onState(content(whole, HEAD));
        NavigableMap<Long, Path> behind = records.tailMap(states.lastKey(), true);
        // A file is made before the last write to the one before it, and nothing is written to it before that is whole.
        long newest = 0;
        for (Map.Entry<Long, Path> each : behind.entrySet()) {
            newest = Files.size(each.getValue()) > HEAD ? each.getKey() : newest;
        }
        for (Map.Entry<Long, Path> each : behind.entrySet()) {
            readRecords(each.getValue(), each.getKey() >= newest, reader);
        }
    }

    /** @param newest whether no file behind it has records */
    private static void readRecords(Path file, boolean newest, Reader reader) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        if (bytes.limit() < HEAD && newest) {
            return; // made, and not used
        }
        if (!hasHead(bytes)) {
            throw damaged(file, 0);
        }
        int at = HEAD;
        while (isRecord(bytes, at)) {
            reader.onRecord(content(bytes, at));
            at = recordEnd(bytes, at);
        }
        // A crash leaves a part of the last write, and no caller was told of it. Other bytes are damage.
        for (int rest = at; rest < bytes.limit(); rest++) {
            if (!newest || isRecord(bytes, rest)) {
                throw damaged(file, at);
            }
        }
        if (at < bytes.limit()) {
            LOG.info("{}: a write that a crash interrupted is left out from byte {}", file, at);
        }
    }

    /**
     * The number of the next state and its records: above all that are there.
     *
     * @throws IOException if the state cannot be written
     */
    long begin(byte[] state) throws IOException {
        long last = Math.max(states.isEmpty() ? 0 : states.lastKey(), records.isEmpty() ? 0 : records.lastKey());
        writeState(path, last + 1, state);
        return last + 1;
    }

    Path path() {
        return path;
    }

    /** Writes a state; it is on disk as a whole when this returns. The files that it replaces are deleted. */
    static void writeState(Path folder, long number, byte[] state) throws IOException {
        Path draft = folder.resolve(STATE + "new");
        try (RandomAccessFile file = new RandomAccessFile(draft.toFile(), "rw")) {
            file.setLength(0);
            file.write(head());
            WireWriter record = new WireWriter(RECORD_HEAD);
            putHead(record, state);
            file.write(record.toBytes());
            file.write(state);
            file.getFD().sync();
        }
        CheckedFile.rename(draft, folder.resolve(name(STATE, number)));
        deleteBefore(folder, number);
    }

    private static void deleteBefore(Path folder, long number) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            for (Path each : all) {
                String name = each.getFileName().toString();
                if (NAME.matcher(name).matches()
                        && Long.parseLong(name.substring(name.indexOf('-') + 1), 16) < number) {
                    Files.deleteIfExists(each);
                }
            }
        }
    }

    /** An empty file of records, whose name is on disk when this returns. */
    static RandomAccessFile newRecords(Path folder, long number) throws IOException {
        RandomAccessFile file =
                new RandomAccessFile(folder.resolve(name(RECORDS, number)).toFile(), "rw");
        try {
            file.setLength(0);
            file.write(head());
            file.getFD().sync();
            CheckedFile.forceFolder(folder);
            return file;
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** Writes the length and the checksum of a record. */
    static void putHead(WireWriter to, byte[] record) {
        to.i32(record.length);
        to.i32(checksum(ByteBuffer.wrap(record)));
    }

    private static String name(String kind, long number) {
        return kind + String.format("%016x", number);
    }

    private static byte[] head() {
        return ByteBuffer.allocate(HEAD).putInt(MAGIC).putInt(VERSION).array();
    }

    private static boolean hasHead(ByteBuffer bytes) {
        return bytes.limit() >= HEAD && bytes.getInt(0) == MAGIC && bytes.getInt(Integer.BYTES) == VERSION;
    }

    private static boolean isRecord(ByteBuffer bytes, int at) {
        if (bytes.limit() - at < RECORD_HEAD) {
            return false;
        }
        int length = bytes.getInt(at);
        return length > 0
                && length <= bytes.limit() - at - RECORD_HEAD
                && bytes.getInt(at + Integer.BYTES) == checksum(bytes.slice(at + RECORD_HEAD, length));
    }

    private static int recordEnd(ByteBuffer bytes, int at) {
        return at + RECORD_HEAD + bytes.getInt(at);
    }

    private static byte[] content(ByteBuffer bytes, int at) {
        byte[] content = new byte[bytes.getInt(at)];
        bytes.get(at + RECORD_HEAD, content);
        return content;
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private static IOException damaged(Path file, int at) {
        return new IOException(
                file + " is damaged at byte " + at + ", so calls that have run may be missing in it; move its"
                        + " folder away to begin anew, and calls that were sent before are refused");
    }

    /** Gives the folder to others. */
    @Override
    public void close() throws IOException {
        claim.close();
    }
}
