package org.amo.replication.order.raft;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;
import org.amo.core.order.OrderedLogException;

/**
 * A member's {@link MemberState} in two slots, each with a generation and a checksum.
 *
 * <p>{@link #keep} writes both slots and forces each, first one and then the other. So a torn write leaves the other
 * slot, and later damage to either one leaves the promised state. {@link #note} writes one slot and forces nothing:
 * for state that may lag. The file is as long from the beginning as it will ever be, so a full disk does not stop a write.
 *
 * <p>Guarded by its own lock: votes are stored by another thread than entries.
 */
final class StateFile implements Closeable {
    static final String NAME = "state.amo";
    private static final String NEXT = "state.next";
    /** Between the slots, so that no sector holds both. */
    private static final int DISTANCE = 4096;

    private static final byte[] ZEROS = new byte[MemberState.LENGTH];

    private final Disk disk;
    private final FileChannel file;
    private final ByteBuffer slot = ByteBuffer.allocateDirect(MemberState.LENGTH);
    private MemberState now = MemberState.NEW;
    private boolean second;

    /** How the file was found. */
    enum Found {
        NEW,
        WHOLE,
        /** One slot is damaged; the other one held. */
        ONE_SLOT,
        /** Nothing of it can be read. */
        LOST
    }

    private final Found found;

    /** @throws OrderedLogException when another version of amo wrote it */
    StateFile(Disk disk, Path folder) throws IOException {
        this.disk = disk;
        Path path = folder.resolve(NAME);
        boolean missing = Disk.isMissing(path);
        if (missing) {
            Path draft = folder.resolve(NEXT);
            Files.deleteIfExists(draft);
            try (FileChannel created = disk.open(draft)) {
                created.write(ByteBuffer.allocate(DISTANCE + MemberState.LENGTH), 0);
                disk.force(created, true);
            }
            disk.rename(draft, path);
        }
        file = disk.open(path);
        ByteBuffer all = ByteBuffer.allocate(DISTANCE + MemberState.LENGTH);
        LogScan.fill(file::read, all, 0);
        all.flip();
        refuseOtherVersion(path, all);
        Optional<MemberState> one = MemberState.read(all, 0);
        Optional<MemberState> other = MemberState.read(all, DISTANCE);
        // Of a process that died before it had written anything.
        boolean blank = all.limit() == all.capacity() && all.equals(ByteBuffer.allocate(all.capacity()));
        if (missing || blank) {
            found = Found.NEW;
        } else if (one.isPresent() && other.isPresent()) {
            found = Found.WHOLE;
        } else {
            found = one.isPresent() || other.isPresent() ? Found.ONE_SLOT : Found.LOST;
        }
        MemberState first = one.orElse(MemberState.NEW);
        second = other.isPresent() && other.get().generation() > first.generation();
        now = second ? other.orElseThrow() : first;
    }

    private void refuseOtherVersion(Path path, ByteBuffer all) throws IOException {
        for (int start : new int[] {0, DISTANCE}) {
            OptionalInt version = MemberState.otherVersion(all, start);
            if (version.isPresent()) {
                file.close();
                throw OrderedLogException.ofOtherVersion(path, version.getAsInt());
            }
        }
    }

    Found found() {
        return found;
    }

    synchronized MemberState now() {
        return now;
    }

    /** Returns when the change would survive a loss of power, or damage to one of the slots. */
    synchronized void keep(UnaryOperator<MemberState> change, boolean force) throws IOException {
        now = change.apply(now);
        for (int i = 0; i < 2; i++) {
            writeNext();
            if (force) {
                disk.force(file, false);
            }
        }
    }

    /** Survives the death of this process, and a loss of power sooner or later. */
    synchronized void note(UnaryOperator<MemberState> change) throws IOException {
        now = change.apply(now);
        writeNext();
    }

    private void writeNext() throws IOException {
        now = now.next();
        second = !second;
        slot.clear().put(ZEROS).clear();
        now.write(slot);
        slot.flip();
        EntryFile.writeFully(file, slot, second ? DISTANCE : 0);
    }

    @Override
    public synchronized void close() throws IOException {
        file.close();
    }
}
