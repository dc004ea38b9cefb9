package org.amo.replication.store;

import java.io.IOException;
import java.util.Optional;

/** Tells errors of the disk from those of the virtual machine or of a library, which may wrap them. */
final class DiskErrors {
    private DiskErrors() {}

    /** The first cause, if it is an error of input or output; an IOException with another cause is none of the disk. */
    static Optional<IOException> rootOf(Throwable thrown) {
        Throwable root = thrown;
        for (Throwable cause = root.getCause(); cause != null; cause = cause.getCause()) {
            root = cause;
        }
        return root instanceof IOException ofDisk ? Optional.of(ofDisk) : Optional.empty();
    }
}
