package org.amo.replication;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.amo.core.order.LogListener;
import org.amo.core.order.OrderedLog;

/** A log in memory of a member that has a folder; the core meets the disk at each submission. */
final class LogOnDisk implements OrderedLog {
    private final OrderedLog log;
    private final Path folder;
    private volatile Consumer<LogOnDisk> disk = none -> {};
    private volatile Optional<LogListener> listener = Optional.empty();

    LogOnDisk(OrderedLog log, Path folder) {
        this.log = log;
        this.folder = folder;
    }

    /** From now on. */
    void disk(Consumer<LogOnDisk> behaves) {
        disk = behaves;
    }

    LogListener listener() {
        return listener.orElseThrow();
    }

    @Override
    public Guarantee guarantee() {
        return log.guarantee();
    }

    @Override
    public void start(LogListener told) {
        listener = Optional.of(told);
        log.start(told);
    }

    @Override
    public void submit(long submission, byte[] entry) {
        disk.accept(this);
        log.submit(submission, entry);
    }

    @Override
    public void send(String member, byte[] message) {
        log.send(member, message);
    }

    @Override
    public Optional<Path> folder() {
        return Optional.of(folder);
    }

    @Override
    public void close() {
        log.close();
    }
}
