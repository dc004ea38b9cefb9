package org.amo.core.replica;

import java.util.List;
import org.amo.core.replica.ReplicatedService.AnswerListener;
import org.amo.core.request.Answer;

/** What a {@link Replica} wants done. None of these may call back into it; the shell queues what comes of them. */
public interface ReplicaEffects {

    /** Submit an entry to the ordered log. */
    void submit(long submission, byte[] entry);

    /** Run these, in order, after all that were given before; each is answered by {@link Replica#onExecuted}. */
    void execute(List<Execution> executions);

    /** Answer one copy. */
    void answer(AnswerListener copy, Answer answer);

    /** Send a message to another member; it may get lost. */
    void send(String member, byte[] message);

    /**
     * Copies wait, although they could go, for others that may come at once: call {@link Replica#onGathered} when none has
     * come for a moment. Without that the next tick lets them go.
     */
    default void gather() {}

    /**
     * The group runs with other parameters than this member was given: its start was too late to set them.
     *
     * @param ofGroup what holds
     */
    void parametersDiffer(GroupParameters ofGroup);
}
