package org.amo.core.order;

import java.util.concurrent.CompletionStage;

/**
 * Receives the events of the ordered log. {@link #onDelivered} calls come from one thread at a time, in order of position;
 * the other methods may come from any thread. None may block for long.
 */
public interface LogListener {

    /**
     * The entry at the next position.
     *
     * @param position 1, 2, 3 …; positions that the log uses for itself are left out, so they may have gaps
     */
    void onDelivered(long position, byte[] entry);

    /**
     * Whether the next entry can be taken now. A log that asks keeps the entries meanwhile, and goes on when it is told by
     * {@link OrderedLog#onRoom}; with a log that does not ask, {@link #onDelivered} waits for room. Any thread.
     */
    default boolean hasRoom() {
        return true;
    }

    /**
     * Everything up to the snapshot's position is replaced by it; deliveries go on behind it. Called like
     * {@link #onDelivered}, and may block until it is in place.
     *
     * @throws RuntimeException when it cannot be put in place: this member stops
     */
    default void onSnapshot(LogSnapshot snapshot) {
        throw new UnsupportedOperationException("no snapshots here");
    }

    /** That member needs a snapshot of that position or a later one, and this member has none yet. */
    default void onStateWanted(String member, long position) {
        // Only those that take snapshots can help.
    }

    /**
     * An operator asks this member for a snapshot of its present position or a later one.
     *
     * @return done when it is on disk; or an {@link OrderedLogException} that gives the reason
     */
    default CompletionStage<Void> onSnapshotAsked() {
        throw new UnsupportedOperationException("no snapshots here");
    }

    /** The members of the group from here on, in the order of the log; also told when the log starts. */
    default void onMembers(GroupMembers members) {
        // Only some need to know.
    }

    /** This submission certainly was not and will not be ordered. */
    void onRejected(long submission);

    /**
     * The answer to {@link OrderedLog#askReadIndex}: each entry that any member had delivered before the question is at this position
     * or before it.
     */
    default void onReadIndex(long question, long position) {
        // Only a listener that asks is told.
    }

    /** No position is to be had now, for want of a leader that can prove that it leads. */
    default void onNoReadIndex(long question) {
        // As above.
    }

    /** The present leader; the empty string while none is known. */
    void onLeader(String member);

    /** A message that another member sent with {@link OrderedLog#send}. */
    void onMessage(String member, byte[] message);

    /**
     * The log ended by itself, not by {@link OrderedLog#close}, and delivers nothing more. At most once.
     *
     * @param why one line: the cause and the remedy
     */
    void onEnded(OrderedLogException why);
}
