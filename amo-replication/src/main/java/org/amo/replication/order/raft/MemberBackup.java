package org.amo.replication.order.raft;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.amo.net.CheckedFile;

/**
 * Copies the folder of a member, which may run, into one file, and makes a group of one member from such a file
 * ({@code docs/wire/backup.md}). The copy is one cut of the group: everything up to a position of the log, with the records of calls.
 *
 * <p>The files are copied in an order in which each is at least as new as those that it rests on, so the copy is as a crash could have left
 * the folder. It is opened as a start would open it before it is packed: a backup that exists can be restored. Both methods need room for
 * a second copy beside the result. Any thread.
 */
public final class MemberBackup {
    private static final String HEAD = "amo-backup";
    private static final String VERSION = "1";
    private static final int TRIES = 3;
    private static final int BUFFER = 1 << 16;

    /**
     * Behind {@code executions} comes the log that it speaks of: a promise about an entry that the copy lacks would hold for another
     * entry. The witness comes before the entries, and the snapshot behind them: the log may be cut meanwhile.
     */
    private static final List<String> BESIDE_THE_LOG =
            List.of(MemberFolder.FIRST_MEMBERS, "settings", "divergence", "executions");

    private static final List<String> LOG = List.of(StateFile.NAME, EntryFile.NAME, SnapshotFile.NAME);

    private MemberBackup() {}

    /**
     * A copy.
     *
     * @param content of the member's log in it
     * @param bytes of the file
     */
    public record Summary(ForcedRecovery.Content content, long bytes) {}

    /** Does something with files. */
    private interface Work<T> {
        T run() throws IOException;
    }

    /**
     * Copies a folder into a file, which is there as a whole or not at all.
     *
     * @param folder DATA/GROUP/ID of a member with a log on disk
     * @param file does not exist yet
     * @throws OrderedLogException with cause and remedy in one line; then there is no file
     */
    public static Summary take(Path folder, Path file) {
        Path from = folder.toAbsolutePath().normalize();
        if (MemberFolder.wasInMemory(from) || !Files.exists(from.resolve(MemberFolder.FIRST_MEMBERS))) {
            throw new OrderedLogException(
                    Fault.USER,
                    folder
                            + " is no folder of a member with a log on disk; give DATA/GROUP/ID, with the DATA, GROUP and ID of its start");
        }
        if (Files.exists(file)) {
            throw new OrderedLogException(Fault.USER, file + " exists; give the backup another name");
        }
        String id = String.valueOf(from.getFileName());
        String group = String.valueOf(from.resolveSibling("").getFileName());
        Path target = file.toAbsolutePath();
        Path draft = target.resolveSibling(target.getFileName() + ".draft");
        Path packed = target.resolveSibling(target.getFileName() + ".part");
        return working("cannot write " + file, "make room, or give a file elsewhere", List.of(draft, packed), () -> {
            ForcedRecovery.Content content = copied(from, draft.resolve(group).resolve(id));
            pack(draft.resolve(group).resolve(id), group, id, packed);
            CheckedFile.rename(packed, target);
            return new Summary(content, Files.size(target));
        });
    }

    private static ForcedRecovery.Content copied(Path from, Path to) throws IOException {
        for (int attempt = 1; ; attempt++) {
            CheckedFile.deleteTree(to);
            copy(from, to);
            try (ForcedRecovery copy = ForcedRecovery.open(to)) {
                return copy.content();
            } catch (OrderedLogException e) {
                // Two snapshots may have been taken between two files.
                if (attempt == TRIES) {
                    throw new OrderedLogException(
                            e.fault(),
                            "no copy of " + from + " could be opened (" + e.getMessage()
                                    + "); try again, or check the stopped member with ./amo verify",
                            e);
                }
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Path log = MemberFolder.logFolder(to);
        CheckedFile.createFolders(log);
        for (String name : BESIDE_THE_LOG) {
            copyIfThere(from.resolve(name), to.resolve(name));
        }
        for (String name : LOG) {
            copyIfThere(MemberFolder.logFolder(from).resolve(name), log.resolve(name));
        }
        Files.createFile(to.resolve(MemberFolder.LOCK));
        cutAtTail(log);
    }

    /** The end was written while it was copied. The witness is older than that, so nothing that was acknowledged by then goes. */
    private static void cutAtTail(Path log) throws IOException {
        if (!Files.exists(log.resolve(StateFile.NAME)) || !Files.exists(log.resolve(EntryFile.NAME))) {
            return;
        }
        try (StateFile state = new StateFile(Disk.LOCAL, log);
                EntryFile entries = new EntryFile(Disk.LOCAL, log)) {
            LogScan scan = entries.scan();
            if (scan.broken && scan.last() >= state.now().acknowledged()) {
                entries.cutBehindLast();
            }
        }
    }

    private static void copyIfThere(Path from, Path to) throws IOException {
        // A file that is replaced meanwhile stays the one that was opened.
        try (FileChannel source = FileChannel.open(from, StandardOpenOption.READ);
                OutputStream target = Files.newOutputStream(to)) {
            Channels.newInputStream(source).transferTo(target);
        } catch (NoSuchFileException e) {
            if (!e.getFile().equals(from.toString())) {
                throw e;
            }
        }
    }

    private static void pack(Path folder, String group, String id, Path packed) throws IOException {
        try (FileChannel channel = FileChannel.open(packed, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                ZipOutputStream zip = new ZipOutputStream(Channels.newOutputStream(channel))) {
            List<Path> files = files(folder).stream().filter(Files::exists).toList();
            List<String> head = new ArrayList<>(List.of(VERSION, group, id));
            files.forEach(file -> head.add(file.getFileName().toString()));
            zip.putNextEntry(new ZipEntry(HEAD));
            zip.write(String.join("\n", head).getBytes(StandardCharsets.UTF_8));
            for (Path file : files) {
                zip.putNextEntry(new ZipEntry(file.getFileName().toString()));
                Files.copy(file, zip);
            }
            zip.finish();
            channel.force(true);
        }
    }

    /** Those that a copy may have; their names differ. */
    private static List<Path> files(Path folder) {
        return Stream.concat(
                        BESIDE_THE_LOG.stream().map(folder::resolve),
                        LOG.stream().map(MemberFolder.logFolder(folder)::resolve))
                .toList();
    }

    /**
     * Makes the folder of a member from a backup, as the only member of its group. A crash leaves no folder under its name.
     *
     * @param file that {@link #take} has written
     * @param data folder of members, in which the member must have none
     * @param address host and ports of the member from now on, under its id; empty for those of before
     * @throws OrderedLogException with cause and remedy in one line; then there is no folder of the member
     */
    public static Summary restore(Path file, Path data, Optional<Member> address) {
        Path draft = data.toAbsolutePath().normalize().resolve(".restoring");
        return working("cannot restore " + file, "is it a whole backup of amo?", List.of(draft), () -> {
            CheckedFile.deleteTree(draft);
            Path unpacked = unpack(file, draft);
            String id = unpacked.getFileName().toString();
            Path group = data.toAbsolutePath()
                    .normalize()
                    .resolve(unpacked.resolveSibling("").getFileName());
            if (Files.exists(group.resolve(id))) {
                throw new OrderedLogException(
                        Fault.USER,
                        group.resolve(id)
                                + " exists; a restored member needs another --data folder, and must never take the"
                                + " place of one that may still be needed");
            }
            ForcedRecovery.Content content;
            try (ForcedRecovery recovery = ForcedRecovery.open(unpacked)) {
                content = recovery.content();
                checkId(id, address);
                recovery.force(address);
            }
            CheckedFile.createFolders(group);
            CheckedFile.rename(unpacked, group.resolve(id));
            return new Summary(content, Files.size(file));
        });
    }

    private static void checkId(String id, Optional<Member> address) {
        address.filter(member -> !member.id().equals(id)).ifPresent(member -> {
            throw new OrderedLogException(
                    Fault.USER, "the backup is of member '" + id + "', not '" + member.id() + "'; keep its id");
        });
    }

    private static Path unpack(Path file, Path draft) throws IOException {
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(file))) {
            ZipEntry head = zip.getNextEntry();
            if (head == null || !head.getName().equals(HEAD)) {
                throw new ZipException("it is no backup of amo");
            }
            List<String> words = new String(zip.readNBytes(BUFFER), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            if (words.size() < 3 || !words.get(0).equals(VERSION)) {
                throw new ZipException("it is of another version of amo");
            }
            Path folder = draft.resolve(name(words.get(1))).resolve(name(words.get(2)));
            CheckedFile.createFolders(MemberFolder.logFolder(folder));
            unpack(zip, files(folder));
            List<String> names = words.subList(3, words.size());
            for (Path each : files(folder)) {
                if (names.contains(each.getFileName().toString()) && !Files.exists(each)) {
                    throw new EOFException("it lacks " + each.getFileName());
                }
            }
            Files.createFile(folder.resolve(MemberFolder.LOCK));
            CheckedFile.forceFolder(folder);
            return folder;
        }
    }

    private static void unpack(ZipInputStream zip, List<Path> files) throws IOException {
        for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
            String name = entry.getName();
            Path file = files.stream()
                    .filter(each -> each.getFileName().toString().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new ZipException("it has a file " + name));
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                    OutputStream out = Channels.newOutputStream(channel)) {
                zip.transferTo(out);
                channel.force(true);
            }
        }
    }

    /** A name of a group or member, which is no way out of the folder. */
    private static String name(String text) throws ZipException {
        if (!text.matches("[A-Za-z0-9_.-]{1,64}") || text.matches("\\.+")) {
            throw new ZipException("it names a member '" + text + "'");
        }
        return text;
    }

    private static <T> T working(String what, String remedy, List<Path> drafts, Work<T> work) {
        try {
            return work.run();
        } catch (FileAlreadyExistsException | EOFException | ZipException e) {
            throw new OrderedLogException(Fault.USER, what + " (" + e.getMessage() + "); " + remedy, e);
        } catch (IOException e) {
            throw new OrderedLogException(Fault.ENVIRONMENT, what + " (" + e + "); " + remedy, e);
        } finally {
            drafts.forEach(MemberBackup::deleteQuietly);
        }
    }

    private static void deleteQuietly(Path path) {
        try {
            CheckedFile.deleteTree(path);
        } catch (IOException e) {
            // A failure has been told, and a later call deletes it.
            path.toFile().deleteOnExit();
        }
    }
}
