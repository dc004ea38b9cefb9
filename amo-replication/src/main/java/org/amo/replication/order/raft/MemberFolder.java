package org.amo.replication.order.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.core.replica.ReplicaSettings;
import org.amo.net.CheckedFile;
import org.jspecify.annotations.Nullable;

/**
 * Guards a member's folder on disk, {@code data/group/id}. One process at a time, and one kind of log for ever:
 * a member that comes back without the entries it acknowledged would vote like one that has them, and the
 * group could elect a leader that lacks committed entries.
 */
final class MemberFolder implements AutoCloseable {
    private static final String MEMORY_MARKER = "log-in-memory";
    private static final String LOG_SUFFIX = ".log";
    static final String FIRST_MEMBERS = "members";
    static final String LOCK = "lock";
    /** Made before the first members are stored, deleted once the log is on disk. Without it a missing log is lost. */
    private static final String BEGINNING_MARKER = "log-begins";

    private static final int MAGIC = 0x616D6F47; // amoG
    private static final String LOST_MEMBERS =
            "put back a copy of it, which a member of the group's first start has too,"
                    + " or remove this member and add one under another id";

    private final ReplicaSettings settings;
    private final Disk disk;
    private final Path folder;
    private @Nullable FileChannel lockFile;
    private boolean markedNow;

    MemberFolder(ReplicaSettings settings, Disk disk) {
        this.settings = settings;
        this.disk = disk;
        this.folder = settings.folder();
    }

    Path path() {
        return folder;
    }

    /** Takes the folder for this process; marks it if the log will be in memory. */
    void claim() {
        try {
            CheckedFile.createFolders(folder);
            FileChannel locked = lock();
            forceFolders();
            boolean memory = settings.log() == ReplicaSettings.Log.MEMORY;
            Path marker = folder.resolve(MEMORY_MARKER);
            if (mayBeThere(marker) || locked.size() > 0) {
                throw refuse("member '" + settings.id() + "' of group '" + settings.group()
                        + "' kept its log in memory and lost it when it stopped, so it may not come back under this id;"
                        + " start the whole group anew with another --data folder than " + settings.data()
                        + ", and with --log fsync if members shall be restarted");
            }
            if (memory && mayBeThere(logFolder(folder))) {
                throw refuse("member '" + settings.id() + "' has a log on disk in " + folder
                        + ", so it may not start with --log memory; use --log fsync or another --data folder");
            }
            if (memory) {
                Files.createFile(marker);
                disk.forceFolder(folder);
                markedNow = true;
                // The mark a second time, in the content of a file: a disk may lose an empty file.
                locked.write(ByteBuffer.allocate(1), 0);
                locked.force(true);
            }
        } catch (IOException e) {
            close();
            throw new OrderedLogException(
                    Fault.ENVIRONMENT,
                    "cannot use the data folder " + folder + " (" + e + "); choose another with --data",
                    e);
        }
    }

    /**
     * A process that made them may have been killed before they were on disk. A member that lost its folder would be blank, and
     * vote.
     */
    private void forceFolders() throws IOException {
        disk.forceFolder(folder);
        disk.forceFolder(folder.resolveSibling("."));
        disk.forceFolder(settings.data());
    }

    /**
     * The members with which this member's log begins: those of its first start; the settings of later starts do
     * not count.
     * Changes come from the log.
     */
    List<Member> firstMembers() {
        CheckedFile file = firstMembersFile(folder);
        try {
            Optional<ByteBuffer> first = file.read();
            if (first.isPresent()) {
                return Member.parseList(
                        StandardCharsets.UTF_8.decode(first.get()).toString());
            }
            if (mayBeThere(logFolder(folder))) {
                throw new IOException(folder.resolve(FIRST_MEMBERS) + " is gone; " + LOST_MEMBERS);
            }
            Files.write(folder.resolve(BEGINNING_MARKER), new byte[0]);
            disk.forceFolder(folder);
            file.write(Member.format(settings.members()).getBytes(StandardCharsets.UTF_8));
            return settings.members();
        } catch (IOException | IllegalArgumentException e) {
            throw new OrderedLogException(
                    Fault.ENVIRONMENT, "cannot use the data folder " + folder + ": " + e.getMessage(), e);
        }
    }

    /** Holds the members with which a log begins, as {@link Member#format} writes them. */
    static CheckedFile firstMembersFile(Path folder) {
        return new CheckedFile(folder.resolve(FIRST_MEMBERS), MAGIC, LOST_MEMBERS);
    }

    /** Whether the log of a member in this folder was in memory. */
    static boolean wasInMemory(Path folder) {
        return mayBeThere(folder.resolve(MEMORY_MARKER));
    }

    /** The folder of a member's log. */
    static Path logFolder(Path folder) {
        return folder.resolve(folder.getFileName() + LOG_SUFFIX);
    }

    /** Whether a missing log is a new one: no earlier start came so far that the log was on disk. */
    boolean mayBeginLog() {
        return Files.exists(folder.resolve(BEGINNING_MARKER));
    }

    /** The log is on disk. From here on, a log that is missing is a lost one. */
    void logHasBegun() {
        try {
            if (Files.deleteIfExists(folder.resolve(BEGINNING_MARKER))) {
                disk.forceFolder(folder);
            }
        } catch (IOException e) {
            throw new OrderedLogException(
                    Fault.ENVIRONMENT,
                    "cannot use the data folder " + folder + " (" + e + "); is the disk failing?",
                    e);
        }
    }

    /** The member never took part: the mark of {@link #claim} is taken back. */
    void release() {
        FileChannel locked = lockFile;
        if (markedNow && locked != null) {
            try {
                locked.truncate(0);
                Files.deleteIfExists(folder.resolve(MEMORY_MARKER));
            } catch (IOException e) {
                // It stays marked: too strict, never wrong.
                markedNow = false;
            }
        }
        close();
    }

    @Override
    public void close() {
        FileChannel file = lockFile;
        lockFile = null;
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                // The lock goes with the process at the latest.
                markedNow = false;
            }
        }
    }

    private FileChannel lock() throws IOException {
        // Of the environment, as a taken port is: a supervisor tries again, and a process that is still ending lets go.
        FileChannel file = CheckedFile.openLocked(
                        folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE)
                .orElseThrow(() -> new OrderedLogException(
                        Fault.ENVIRONMENT,
                        "another process is already member '" + settings.id() + "' of group '" + settings.group()
                                + "' with the data folder " + folder
                                + ", or has not ended yet; stop it, or start this one with another --id"));
        lockFile = file;
        return file;
    }

    /** True also where a failing disk does not tell. */
    private static boolean mayBeThere(Path path) {
        return !Files.notExists(path);
    }

    private OrderedLogException refuse(String message) {
        close();
        return new OrderedLogException(Fault.USER, message);
    }
}
