package org.amo.core.replica;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.amo.core.request.Request;

/**
 * Where requests are really executed. Called from one thread, in the order of the log, once for each
 * request that the group decided to run. With {@link ReplicaSettings#executors} above 1, requests without a common key ({@link #keys})
 * run in several threads at the same time, and nothing else is called meanwhile but {@link #keys}, {@link #skipped} and
 * {@link #operation}.
 */
public interface ServantPort {
    /** Longest update of style passive ({@link #takeUpdate}), if all members have the heap for it. */
    int MAX_UPDATE_BYTES = 1 << 30;

    /**
     * Runs a request against the real servant.
     *
     * @param position of the entry in the ordered log
     * @param orderedTimeMillis the group's time at that position
     * @return the reply, which must be byte-identical at every replica; exceptions of the servant are
     *     replies too and are encoded in it. Empty for a oneway. Not changed afterwards
     * @throws RuntimeException a defect of the port: this member ends, and runs the request again when it is started
     */
    byte[] execute(long position, long orderedTimeMillis, Request request);

    /**
     * The same with all that the order tells of the request, the seed of its random numbers too. A port around another one
     * hands it on; a port that needs no more than {@link #execute(long, long, Request)} leaves this as it is.
     */
    default byte[] execute(Execution execution) {
        return execute(execution.position(), execution.orderedTimeMillis(), execution.request());
    }

    /**
     * Reads the state between two executions; called like {@link #execute}, at one member alone. Must not change the state.
     *
     * @param position of the last executed entry
     * @param orderedTimeMillis the group's time there
     * @return the result, as {@link #execute} gives a reply
     */
    default byte[] read(long position, long orderedTimeMillis, byte[] body) {
        throw new UnsupportedOperationException("this servant has no reads");
    }

    /** Whether {@link #read} works: if not, reads are ordered as requests. Asked once. */
    default boolean hasReads() {
        return false;
    }

    /**
     * The reply to a request that the group skipped, since it ended members that ran it: it did not run and never will.
     * Called like {@link #execute}, in its place; touches no state, and gives the same bytes at every replica.
     */
    default byte[] skipped(Request request) {
        return new byte[0];
    }

    /**
     * Style passive: the reply to a request that has run at this member alone, and whose effects on the servant's state no member has,
     * since it gave no update of the state behind it. Called like {@link #execute}. A servant with updates must override it: an empty
     * reply would look like that of a call that succeeded.
     *
     * @param why in one line of a few hundred characters
     */
    default byte[] undone(Request request, String why) {
        throw new IllegalStateException(
                "this servant gives updates, and no reply to a request that is undone: override undone; " + why);
    }

    /** Whether operations set timers that fire by the group's time ({@link #fireTimer}). Asked once. */
    default boolean hasTimers() {
        return false;
    }

    /**
     * Fires the first timer. Called like {@link #execute}, before the requests of an entry, as long as {@link #nextTimerMillis} is
     * not behind the time of the entry, and only if {@link #hasTimers}.
     *
     * @param place that no other timer and no request has
     * @param orderedTimeMillis the group's time at that position
     */
    default void fireTimer(Place place, long orderedTimeMillis) {
        throw new IllegalStateException("this servant has no timers: place=" + place);
    }

    /**
     * The group skips the first timer, since it ended members when it fired. It never fires; a periodic one does not fire again
     * either. Called in the place of {@link #fireTimer}.
     */
    default void dropTimer() {
        throw new IllegalStateException("this servant has no timers");
    }

    /**
     * The group's time at which the next timer is due; empty if none is pending. Called like {@link #execute}. While one is pending the
     * state cannot be taken.
     */
    default OptionalLong nextTimerMillis() {
        return OptionalLong.empty();
    }

    /**
     * The parts of the state that a request may touch, by the equality of these objects. Requests with a common key run in the order of
     * the log, others may run at the same time. Members may give other keys at other moments if the results are the same. Empty if the
     * parts are not known: the request runs alone. Any thread.
     */
    default Set<Object> keys(Request request) {
        return Set.of();
    }

    /** The operation of a request, for a message to the operator; empty if it is not known. Any thread. */
    default String operation(Request request) {
        return "";
    }

    /**
     * Whether its operations commute: run in another order they lead to the same state, and no reply tells the order. Only
     * such a servant runs over an ordered log that may violate the order.
     */
    default boolean isCommutative() {
        return false;
    }

    /**
     * The servant's state between two executions, for a snapshot; called like {@link #execute}, which it delays.
     * Empty when it offers none: then the log is never cut, and a member that starts runs all of it.
     */
    default Optional<byte[]> takeState() {
        return Optional.empty();
    }

    /**
     * A digest of the servant's state between two executions, by which members are compared; called like {@link #execute}, which
     * it delays. Equal states must give equal digests at every member. Empty when it offers none.
     */
    default OptionalLong stateDigest() {
        return OptionalLong.empty();
    }

    /**
     * A mark stands here, behind all executions so far. Called like {@link #execute}, at every mark, if {@link #hasStateDigest}.
     *
     * @param due whether the digest is wanted
     * @return the digest of the state, or of the parts of it that requests since the mark before may have changed. Equal states must give
     *     equal digests at every member. Empty if it is not due, or cannot be given
     */
    default OptionalLong digestAtMark(boolean due) {
        return due ? stateDigest() : OptionalLong.empty();
    }

    /** Whether {@link #stateDigest} or {@link #digestAtMark} may give one: if not, no execution waits for it. Asked once. */
    default boolean hasStateDigest() {
        return true;
    }

    /**
     * Puts the servant into a state that {@link #takeState} gave at some member; called like {@link #execute}.
     *
     * @throws IllegalStateException in one line when it cannot: the replica must not go on
     */
    default void restoreState(byte[] state) {
        throw new IllegalStateException("this servant takes no state");
    }

    /**
     * Style passive: the update of the servant's state since the last one that was taken or applied here, or since
     * {@link #restoreState}. By default all of the state. Called like {@link #execute}. Empty if the servant offers none.
     */
    default Optional<byte[]> takeUpdate() {
        return takeState();
    }

    /**
     * Style passive: brings the servant to the state behind an update of another member; called like {@link #execute}, in the
     * order of the log.
     *
     * @throws IllegalStateException in one line when it cannot: this member takes the state of another one
     */
    default void applyUpdate(byte[] update) {
        restoreState(update);
    }

    /**
     * The reason why the servant gives no state, which style passive needs, and the remedy, in one line; empty if it gives
     * one, or if that is not known at the start.
     */
    default Optional<String> stateObstacle() {
        return Optional.empty();
    }
}
