package org.amo.replication.rpc;

import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.amo.base.wire.MalformedFrameException;

/**
 * Answers questions at one member, outside its group's order. A question has no number and no record: it may be asked any
 * number of times, be lost, and be answered by any member. The transport's thread makes all calls.
 */
public interface RpcQuestions {
    /** Of a question and of its answer. */
    int MAX_BYTES = 4_096;

    /** Before the first question. {@code owner} is the thread that asks; it must not be held up. */
    void onStart(ScheduledExecutorService owner);

    /**
     * A question of a client that proved itself.
     *
     * @param answer takes the answer once, from any thread; empty if this member has none
     * @throws MalformedFrameException if it is none that clients ask here. It has no answer then, and the log tells of the client. Any
     *     other exception has the same effect
     */
    void onQuestion(byte[] question, Consumer<Optional<byte[]>> answer);
}
