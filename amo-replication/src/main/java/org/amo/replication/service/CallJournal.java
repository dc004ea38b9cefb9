package org.amo.replication.service;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.client.ClientCall;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.net.CheckedFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notes the open calls of one life of a client in a file that grows by records (docs/wire/client-calls.md). A record is in the file
 * once {@link #write} has returned, and then survives the end of the process. After {@link #force} it survives a loss of power.
 *
 * <p>Invariant: the file holds each number that an attempt may have carried and that is not finished. Once most of the file is of
 * finished calls, a new file with the open ones replaces it. One thread at a time may use it.
 */
final class CallJournal implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(CallJournal.class);

    private static final int MAGIC = 0x616D6F4A; // amoJ
    private static final int VERSION = 1;
    private static final int MAX_GROUP_BYTES = 1_024;

    private static final int HEAD = 0;
    private static final int CALL = 1;
    private static final int NOT_EXECUTED = 2;
    private static final int FINISHED = 3;

    /** Length and checksum of a record. */
    private static final int FRAME_BYTES = 2 * Integer.BYTES;

    private static final int MOST_CONTENT_BYTES = Request.MAX_BODY_BYTES + 64;
    private static final int CHUNK_BYTES = 64 << 10;
    private static final byte[] NOTHING = {};

    /** A shorter file is not replaced. */
    static final long LEAST_REPLACED_BYTES = 8 << 20;

    private final Path path;
    private final String group;
    private final ClientId client;
    private final long leastReplacedBytes;

    /** By number, in the order of the file. */
    private final Map<Long, OpenCall> open = new LinkedHashMap<>();

    /** Records that follow the first {@code size} bytes of the file. Others follow them. */
    private byte[] unwritten = NOTHING;

    private final WireWriter noted = new WireWriter(1_024);

    private FileChannel file;
    private long size;
    private long forcedSize;
    private long replaceAtBytes;

    /** A sync failed: a later one would say nothing of the pages that it left. */
    private boolean isBroken;

    /**
     * A call that is not finished.
     *
     * @param isRefused its outcome is certain: it did not run, and no attempt may leave any more
     * @param reason of the refusal; empty if no member gave one
     * @param position of the body in the file
     * @param length of the body
     */
    record OpenCall(
            ClientCall.Identity identity, boolean isRefused, Optional<Refusal> reason, long position, int length) {
        OpenCall refused(Optional<Refusal> why) {
            return new OpenCall(identity, true, why, position, length);
        }
    }

    private CallJournal(Path path, String group, ClientId client, FileChannel file, long leastReplacedBytes) {
        this.path = path;
        this.group = group;
        this.client = client;
        this.file = file;
        this.leastReplacedBytes = leastReplacedBytes;
        this.replaceAtBytes = leastReplacedBytes;
    }

    /** A file without calls, on disk when this returns. */
    static CallJournal create(Path path, String group, ClientId client, long leastReplacedBytes) throws IOException {
        FileChannel empty = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        CallJournal journal = new CallJournal(path, group, client, empty, leastReplacedBytes);
        try {
            journal.replace();
            return journal;
        } catch (IOException | RuntimeException | Error e) {
            journal.close();
            throw e;
        }
    }

    /**
     * The file of an earlier life.
     *
     * @return empty if that life ended before the file had its first record
     * @throws IOException in one line if the file is of another group or version, or its head is damaged
     */
    static Optional<CallJournal> open(Path path, String group) throws IOException {
        long length = Files.size(path);
        if (length == 0) {
            return Optional.empty();
        }
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(path)))) {
            Optional<byte[]> head = record(in, length);
            ClientId client = head(path, group, head.orElse(NOTHING));
            FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
            // Ends alone are added to it: it is not replaced, and its bodies stay in their places.
            CallJournal journal = new CallJournal(path, group, client, file, Long.MAX_VALUE);
            try {
                journal.size = FRAME_BYTES + (long) head.orElse(NOTHING).length;
                journal.readRecords(in, length);
                file.truncate(journal.size);
                return Optional.of(journal);
            } catch (IOException | RuntimeException | Error e) {
                file.close();
                throw e;
            }
        }
    }

    private static ClientId head(Path path, String group, byte[] content) throws IOException {
        try {
            WireReader reader = new WireReader("head of " + path, content);
            if (reader.u8("kind") != HEAD || reader.i32("magic") != MAGIC) {
                throw reader.malformed("magic", 0);
            }
            int version = reader.u8("version");
            if (version != VERSION) {
                throw new IOException(path + " has version " + version
                        + ", which another version of amo wrote; start that version of amo (docs/how-to/upgrade.md)");
            }
            ClientId client = reader.clientId("client");
            String owner = reader.text("group", MAX_GROUP_BYTES);
            reader.end();
            if (!owner.equals(group)) {
                throw new IOException(path + " belongs to a client of group " + owner + "; give the client of group "
                        + group + " a folder of its own");
            }
            return client;
        } catch (MalformedFrameException e) {
            throw new IOException(
                    path + " is damaged (" + e.getMessage() + "); move it away, and the calls in it stay unknown");
        }
    }

    /** The content of the next record; empty if it is not whole, as after a loss of power. */
    private static Optional<byte[]> record(DataInputStream in, long remaining) throws IOException {
        if (remaining < FRAME_BYTES) {
            return Optional.empty();
        }
        int length = in.readInt();
        if (length < 1 || length > MOST_CONTENT_BYTES || length > remaining - FRAME_BYTES) {
            return Optional.empty();
        }
        byte[] content = new byte[length];
        in.readFully(content);
        return in.readInt() == checksum(content, NOTHING) ? Optional.of(content) : Optional.empty();
    }

    private void readRecords(DataInputStream in, long length) throws IOException {
        Optional<byte[]> next = record(in, length - size);
        while (next.isPresent()) {
            byte[] content = next.get();
            take(new WireReader(path.toString(), content), content.length);
            size += FRAME_BYTES + content.length;
            next = record(in, length - size);
        }
        forcedSize = size;
        if (size < length) {
            LOG.warn(
                    "the last {} bytes of {} are no whole record, as after a loss of power; calls that were noted there"
                            + " are not recovered",
                    length - size,
                    path);
        }
    }

    private void take(WireReader reader, int length) throws IOException {
        try {
            int kind = reader.u8("kind");
            long number = reader.varint("number", 1, RequestId.MAX_NUMBER);
            switch (kind) {
                case CALL -> {
                    long timestamp = reader.i64("timestamp");
                    long deadline = timestamp + reader.varint("deadline", 0, WireReader.MAX_TIME_MILLIS);
                    add(
                            number,
                            timestamp,
                            deadline,
                            size + Integer.BYTES + reader.position(),
                            length - reader.position());
                }
                case NOT_EXECUTED -> {
                    Optional<Refusal> reason = Refusal.ofCode(reader.u8("reason"));
                    open.computeIfPresent(number, (key, call) -> call.refused(reason));
                }
                case FINISHED -> open.remove(number);
                default -> throw reader.malformed("kind", kind);
            }
        } catch (MalformedFrameException e) {
            throw new IOException(path + " has a record of another version of amo (" + e.getMessage()
                    + "); start that version of amo (docs/how-to/upgrade.md)");
        }
    }

    private void add(long number, long timestamp, long deadline, long position, int length) {
        ClientCall.Identity identity = new ClientCall.Identity(RequestId.own(client, number), timestamp, deadline);
        open.put(number, new OpenCall(identity, false, Optional.empty(), position, length));
    }

    ClientId client() {
        return client;
    }

    /** The calls that are not finished, in the order in which they left first. */
    List<OpenCall> openCalls() {
        return List.copyOf(open.values());
    }

    boolean isOpen(long number) {
        return open.containsKey(number);
    }

    /**
     * The body of an open call; {@link #write} has returned since the call was noted. Any thread may read that of an earlier life, and
     * an interrupt of it does not close the file.
     */
    byte[] body(OpenCall call) throws IOException {
        byte[] body = new byte[call.length()];
        try (RandomAccessFile from = new RandomAccessFile(path.toFile(), "r")) {
            from.seek(call.position());
            from.readFully(body);
        }
        return body;
    }

    /** A number that an attempt is about to carry; nothing if it was noted before. */
    void call(ClientCall.Identity identity, byte[] body) {
        long number = identity.id().number();
        if (open.containsKey(number)) {
            return;
        }
        byte[] head = head(identity);
        long position = size + unwritten.length + noted.size() + Integer.BYTES + head.length;
        put(noted, head, body);
        add(number, identity.timestampMillis(), identity.deadlineMillis(), position, body.length);
    }

    /** An open call certainly did not run; no attempt of it leaves any more. */
    void notExecuted(long number, Optional<Refusal> reason) {
        open.computeIfPresent(number, (key, call) -> {
            put(noted, refused(number, reason), NOTHING);
            return call.refused(reason);
        });
    }

    /** The application has handled the outcome, or the number is used no more. */
    void finished(long number) {
        if (open.remove(number) != null) {
            WireWriter content = new WireWriter(16);
            content.u8(FINISHED);
            content.varint(number);
            put(noted, content.toBytes(), NOTHING);
        }
    }

    private static byte[] head(ClientCall.Identity identity) {
        WireWriter content = new WireWriter(32);
        content.u8(CALL);
        content.varint(identity.id().number());
        content.i64(identity.timestampMillis());
        content.varint(identity.deadlineMillis() - identity.timestampMillis());
        return content.toBytes();
    }

    private static byte[] refused(long number, Optional<Refusal> reason) {
        WireWriter content = new WireWriter(16);
        content.u8(NOT_EXECUTED);
        content.varint(number);
        content.u8(reason.map(Refusal::code).orElse(0));
        return content.toBytes();
    }

    /** All of the record or, without memory for it, nothing. */
    private static void put(WireWriter to, byte[] head, byte[] body) {
        WireWriter record = new WireWriter(FRAME_BYTES + head.length + body.length);
        record.i32(head.length + body.length);
        record.raw(head, 0, head.length);
        record.raw(body, 0, body.length);
        record.i32(checksum(head, body));
        byte[] bytes = record.take();
        to.raw(bytes, 0, bytes.length);
    }

    private static int checksum(byte[] head, byte[] body) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Integer.BYTES)
                .putInt(head.length + body.length)
                .flip());
        crc.update(head);
        crc.update(body);
        return (int) crc.getValue();
    }

    /**
     * All that was noted is in the file when this returns. If it fails, nothing is lost: the next one writes it again.
     *
     * @throws IOException if the disk does not take it
     */
    void write() throws IOException {
        if (isBroken) {
            throw new IOException("the disk failed a sync at " + path + "; start the client again");
        }
        while (unwritten.length > 0 || noted.size() > 0) {
            if (unwritten.length == 0) {
                unwritten = noted.take();
            }
            write(file, unwritten, size);
            size += unwritten.length;
            unwritten = NOTHING;
        }
        if (size >= replaceAtBytes) {
            replaceLater();
        }
    }

    /** All that was written is on disk when this returns. */
    void force() throws IOException {
        if (isForced()) {
            return;
        }
        try {
            file.force(false);
            forcedSize = size;
        } catch (IOException e) {
            isBroken = true;
            throw e;
        }
    }

    /** Whether all that was written is on disk. */
    boolean isForced() {
        return forcedSize == size;
    }

    private static void write(FileChannel to, byte[] bytes, long position) throws IOException {
        int done = 0;
        while (done < bytes.length) {
            int part = Math.min(CHUNK_BYTES, bytes.length - done);
            done += to.write(ByteBuffer.wrap(bytes, done, part), position + done);
        }
    }

    /** A failure costs nothing but room on the disk: the file goes on. */
    private void replaceLater() {
        try {
            replace();
        } catch (IOException e) {
            LOG.warn("cannot write a shorter {}, which grows on: {}", path, e.toString());
            replaceAtBytes = 2 * size;
        }
    }

    /** Puts a file with the open calls alone in the place of the present one. */
    private void replace() throws IOException {
        Path draft = path.resolveSibling(path.getFileName() + ".new");
        FileChannel next = FileChannel.open(
                draft,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        Map<Long, OpenCall> moved = new LinkedHashMap<>();
        long written = 0;
        try {
            WireWriter records = new WireWriter(64);
            records.u8(HEAD);
            records.i32(MAGIC);
            records.u8(VERSION);
            records.clientId(client);
            records.text("group", group, MAX_GROUP_BYTES);
            byte[] head = records.take();
            put(records, head, NOTHING);
            for (OpenCall each : open.values()) {
                byte[] first = head(each.identity());
                long number = each.identity().id().number();
                long position = written + records.size() + Integer.BYTES + first.length;
                put(records, first, body(each));
                if (each.isRefused()) {
                    put(records, refused(number, each.reason()), NOTHING);
                }
                moved.put(
                        number,
                        new OpenCall(each.identity(), each.isRefused(), each.reason(), position, each.length()));
                if (records.size() > CHUNK_BYTES) {
                    byte[] part = records.take();
                    write(next, part, written);
                    written += part.length;
                }
            }
            byte[] part = records.take();
            write(next, part, written);
            written += part.length;
            next.force(true);
            rename(draft);
        } catch (IOException | RuntimeException | Error e) {
            next.close();
            throw e;
        }
        FileChannel before = file;
        file = next;
        size = written;
        forcedSize = written;
        replaceAtBytes = Math.max(leastReplacedBytes, 2 * written);
        open.putAll(moved);
        before.close();
    }

    private void rename(Path draft) throws IOException {
        try {
            CheckedFile.rename(draft, path);
        } catch (IOException e) {
            // The present file may have lost its name: no later life would find further records in it.
            isBroken = true;
            throw e;
        }
    }

    /** Closes and deletes the file, which has no open calls any more. */
    void delete() throws IOException {
        close();
        Files.deleteIfExists(path);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
