package org.amo.replication.order.raft;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.LogTail;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;
import org.jgroups.protocols.raft.InternalCommand;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Makes one member that is left the only one of its group, when a majority of the members is lost for good
 * ({@code docs/decisions/0110-forced-recovery.md}).
 *
 * <p>The removal of all others is written behind the member's log, and its whole log counts as committed from then on. The next start
 * executes it, and the group has one member. What the lost members acknowledged and this one does not have is lost. The ids of the lost
 * members do not come back, as those of any removed member.
 *
 * <p>A crash in {@link #force} leaves the log of before, or one with a removal that is not committed; force it again then. One thread.
 */
public final class ForcedRecovery implements AutoCloseable {
    private final MemberFiles folder;
    private final CheckedFileLog log;
    private final Content content;

    /**
     * The content of the member's log.
     *
     * @param group of the member
     * @param member with its address
     * @param position of its last entry, as in the status of a member
     * @param entries that it has behind those known to be committed: some may be in no answer, and all will be executed
     * @param lost the members that will be removed
     */
    public record Content(String group, Member member, long position, long entries, List<Member> lost) {
        public Content {
            lost = List.copyOf(lost);
        }

        /** Whether the member is alone, and its whole log counts: there is nothing to force. */
        public boolean isDone() {
            return lost.isEmpty() && entries == 0;
        }
    }

    private ForcedRecovery(MemberFiles folder, CheckedFileLog log, Content content) {
        this.folder = folder;
        this.log = log;
        this.content = content;
    }

    /**
     * Opens the log of a member that does not run, and keeps it from starting until {@link #close}. A part that a crash left is cut off, as
     * at a start.
     *
     * @param path DATA/GROUP/ID
     * @throws OrderedLogException with cause and remedy in one line: it is no folder of a member, its member runs or was removed, or its log
     *     is damaged
     */
    public static ForcedRecovery open(Path path) {
        MemberFiles folder = MemberFiles.open(path);
        CheckedFileLog log = null;
        try {
            folder.refuseDamage();
            Path absolute = path.toAbsolutePath().normalize();
            log = new CheckedFileLog(MemberFolder.logFolder(absolute), true, Disk.LOCAL, new LogTail(), false);
            return new ForcedRecovery(folder, log, content(absolute, log));
        } catch (IOException e) {
            close(folder, log);
            throw new OrderedLogException(Fault.ENVIRONMENT, "cannot read " + path + ": " + e.getMessage(), e);
        } catch (RuntimeException | Error e) {
            close(folder, log);
            throw e;
        }
    }

    private static Content content(Path folder, CheckedFileLog log) throws IOException {
        Optional<SnapshotFile.Stored> snapshot = new SnapshotFile(MemberFolder.logFolder(folder)).read();
        Configuration now = snapshot.isPresent()
                ? snapshot.get().head().configuration()
                : new Configuration(0, firstMembers(folder));
        long position = snapshot.map(stored -> stored.head().position()).orElse(0L);
        long covered = snapshot.map(stored -> stored.head().index()).orElse(0L);
        for (long index = covered + 1; index <= log.lastAppended(); index++) {
            LogEntry entry = log.get(index);
            if (entry == null) {
                throw new IOException("entry " + index + " is missing");
            }
            if (entry.internal()) {
                now = MemberCommand.of(entry).applyTo(now);
            } else {
                position++;
            }
        }
        String id = folder.getFileName().toString();
        Member self = now.members().stream()
                .filter(member -> member.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new OrderedLogException(
                        Fault.USER,
                        "member '" + id + "' was removed from its group; recover the folder of another member"));
        List<Member> others =
                now.members().stream().filter(member -> !member.equals(self)).toList();
        String group = String.valueOf(folder.resolveSibling("").getFileName());
        return new Content(group, self, position, log.lastAppended() - log.commitIndex(), others);
    }

    private static List<Member> firstMembers(Path folder) throws IOException {
        return Member.parseList(StandardCharsets.UTF_8
                .decode(MemberFolder.firstMembersFile(folder).read().orElseThrow())
                .toString());
    }

    /** As it was found. */
    public Content content() {
        return content;
    }

    /**
     * Returns when the group has this member alone, also after a loss of power. Also behind an earlier call that a crash has interrupted.
     *
     * @param address its host and ports from now on; empty for those of before. Its id is the same
     */
    public void force(Optional<Member> address) {
        List<byte[]> changes = new ArrayList<>();
        content.lost.forEach(member -> changes.add(EntryFrame.memberChange(false, member)));
        address.filter(wanted -> !wanted.equals(content.member))
                .ifPresent(wanted -> changes.add(EntryFrame.memberChange(true, wanted)));
        if (changes.isEmpty()) {
            log.keepCommitIndex(log.lastAppended());
            return;
        }
        // On disk before its first entry, as every term is.
        long term = log.currentTerm() + 1;
        log.currentTerm(term);
        LogEntries entries = new LogEntries();
        changes.forEach(command -> entries.add(new LogEntry(term, command, 0, command.length, true)));
        log.keepCommitIndex(log.append(log.lastAppended() + 1, entries));
    }

    @Override
    public void close() {
        close(folder, log);
    }

    private static void close(MemberFiles folder, @Nullable CheckedFileLog log) {
        try (folder) {
            if (log != null) {
                log.close();
            }
        } catch (IOException e) {
            throw new OrderedLogException(Fault.ENVIRONMENT, "cannot close the log (" + e + ")", e);
        }
    }

    /** jgroups-raft tells the name in a command to its subclasses alone. */
    private static final class MemberCommand extends InternalCommand {
        private static MemberCommand of(LogEntry entry) throws IOException {
            MemberCommand command = new MemberCommand();
            command.readFrom(new ByteArrayDataInputStream(entry.command(), entry.offset(), entry.length()));
            return command;
        }

        private Configuration applyTo(Configuration now) {
            return switch (type) {
                case addServer -> now.with(member());
                case removeServer -> now.without(member().id());
                case noop -> now;
            };
        }

        private Member member() {
            return Member.parseList(name).get(0);
        }
    }
}
