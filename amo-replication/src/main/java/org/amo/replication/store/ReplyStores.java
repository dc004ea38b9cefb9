package org.amo.replication.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.reply.RecordMemory;
import org.amo.core.reply.ReplyStore;
import org.amo.core.reply.RowPages;
import org.amo.core.reply.Shares;
import org.amo.net.CheckedFile;

/** Opens the reply store that a member's settings name. */
public final class ReplyStores {
    private static final String REMEDY = "start the member through ./amo wrap server --store chronicle, or put"
            + " net.openhft:chronicle-map on its class path and run it on a JDK with " + String.join(" ", jvmOptions());

    /** Replies may take this part of the largest heap before they go to the file. */
    private static final int HEAP_PART = 8;

    /** Without a store outside the heap, replies may take this part of it before long ones go to files. */
    private static final int HEAP_STORE_PART = 4;

    /** The records of clients may take this part of it, without their replies. */
    private static final int RECORDS_PART = 4;

    /** How many times the budget of the group the files may hold. */
    private static final long FILE_FACTOR = 8;

    private static final long FILE_BYTES = 64L << 20;

    private ReplyStores() {}

    /**
     * Opens empty memory for the records of one member; earlier records come back with the log or a snapshot.
     *
     * @param incarnation of the member's process
     * @throws OrderedLogException when Chronicle Map is not there or cannot run in this virtual machine, or when the data folder
     *     takes no file; one line
     */
    public static RecordMemory open(ReplicaSettings settings, long incarnation) {
        return switch (settings.store()) {
            case HEAP ->
                new RecordMemory(
                        incarnation, heap(settings, settings.folder()), RowPages.HEAP, Shares::new, part(RECORDS_PART));
            case CHRONICLE -> {
                Path folder = settings.folder();
                make(folder);
                ReplyStore replies = chronicle(settings, folder);
                yield new RecordMemory(incarnation, replies, rows(folder, replies), Shares::new, part(RECORDS_PART));
            }
        };
    }

    /** Before the log has its folder. A folder that is there counts as one that survives a loss of power. */
    private static void make(Path folder) {
        try {
            CheckedFile.createFolders(folder);
        } catch (IOException e) {
            throw noFile(folder, e);
        }
    }

    /**
     * The length of a reply is known when its request has run, so the requests that are under way can pass any limit: what does
     * not fit goes to files.
     */
    private static ReplyStore heap(ReplicaSettings settings, Path folder) {
        long most = part(HEAP_STORE_PART);
        long room = FILE_FACTOR * settings.parameters().budgetBytes();
        return new SpilledReplies(most, new FileReplies(folder, room, FILE_BYTES), most);
    }

    private static long part(int divisor) {
        return Runtime.getRuntime().maxMemory() / divisor;
    }

    /** Options of the virtual machine that Chronicle Map needs, on JDK 17 and 25. */
    public static List<String> jvmOptions() {
        return List.of(
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
                "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
                "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
                "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
                // It greets on standard error and asks for an address to write to.
                "-Dchronicle.announcer.disable=true");
    }

    private static ReplyStore chronicle(ReplicaSettings settings, Path folder) {
        long heapBytes = Long.getLong("amo.heapReplyBytes", part(HEAP_PART));
        try {
            return new SpilledReplies(
                    heapBytes,
                    ChronicleReplies.inFolder(
                            folder,
                            settings.parameters().budgetBytes(),
                            settings.parameters().replyAllowanceBytes()));
        } catch (LinkageError | RuntimeException e) {
            throw chronicleCannotRun(folder, e);
        }
    }

    /** The cause is the disk, or else the class, the options or the compiler that it needs at run time: each tells in its own way. */
    static OrderedLogException chronicleCannotRun(Path folder, Throwable thrown) {
        Optional<IOException> ofDisk = DiskErrors.rootOf(thrown);
        return ofDisk.isPresent()
                ? noFile(folder, ofDisk.get())
                : new OrderedLogException(
                        OrderedLogException.Fault.USER,
                        "amo.store=chronicle cannot run here (" + thrown + "); " + REMEDY,
                        thrown);
    }

    private static RowPages rows(Path folder, ReplyStore replies) {
        try {
            return MappedRows.in(folder);
        } catch (UncheckedIOException e) {
            replies.close();
            throw chronicleCannotRun(folder, e);
        }
    }

    private static OrderedLogException noFile(Path folder, IOException why) {
        return new OrderedLogException(
                OrderedLogException.Fault.ENVIRONMENT,
                "amo.store=chronicle cannot make its files (" + why + "); make room in " + folder
                        + ", or let this user write there, then start the member again",
                why);
    }
}
