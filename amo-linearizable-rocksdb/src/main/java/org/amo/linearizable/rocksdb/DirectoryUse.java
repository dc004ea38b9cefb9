package org.amo.linearizable.rocksdb;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * That a directory of a store is written to, or read by a store that takes its ranges over; not both. Between processes a lock of the file
 * system says so, which RocksDB takes to write. A process does not see its own lock, and loses it when it closes the file once more.
 * So this class has the uses in this process, too. Any thread.
 */
final class DirectoryUse implements AutoCloseable {
    private enum Kind {
        WRITTEN,
        READ
    }

    /** Guarded by itself. */
    private static final Map<Path, Kind> IN_THIS_PROCESS = new HashMap<>();

    private final Path directory;
    private Optional<FileChannel> lock = Optional.empty();

    private DirectoryUse(Path directory) {
        this.directory = directory;
    }

    /**
     * Before RocksDB opens it, and locks it against other processes.
     *
     * @throws StoreException in one line if this process uses it already
     */
    static DirectoryUse toWrite(Path directory) throws IOException {
        return use(directory, Kind.WRITTEN);
    }

    /**
     * Keeps the server of a directory from coming back while this one reads it; stores of other processes may read it, too.
     *
     * @throws StoreException in one line if the server is running, here or in another process
     */
    static DirectoryUse toRead(Path directory) throws IOException {
        DirectoryUse use = use(directory, Kind.READ);
        boolean locked = false;
        try {
            use.lockForOtherProcesses(directory);
            locked = true;
            return use;
        } finally {
            if (!locked) {
                use.close();
            }
        }
    }

    private static DirectoryUse use(Path directory, Kind kind) throws IOException {
        Path real = directory.toRealPath();
        synchronized (IN_THIS_PROCESS) {
            Kind before = IN_THIS_PROCESS.putIfAbsent(real, kind);
            if (before == Kind.READ) {
                throw new StoreException("this process reads the store in " + directory + " already; try again later");
            }
            if (before == Kind.WRITTEN) {
                throw kind == Kind.READ
                        ? running(directory)
                        : new StoreException("cannot open the store in " + directory + ": this process has it open");
            }
        }
        return new DirectoryUse(real);
    }

    private void lockForOtherProcesses(Path written) throws IOException {
        FileChannel file = FileChannel.open(directory.resolve("LOCK"), StandardOpenOption.READ);
        lock = Optional.of(file);
        if (file.tryLock(0, Long.MAX_VALUE, true) == null) {
            throw running(written);
        }
    }

    private static StoreException running(Path directory) {
        return new StoreException("the server of " + directory + " is running: nothing can be taken from it");
    }

    /** Whether the other processes still know of it. */
    boolean isHeld() {
        return lock.filter(FileChannel::isOpen).isPresent();
    }

    @Override
    public void close() throws IOException {
        try {
            if (lock.isPresent()) {
                lock.get().close();
            }
        } finally {
            synchronized (IN_THIS_PROCESS) {
                IN_THIS_PROCESS.remove(directory);
            }
        }
    }
}
