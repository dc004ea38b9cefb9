package org.amo.core.replica;

import java.util.List;
import java.util.Optional;
import org.amo.core.replica.ReplicatedService.AnswerListener;
import org.amo.core.request.Answer;

/** Carries out the effects of a {@link Replica}. None of these may call back into it; the shell queues their results. */
public interface ReplicaEffects {

    /** Submit an entry to the ordered log. */
    void submit(long submission, byte[] entry);

    /** An entry that this process submitted is delivered. */
    default void delivered(long submission) {}

    /** The entry at this position has this time; the executions of the entry follow. Not before the group has a time. */
    default void reached(long position, long orderedTimeMillis) {}

    /** Run these, in order, after all that were given before; each is answered by {@link Replica#onExecuted}. */
    void execute(List<Execution> executions);

    /**
     * Draw the seed of an entry with requests, which is submitted once: 32 bytes that nothing can predict, and never the same
     * ones again. Empty if operations draw from the group's key.
     */
    default Optional<byte[]> drawSeed() {
        return Optional.empty();
    }

    /** Answer one attempt. */
    void answer(AnswerListener copy, Answer answer);

    /**
     * Ask the log for a read index ({@link org.amo.core.order.OrderedLog#askReadIndex}), perhaps again under the same number:
     * answered by {@link ReplicaReads#onIndex} or {@link ReplicaReads#onNoIndex}.
     */
    default void askReadIndex(long question) {}

    /**
     * Run these reads behind all executions that were given, and before later ones; their listeners hear the results.
     *
     * @param position of the state that they read
     * @param orderedTimeMillis the group's time there
     */
    default void runReads(List<ReplicatedService.Read> reads, long position, long orderedTimeMillis) {}

    /** Answer a read that does not run. */
    default void answerRead(ReplicatedService.Read read, ReplicatedService.ReadAnswer answer) {
        read.listener().accept(answer);
    }

    /** Send a message to another member; it may get lost. */
    void send(String member, byte[] message);

    /**
     * Attempts wait, although they could go, for others that may come at once: call {@link Replica#onGathered} when none has
     * come for a moment. Without that the next tick lets them go.
     */
    default void gather() {}

    /**
     * The first entry of this process has been delivered.
     *
     * @param position of that entry; earlier processes executed nothing behind it
     */
    default void takesPart(long position) {}

    /**
     * Do not begin this request, nor any behind it, until {@link #skip}. If it has not begun, say so by
     * {@link Replica#onHeld}, once a restart of this process would not begin it either; otherwise say nothing.
     */
    default void hold(Place place) {}

    /**
     * The group skips this request: its reply is {@link ServantPort#skipped}, also after a restart of this process. Where
     * it has begun or run in this process, the servant's state is worth nothing, and the process begins anew without it.
     */
    default void skip(Place place) {}

    /**
     * Other members executed a request that this one holds: take the state of one of them from behind it. Asked again
     * while it is held.
     */
    default void takeStateBehind(Place place, List<String> executedBy) {}

    /**
     * Execute a held request again, as if it had ended no process: the group never skips it, and no member has a state behind
     * it, or can give one while timers are pending. Perhaps asked again while the request is held.
     */
    default void letGo(Place place) {}

    /** These members have not reported the outcome of a request that ended members: the group waits for them. Called once. */
    default void waitsForWord(Place place, String members) {}

    /**
     * A mark stands at this position: answer by {@link Replica#onMarkedState} with a digest of the servant's state behind the
     * executions given so far and before later ones, or with none. The vote of this member waits for that.
     */
    default void digestState(long position) {}

    /**
     * A majority has other digests at a mark. This member answers no client from here on, and does so neither after a
     * restart, until {@link #trusted}: remember it, and hand it to {@link Replica#distrust} at the next start.
     *
     * @param majority members with another state, at least one
     */
    default void diverged(long mark, List<String> majority) {}

    /** The first difference between this diverged member and the majority. Once, some time after {@link #diverged}. */
    default void firstDifference(FirstDifference difference, List<String> majority) {}

    /** This member asked that one for its state, which it can give once no timer of an operation is pending there. */
    default void timersPending(String donor) {}

    /** The digests of this member, which had diverged, are those of the majority. */
    default void trusted() {}

    /**
     * The members' digests at a mark differ, and none has a majority.
     *
     * @param votes by member, for the operator
     */
    default void disputed(long mark, String votes) {}

    /**
     * The first difference between this member and another one, some time after {@link #disputed}: without a majority neither of
     * the two is known to be right.
     */
    default void firstDisputed(FirstDifference difference, String other) {}

    /** After {@link #disputed}, a majority agrees again. */
    default void agreed() {}

    /**
     * This member has another value of a setting than a majority of the members, or, without a majority, than the leader: it
     * must not take part. Called once.
     *
     * @param setting its name
     * @param others members with the other value
     */
    default void settingDiffers(String setting, String here, String there, List<String> others) {}

    /**
     * The running operation waits in this nested call, and this member is to send it: answer by
     * {@link OperationEvents#onNestedIdentity}.
     *
     * @param number of the call in the operation, from 0
     * @param leftMillis until the deadline of the request, more than 0
     */
    default void identifyNested(Place place, int number, long leftMillis) {}

    /**
     * Send the nested call in which the running operation waits: answer by {@link OperationEvents#onNestedSent}. Once for each call in
     * a process.
     *
     * @param identity as it was ordered; empty if no other process may send the call
     * @param leftMillis until the deadline of the request, at least 1
     */
    default void sendNested(Place place, int number, Optional<byte[]> identity, long leftMillis) {}

    /** The result of the nested call in which the running operation waits; empty if it is unknown, at every member. */
    default void nestedResult(Place place, int number, Optional<byte[]> result) {}

    /**
     * Style passive: from here on the executions that were given run here, each answered by {@link Replica#onRun}, or they wait
     * for the outcome that another member orders. In style active they run at once.
     */
    default void runAsPrimary(boolean primary) {}

    /**
     * Style passive: the group has accepted the outcome of the next executions. Answer by {@link Replica#onExecuted} with these
     * replies, once the servant's state is that behind them.
     *
     * @param update brings the servant's state there
     * @param own whether the servant of this process has executed them, so that its state needs no update
     */
    default void accepted(List<Execution> executions, List<byte[]> replies, byte[] update, boolean own) {}

    /**
     * Style passive: the same for executions that change no state, since the member that ran them gave no update of it. The servant's state
     * stays as it is.
     *
     * @param own whether the servant of this process has executed them: its state is worth nothing, and the process begins anew
     */
    default void acceptedUndone(List<Execution> executions, List<byte[]> replies, boolean own) {}

    /** Style passive: so many bytes of a large outcome are gathered here, which the group may accept later. */
    default void gathers(long bytes) {}

    /**
     * Style passive: this process has executed a request whose accepted outcome is that of another member. Its state is worth
     * nothing, and the process begins anew.
     */
    default void beginAnew(Place place) {}

    /** The group was started in another style than this member. It must not take part. */
    default void styleDiffers() {}

    /**
     * The group is at a feature level that this member's build does not speak, from the next entry on or in a snapshot. The replica
     * applies neither, and no further entry: the member must end. Called once.
     *
     * @param obstacle the cause and the remedy, behind the name of this member
     */
    default void levelNotSpoken(int ofGroup, String obstacle) {}

    /**
     * The group runs with other parameters than this member was given: its start was too late to set them.
     *
     * @param ofGroup the parameters that hold
     */
    void parametersDiffer(GroupParameters ofGroup);
}
