package org.amo.replication.service;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.amo.base.ClientId;
import org.amo.net.CheckedFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder by which a client knows the open calls of its former lives. Each life draws a client id of its own and has a
 * {@link CallJournal} of its own. So no life can use a number of another one, even if the folder comes from a copy
 * (docs/decisions/0136-an-identity-is-the-open-calls.md). While it is open no other process can open it. One thread at a time may
 * use it.
 */
final class ClientIdentity implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(ClientIdentity.class);
    private static final String PREFIX = "calls-";
    private static final int MOST_DIGITS = 18;

    private final FileChannel lock;
    private final CallJournal present;
    private final List<CallJournal> former;
    private boolean closed;

    private ClientIdentity(FileChannel lock, CallJournal present, List<CallJournal> former) {
        this.lock = lock;
        this.present = present;
        this.former = former;
    }

    /**
     * Opens the folder for a new life.
     *
     * @throws IOException in one line if another client has it, or a file of it cannot be used
     */
    static ClientIdentity open(Path folder, String group, ClientId id) throws IOException {
        boolean isNew = !Files.isDirectory(folder);
        CheckedFile.createFolders(folder);
        if (isNew) {
            closeToOthers(folder);
        }
        FileChannel lock = CheckedFile.openLocked(
                        folder.resolve("lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)
                .orElseThrow(() -> new IOException("the identity " + folder
                        + " belongs to a client that is running; end it, or give this client a folder of its own"));
        List<CallJournal> former = new ArrayList<>();
        try {
            SortedMap<Long, Path> lives = lives(folder);
            for (Path file : lives.values()) {
                Optional<CallJournal> life = CallJournal.open(file, group);
                if (life.isEmpty()) {
                    Files.delete(file);
                } else if (life.get().openCalls().isEmpty()) {
                    life.get().delete();
                } else {
                    former.add(life.get());
                }
            }
            long number = lives.isEmpty() ? 1 : lives.lastKey() + 1;
            Path file = folder.resolve(PREFIX + number);
            return new ClientIdentity(
                    lock, CallJournal.create(file, group, id, CallJournal.LEAST_REPLACED_BYTES), former);
        } catch (IOException | RuntimeException | Error e) {
            for (CallJournal each : former) {
                each.close();
            }
            lock.close();
            throw e;
        }
    }

    /** The ids in the files are credentials. */
    private static void closeToOthers(Path folder) throws IOException {
        FileStore store = Files.getFileStore(folder);
        if (store.supportsFileAttributeView(PosixFileAttributeView.class)) {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        }
    }

    private static SortedMap<Long, Path> lives(Path folder) throws IOException {
        SortedMap<Long, Path> lives = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                String name = String.valueOf(file.getFileName());
                String digits = name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : "";
                if (!digits.isEmpty()
                        && digits.length() <= MOST_DIGITS
                        && digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
                    lives.put(Long.parseLong(digits), file);
                }
            }
        }
        return lives;
    }

    /** Of this life. */
    CallJournal present() {
        return present;
    }

    /** Of former lives with open calls, the oldest first; none once this is closed. */
    List<CallJournal> former() {
        return closed ? List.of() : List.copyOf(former);
    }

    /** All calls of a former life are finished. */
    void recovered(CallJournal life) throws IOException {
        former.remove(life);
        life.delete();
    }

    /** Gives the folder back. The file of this life stays if it has open calls. */
    @Override
    public void close() {
        if (closed) {
            // The folder may be another client's by now.
            return;
        }
        closed = true;
        try (lock) {
            for (CallJournal each : former) {
                each.close();
            }
            if (present.openCalls().isEmpty()) {
                present.delete();
            } else {
                present.close();
            }
        } catch (IOException e) {
            LOG.warn("cannot close the client's identity: {}", e.toString());
        }
    }
}
