package org.amo.replication.order.raft;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.Member;
import org.amo.net.CheckedFile;

/**
 * A snapshot on disk ({@code docs/wire/snapshot.md}, "The file"). It is written beside the one before, forced, and put
 * in its place by a rename that is forced too: once a whole snapshot was there, one always is.
 */
final class SnapshotFile {
    static final String NAME = "snapshot.amo";
    private static final String INCOMING = "snapshot.incoming";
    private static final String NEXT = "snapshot.next";

    private static final int MAGIC = 0x616d6f53;
    private static final int VERSION = 2;
    /** Without the ids of removed members. */
    private static final int OLDEST_VERSION = 1;

    private static final int MAX_PART = Integer.MAX_VALUE - 16;
    /** Also of the ids of removed members. */
    private static final int MAX_MEMBERS_BYTES = 1 << 20;
    /** Up to and with the version. */
    private static final int VERSION_END = Integer.BYTES + 1;
    /** Up to and with the index. */
    private static final int INDEX_END = VERSION_END + Long.BYTES;

    private static final int BUFFER = 1 << 16;

    private final Path folder;

    /** Its place in the log, and the members there. */
    record Head(long index, long term, long position, Configuration configuration) {}

    /** Another version of amo wrote it. */
    static final class OtherVersionException extends IOException {
        private static final long serialVersionUID = 1;

        private final int version;

        private OtherVersionException(int version) {
            super("it is a snapshot of version " + version);
            this.version = version;
        }

        int version() {
            return version;
        }
    }

    /** All of it. */
    record Stored(Head head, LogSnapshot snapshot) {}

    /** @param folder that of the log */
    SnapshotFile(Path folder) {
        this.folder = folder;
    }

    Path path() {
        return folder.resolve(NAME);
    }

    /** Where one that comes from another member is gathered. */
    Path incoming() {
        return folder.resolve(INCOMING);
    }

    /** Deletes the drafts of writes and transfers that did not end: they may take all the room of the disk. */
    void deleteDrafts() throws IOException {
        Files.deleteIfExists(folder.resolve(NEXT));
        Files.deleteIfExists(incoming());
    }

    /** Bytes that the disk has room for; 0 if it has none or does not tell. */
    long usableBytes() {
        return folder.toFile().getUsableSpace();
    }

    /** Writes it and puts it in the place of the one before. A failure, such as a full disk, leaves no part of it. */
    void write(Head head, LogSnapshot snapshot) throws IOException {
        Path next = folder.resolve(NEXT);
        try {
            write(next, head, snapshot);
            CheckedFile.rename(next, path());
        } catch (IOException e) {
            Files.deleteIfExists(next);
            throw e;
        }
    }

    private static void write(Path next, Head head, LogSnapshot snapshot) throws IOException {
        try (FileChannel file = FileChannel.open(
                next, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            CheckedOutputStream out = new CheckedOutputStream(Channels.newOutputStream(file), new CRC32C());
            byte[] members = Member.format(head.configuration.members()).getBytes(StandardCharsets.UTF_8);
            byte[] gone =
                    String.join(",", new TreeSet<>(head.configuration.gone())).getBytes(StandardCharsets.UTF_8);
            ByteBuffer front =
                    ByteBuffer.allocate(INDEX_END + 5 * Long.BYTES + 2 * Integer.BYTES + members.length + gone.length);
            front.putInt(MAGIC)
                    .put((byte) VERSION)
                    .putLong(head.index)
                    .putLong(head.term)
                    .putLong(head.position);
            front.putLong(head.configuration.version()).putInt(members.length).put(members);
            front.putInt(gone.length).put(gone);
            front.putLong(snapshot.replica().length).putLong(snapshot.servant().length);
            out.write(front.array());
            write(out, snapshot.replica());
            write(out, snapshot.servant());
            int checksum = (int) out.getChecksum().getValue();
            out.write(ByteBuffer.allocate(Integer.BYTES).putInt(checksum).array());
            file.force(true);
        }
    }

    /** Puts one that was gathered here in the place of the one before. */
    void acceptIncoming() throws IOException {
        try (FileChannel file = FileChannel.open(incoming(), StandardOpenOption.WRITE)) {
            file.force(true);
        }
        CheckedFile.rename(incoming(), path());
    }

    /**
     * @throws OtherVersionException when the file is whole, and another version of amo wrote it
     * @throws IOException also when the file is damaged
     */
    Optional<Stored> read() throws IOException {
        try {
            return Optional.of(read(path()));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /**
     * The index of the snapshot that is there. Reads all of it, but keeps none.
     *
     * @throws IOException also when the file is damaged
     */
    Optional<Long> index() throws IOException {
        try (CheckedData in = CheckedData.of(path())) {
            long index = front(in);
            in.skipNBytes(Math.max(0, in.size - INDEX_END - Integer.BYTES));
            in.end();
            return Optional.of(index);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** The index that the file states; it may be damaged. */
    long claimedIndex() throws IOException {
        try (DataInputStream in = new DataInputStream(Files.newInputStream(path()))) {
            return front(in);
        }
    }

    /** The position that the file states, of its head alone; it may be damaged. */
    Optional<Long> claimedPosition() throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(path()), 64))) {
            front(in);
            in.readLong();
            return Optional.of(in.readLong());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    static Stored read(Path file) throws IOException {
        try (CheckedData in = CheckedData.of(file)) {
            return read(in);
        }
    }

    /** @throws IOException when the bytes are no whole snapshot */
    static Stored read(byte[] bytes) throws IOException {
        return read(CheckedData.of(new ByteArrayInputStream(bytes), bytes.length));
    }

    private static Stored read(CheckedData in) throws IOException {
        try {
            int format = format(in);
            long index = in.readLong();
            long term = in.readLong();
            long position = in.readLong();
            long version = in.readLong();
            String members = text(in);
            String gone = format == OLDEST_VERSION ? "" : text(in);
            Configuration configuration = new Configuration(version, Member.parseList(members), ids(gone));
            long replicaLength = in.readLong();
            long servantLength = in.readLong();
            if (replicaLength + servantLength > in.size) {
                throw new IOException("lengths beyond its end");
            }
            byte[] replica = part(in, replicaLength, MAX_PART);
            byte[] servant = part(in, servantLength, MAX_PART);
            in.end();
            Head head = new Head(index, term, position, configuration);
            return new Stored(head, new LogSnapshot(position, replica, servant));
        } catch (OtherVersionException e) {
            // All versions have the checksum at their end. If it is wrong, the version is damage.
            in.skipNBytes(Math.max(0, in.size - VERSION_END - Integer.BYTES));
            in.end();
            throw e;
        } catch (IllegalArgumentException e) {
            throw new IOException("its members cannot be read", e);
        }
    }

    /** All bytes read from the file count for the checksum. Another file may take its name meanwhile. */
    private static final class CheckedData extends DataInputStream {
        private final CheckedInputStream checked;
        private final long size;

        private CheckedData(CheckedInputStream checked, long size) {
            super(checked);
            this.checked = checked;
            this.size = size;
        }

        private static CheckedData of(Path path) throws IOException {
            FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
            return of(new BufferedInputStream(Channels.newInputStream(file), BUFFER), file.size());
        }

        private static CheckedData of(InputStream in, long size) {
            return new CheckedData(new CheckedInputStream(in, new CRC32C()), size);
        }

        /** Reads the checksum; all before has been read. */
        private void end() throws IOException {
            int checksum = (int) checked.getChecksum().getValue();
            if (readInt() != checksum || read() >= 0) {
                throw new IOException("its checksum is wrong");
            }
        }
    }

    /** @return the index */
    private static long front(DataInputStream in) throws IOException {
        int unused = format(in);
        return in.readLong();
    }

    /** @return the version */
    private static int format(DataInputStream in) throws IOException {
        if (in.readInt() != MAGIC) {
            throw new IOException("it is no snapshot");
        }
        int version = in.readUnsignedByte();
        if (version < OLDEST_VERSION || version > VERSION) {
            throw new OtherVersionException(version);
        }
        return version;
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(part(in, in.readInt(), MAX_MEMBERS_BYTES), StandardCharsets.UTF_8);
    }

    private static Set<String> ids(String list) {
        return list.isEmpty() ? Set.of() : Set.of(list.split(",", -1));
    }

    private static byte[] part(DataInputStream in, long length, int max) throws IOException {
        if (length < 0 || length > max) {
            throw new IOException("a length of " + length);
        }
        byte[] bytes = in.readNBytes((int) length);
        if (bytes.length < length) {
            throw new EOFException("it ends too early");
        }
        return bytes;
    }

    private static void write(OutputStream out, byte[] bytes) throws IOException {
        for (int from = 0; from < bytes.length; from += BUFFER) {
            out.write(bytes, from, Math.min(BUFFER, bytes.length - from));
        }
    }
}
