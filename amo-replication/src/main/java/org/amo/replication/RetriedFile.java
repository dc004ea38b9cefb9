package org.amo.replication;

import java.io.IOException;
import java.util.Optional;
import org.amo.net.CheckedFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a small file of this member, and tries again while the disk does not take it: a member goes on by itself once a full
 * disk has room. A member without a folder keeps nothing. The owner of the replica owns it.
 */
final class RetriedFile {
    private static final Logger LOG = LoggerFactory.getLogger(RetriedFile.class);

    /** About a second: each try may force a draft to disk. */
    private static final int TICKS_BETWEEN_TRIES = 20;

    private final Optional<CheckedFile> file;
    private Optional<byte[]> unwritten = Optional.empty();
    private int ticksToNextTry;
    private boolean warned;

    RetriedFile(Optional<CheckedFile> file) {
        this.file = file;
    }

    /** Replaces the content. On disk when this returns, unless the disk does not take it. */
    void write(byte[] content) {
        unwritten = Optional.of(content);
        tryToWrite(content);
    }

    /** At each tick. @return whether the content is on disk */
    boolean retry() {
        if (unwritten.isEmpty()) {
            return true;
        }
        ticksToNextTry--;
        if (ticksToNextTry <= 0) {
            tryToWrite(unwritten.get());
        }
        return unwritten.isEmpty();
    }

    private void tryToWrite(byte[] content) {
        try {
            if (file.isPresent()) {
                file.get().write(content);
            }
            unwritten = Optional.empty();
            warned = false;
        } catch (IOException e) {
            ticksToNextTry = TICKS_BETWEEN_TRIES;
            if (!warned) {
                warned = true;
                LOG.warn(
                        "cannot write {} ({}); make room on its disk: the member tries again each second",
                        file.orElseThrow(),
                        e.toString());
            }
        }
    }
}
