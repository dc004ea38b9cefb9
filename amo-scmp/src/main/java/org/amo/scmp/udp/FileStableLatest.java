package org.amo.scmp.udp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.zip.CRC32C;
import org.amo.net.CheckedFile;
import org.amo.scmp.StableLatest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code G.latest} in a file of its own, which is replaced and forced to disk with each value. While it is open no other
 * process can open it.
 *
 * <p>A damaged file is refused, since an older value would permit a second execution. The file is there once {@link
 * #store} has returned for the first time. The lock file has the value a second time: if the disk lost a write that it had reported, the
 * file is whole and old. docs/wire/small-files.md has the bytes of both. One thread at a time may use it.
 */
final class FileStableLatest implements StableLatest, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FileStableLatest.class);
    private static final int MAGIC = 0x616D6F4C; // amoL
    private static final String REMEDY =
            "move it away and start the server again, which then refuses calls for the time of beta";
    private static final int COPY_BYTES = Long.BYTES + Integer.BYTES;

    /** The value of a server that never served. Every clock shows more. */
    private static final long NEVER_SERVED = 0;

    private final CheckedFile file;
    private final FileChannel claim;
    private final OptionalLong known;
    private OptionalLong stored;
    private long forces;

    private FileStableLatest(CheckedFile file, FileChannel claim, OptionalLong stored, OptionalLong known) {
        this.file = file;
        this.claim = claim;
        this.stored = stored;
        this.known = known;
    }

    /**
     * Opens the file, or the place where it will be.
     *
     * @throws IOException if another process has it, the folder is missing, or it is damaged
     */
    public static FileStableLatest open(Path path) throws IOException {
        FileChannel claim = CheckedFile.claim(path);
        try {
            CheckedFile file = new CheckedFile(path, MAGIC, REMEDY);
            Optional<ByteBuffer> content = file.read();
            OptionalLong copy = copyIn(claim);
            OptionalLong stored = content.isEmpty()
                    ? OptionalLong.empty()
                    : OptionalLong.of(laterOf(content.get().getLong(), copy, path));
            return new FileStableLatest(file, claim, stored, stored.isPresent() ? stored : copy);
        } catch (IOException | RuntimeException e) {
            claim.close();
            throw e;
        }
    }

    /**
     * Makes the file of a server that never served.
     *
     * @throws IOException in one line if there are traces of an earlier one
     */
    static void initialize(Path path) throws IOException {
        if (!Files.notExists(path) || CheckedFile.wasClaimed(path)) {
            throw new IOException(
                    path + " or its lock file is there, so a server may have served with it; start the server"
                            + " without a new file, or give a new server another one");
        }
        try (FileStableLatest first = open(path)) {
            first.store(NEVER_SERVED);
        }
    }

    private static long laterOf(long stored, OptionalLong copy, Path path) {
        if (copy.isEmpty() || copy.getAsLong() <= stored) {
            return stored;
        }
        LOG.warn(
                "{} is older than its lock file: the disk has lost a write, or an older copy was put in its place; the value in"
                        + " the lock file holds",
                path);
        return copy.getAsLong();
    }

    /** Empty if there is none, or a damaged one: then the file holds. */
    private static OptionalLong copyIn(FileChannel claim) throws IOException {
        ByteBuffer copy = ByteBuffer.allocate(COPY_BYTES);
        while (copy.hasRemaining()) {
            if (claim.read(copy, copy.position()) < 0) {
                return OptionalLong.empty();
            }
        }
        return copy.getInt(Long.BYTES) == checksum(copy) ? OptionalLong.of(copy.getLong(0)) : OptionalLong.empty();
    }

    /** In its place, so that it is no write of the same kind as that of the file. */
    private static void writeCopy(FileChannel claim, long latestMicros) throws IOException {
        ByteBuffer copy = ByteBuffer.allocate(COPY_BYTES).putLong(latestMicros);
        copy.putInt(checksum(copy)).flip();
        while (copy.hasRemaining()) {
            claim.write(copy, copy.position());
        }
        claim.force(false);
    }

    private static int checksum(ByteBuffer copy) {
        CRC32C crc = new CRC32C();
        crc.update(copy.slice(0, Long.BYTES));
        return (int) crc.getValue();
    }

    /** The value that the file held when it was opened or that was stored since; empty if there was no file. */
    public OptionalLong stored() {
        return stored;
    }

    /**
     * The same when it was opened, or, if there was no file, the value in its lock file: an earlier process had it, and perhaps later
     * ones.
     */
    OptionalLong known() {
        return known;
    }

    /** Whether it was made by {@link #initialize} and nothing was stored since. */
    boolean isOfServerThatNeverServed() {
        return stored.equals(OptionalLong.of(NEVER_SERVED));
    }

    @Override
    public long storedMicros() {
        return stored.orElse(Long.MIN_VALUE);
    }

    /** How often data were forced to disk. */
    public long forces() {
        return forces;
    }

    @Override
    public void store(long latestMicros) throws IOException {
        if (latestMicros < storedMicros()) {
            throw new IllegalArgumentException(
                    "the stored latest never falls: stored=" + storedMicros() + " given=" + latestMicros);
        }
        file.write(ByteBuffer.allocate(Long.BYTES).putLong(latestMicros).array());
        writeCopy(claim, latestMicros);
        forces++;
        stored = OptionalLong.of(latestMicros);
    }

    @Override
    public void close() throws IOException {
        claim.close();
    }
}
