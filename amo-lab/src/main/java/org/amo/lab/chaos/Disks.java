package org.amo.lab.chaos;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.amo.cli.CliException;
import org.amo.lab.cluster.ExternalCommand;
import org.amo.lab.cluster.WorkFolder;

/**
 * A small disk for each replica's data, which can be filled: a file system in a file where this user may mount one,
 * else in memory (where fsync costs and proves nothing). Mounts are seen by this run alone and vanish with it.
 */
final class Disks {
    /** Room beyond the log of a run. */
    private static final long ROOM_MEGABYTES = 96;

    private static final long BY_HAND_BYTES = 4 << 20;
    private static final int BLOCK_BYTES = 1024;
    private static final long MEGABYTES_PER_SECOND = 1;

    private final WorkFolder folder;
    private final long megabytes;
    private final List<Path> mounted = new CopyOnWriteArrayList<>();

    Disks(WorkFolder folder, long durationMillis) {
        this.folder = folder;
        this.megabytes = ROOM_MEGABYTES + MEGABYTES_PER_SECOND * durationMillis / 1_000;
    }

    /** The disk of one replica; empty if none can be made here. */
    Optional<Path> make(String replica) {
        Path disk = path(replica);
        try {
            Files.createDirectories(disk);
        } catch (IOException e) {
            throw CliException.environment("cannot make " + disk + " (" + e.getMessage() + ")");
        }
        if (mountFile(replica, disk) || mountMemory(disk)) {
            mounted.add(disk);
            return Optional.of(disk);
        }
        return Optional.empty();
    }

    /** From now on nothing more can be written there. */
    void fill(String replica) {
        Path disk = path(replica);
        try {
            // Most of it at once, and the rest until the disk says that it is full: a file's own index takes room too.
            long room = Files.getFileStore(disk).getUsableSpace() - BY_HAND_BYTES;
            if (room > 0) {
                ExternalCommand.run(
                        "fallocate",
                        "--length",
                        Long.toString(room),
                        ballast(disk).toString());
            }
            writeUntilFull(ballast(disk));
        } catch (IOException e) {
            throw CliException.environment("cannot fill " + disk + " (" + e.getMessage() + ")");
        }
    }

    private static void writeUntilFull(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            boolean full = false;
            while (!full) {
                full = !write(channel);
            }
        }
    }

    private static boolean write(FileChannel channel) {
        try {
            return channel.write(ByteBuffer.allocate(BLOCK_BYTES)) > 0;
        } catch (IOException noRoom) {
            return false;
        }
    }

    void empty(String replica) {
        try {
            Files.deleteIfExists(ballast(path(replica)));
        } catch (IOException e) {
            throw CliException.environment("cannot make room on " + path(replica) + " (" + e.getMessage() + ")");
        }
    }

    /** The work folder can be removed only without them. May be called from any thread. */
    void unmountAll() {
        mounted.forEach(disk -> attempt("umount", "--lazy", disk.toString()));
        mounted.clear();
    }

    private boolean mountFile(String replica, Path disk) {
        String image = folder.file("disk-" + replica + ".img").toString();
        return attempt("truncate", "--size", megabytes + "M", image)
                && attempt("mkfs.ext4", "-q", "-F", "-m", "0", image)
                && attempt("mount", "-o", "loop", image, disk.toString());
    }

    private boolean mountMemory(Path disk) {
        return attempt("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", disk.toString());
    }

    private Path path(String replica) {
        return folder.file("disk-" + replica);
    }

    private static Path ballast(Path disk) {
        return disk.resolve("ballast");
    }

    private static boolean attempt(String... words) {
        try {
            ExternalCommand.run(words);
            return true;
        } catch (CliException e) {
            return false;
        }
    }
}
