package org.amo.core.order;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.amo.base.Stable;
import org.amo.core.request.Request;

/**
 * A log that all members of a group see in one order: the port to the group communication system.
 *
 * <p>A member submits entries and every member is told of each ordered one, once, with rising
 * positions, through its {@link LogListener}. Methods may be called from any thread and never block
 * longer than it takes to hand the bytes over, except {@link #start} and {@link #close}.
 */
@Stable
public interface OrderedLog extends AutoCloseable {

    /** The promise of a delivery; a replica accepts anything but UNIFORM only when it was named. */
    @Stable
    enum Guarantee {
        /** A delivered entry survives any minority of crashes; survivors never disagree. */
        UNIFORM,
        /** One order in the absence of crashes; an entry may be lost, or the order split, by one. */
        TOTAL,
        /** The order may be violated. Such a log takes and gives no snapshots. */
        QUASI_TOTAL
    }

    /** Longest entry, which every log carries: a request with the longest body, and the rest of its entry. */
    int MAX_ENTRY_BYTES = Request.MAX_BODY_BYTES + (1 << 20);

    Guarantee guarantee();

    /**
     * Joins the group and begins to deliver. Entries that this member kept from an earlier process are delivered again from
     * position 1 (or from the snapshot), before or after this method returns.
     *
     * @throws OrderedLogException when it cannot join; the message names cause and remedy in one line
     */
    void start(LogListener listener);

    /**
     * Asks for an entry to be ordered. It may be delivered, or {@link LogListener#onRejected} is
     * called, or neither is ever heard of it: then it may still be delivered later. The caller keeps
     * its own deadline and may submit the same content again.
     *
     * @param submission the caller's number for this submission, named in onRejected
     */
    void submit(long submission, byte[] entry);

    /**
     * Whether {@link #askReadIndex} finds positions for linearizable reads. Where it does not, reads are ordered as entries.
     * The same at all times.
     */
    default boolean findsReadIndexes() {
        return false;
    }

    /**
     * Asks for a position that covers every entry which was delivered at any member before this call. Either
     * {@link LogListener#onReadIndex} or {@link LogListener#onNoReadIndex} is called, or neither is ever heard of it. Costs no
     * entry. Ask again under the same number until the answer comes.
     *
     * @param question the caller's number, which no other question of this member has, in this process or an earlier one
     */
    default void askReadIndex(long question) {
        throw new UnsupportedOperationException("this log finds no read indexes");
    }

    /** The listener, which had no room ({@link LogListener#hasRoom}), has some again. */
    default void onRoom() {
        // Only a log that asks keeps entries meanwhile.
    }

    /** Sends a message to one member, outside the order, at most once, and perhaps not at all. */
    void send(String member, byte[] message);

    /**
     * Keeps a snapshot of this member and then forgets the entries up to its position. Blocks while it writes; one at a
     * time. Returns when the snapshot is as durable as the log.
     *
     * @return false if this log keeps no snapshots or has ended
     * @throws OrderedLogException when it cannot be written; nothing was forgotten then
     */
    default boolean compact(LogSnapshot snapshot) {
        return false;
    }

    /** Whether {@link #compact} does anything. */
    default boolean compacts() {
        return false;
    }

    /** The folder of the state that this member must read when it starts again; empty if it cannot start again. */
    default Optional<Path> folder() {
        return Optional.empty();
    }

    /**
     * Asks another member for a snapshot of at least that position, to begin anew from it. When it has come, this log ends
     * by itself, and the next start goes on from it. Ask again until then.
     *
     * @return false if snapshots do not come on demand here
     */
    default boolean takeStateOf(String member, long position) {
        return false;
    }

    /** How the log is on its disk. */
    default LogHealth health() {
        return LogHealth.SOUND;
    }

    /** The members as this one knows them; those of its settings where they never change. */
    default Optional<GroupMembers> members() {
        return Optional.empty();
    }

    /**
     * Changes the members, through the log, while calls run. Only the leader does it, one change at a time. A snapshot is taken by the
     * member that is asked ({@link LogListener#onSnapshotAsked}), and changes nothing.
     *
     * @return the members afterwards; or an {@link OrderedLogException} that gives the reason, or says that the outcome is
     *     unknown
     * @throws OrderedLogException when the members of this log never change
     */
    default CompletionStage<GroupMembers> changeMembers(MemberChange change) {
        throw new OrderedLogException(
                OrderedLogException.Fault.USER, "the members of this ordered log never change; use --order raft");
    }

    /** Leaves the group and stops deliveries. Does not throw. */
    @Override
    void close();
}
