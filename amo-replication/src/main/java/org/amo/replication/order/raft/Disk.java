package org.amo.replication.order.raft;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.amo.net.CheckedFile;

/** The file system under a member's log. */
interface Disk {
    /** Files of this machine. */
    Disk LOCAL = (file) ->
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);

    /** Whether a file is certainly missing. @throws IOException where the disk does not tell */
    static boolean isMissing(Path file) throws IOException {
        if (Files.notExists(file)) {
            return true;
        }
        if (Files.exists(file)) {
            return false;
        }
        throw new IOException("the disk does not tell whether there is " + file);
    }

    /** Opens a file for reading and writing; creates it if there is none. */
    FileChannel open(Path file) throws IOException;

    /** The bytes written to a file survive a loss of power when it returns. */
    default void force(FileChannel file, boolean metadata) throws IOException {
        file.force(metadata);
    }

    /** Gives a file another name, in place of the one that had it; survives a loss of power when it returns. */
    default void rename(Path from, Path to) throws IOException {
        CheckedFile.rename(from, to);
    }

    /** Files created, renamed and deleted in a folder stay so after a loss of power when it returns. */
    default void forceFolder(Path folder) throws IOException {
        CheckedFile.forceFolder(folder);
    }
}
