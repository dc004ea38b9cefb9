package org.amo.scmp.udp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.amo.net.CheckedFile;
import org.amo.scmp.StableLatest;

/**
 * {@code G.latest} in a file of its own, which is replaced and forced to disk with each value. While it is open no other
 * process can open it.
 *
 * <p>A damaged file is refused, since an older value would permit a second execution. The file is there once {@link
 * #store} has returned for the first time. docs/wire/small-files.md has its bytes. One thread at a time may use it.
 */
final class FileStableLatest implements StableLatest, AutoCloseable {
    private static final int MAGIC = 0x616D6F4C; // amoL
    private static final String REMEDY =
            "move it away and start the server again, which then refuses calls for the time of beta";

    private final CheckedFile file;
    private final FileChannel claim;
    private final boolean openedBefore;
    private OptionalLong stored;
    private long forces;

    private FileStableLatest(CheckedFile file, FileChannel claim, boolean openedBefore, OptionalLong stored) {
        this.file = file;
        this.claim = claim;
        this.openedBefore = openedBefore;
        this.stored = stored;
    }

    /**
     * Opens the file, or the place where it will be.
     *
     * @throws IOException if another process has it, the folder is missing, or it is damaged
     */
    public static FileStableLatest open(Path path) throws IOException {
        boolean openedBefore = CheckedFile.wasClaimed(path);
        FileChannel claim = CheckedFile.claim(path);
        try {
            CheckedFile file = new CheckedFile(path, MAGIC, REMEDY);
            Optional<ByteBuffer> content = file.read();
            return new FileStableLatest(
                    file,
                    claim,
                    openedBefore,
                    content.isEmpty()
                            ? OptionalLong.empty()
                            : OptionalLong.of(content.get().getLong()));
        } catch (IOException | RuntimeException e) {
            claim.close();
            throw e;
        }
    }

    /** The value that the file held when it was opened or that was stored since; empty if there was no file. */
    public OptionalLong stored() {
        return stored;
    }

    /** Whether it was opened before: a missing file was lost then, or an earlier process ended before its first store. */
    public boolean openedBefore() {
        return openedBefore;
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
        forces++;
        stored = OptionalLong.of(latestMicros);
    }

    @Override
    public void close() throws IOException {
        claim.close();
    }
}
