package org.amo.core.replica;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.amo.base.ClientId;
import org.amo.base.observe.TimeHistogram;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.MemberChange;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;

/**
 * A running replica, as the shell that serves clients (CORBA, plain Java) sees it. All methods may be
 * called from any thread and do not block.
 */
public interface ReplicatedService extends AutoCloseable {

    /** Hears the answer to one attempt: exactly once, from any thread, and must not block. */
    @FunctionalInterface
    interface AnswerListener {
        void onAnswer(Answer answer);
    }

    /**
     * One attempt of a client's request has arrived. It is answered when it was decided and executed, at the latest at its
     * deadline plus a grace of a few seconds (then UNKNOWN, or OVERLOADED if it was never submitted). A oneway is answered
     * too, with an empty reply, once it was executed. Its principal is not known; with one it comes by {@link #submitAll}.
     *
     * @param finished the acknowledgements of the attempt's carrier; applied even if the request is refused
     */
    void submit(Request request, FinishedNumbers finished, AnswerListener listener);

    /**
     * One attempt with the listener for its answer.
     *
     * @param finished the acknowledgements of the attempt's carrier; applied even if the request is refused
     * @param principal of the sender, as this member can vouch for it: budgets are shared between principals
     */
    record Arrival(Request request, FinishedNumbers finished, Principal principal, AnswerListener listener) {}

    /**
     * Attempts that arrived together, each as by {@link #submit(Request, FinishedNumbers, AnswerListener)}. They share an
     * entry of the order where one by one the first of them would go alone and the others wait for it.
     */
    default void submitAll(List<Arrival> copies) {
        copies.forEach(copy -> submit(copy.request(), copy.finished(), copy.listener()));
    }

    /**
     * A call of a client that knows nothing of amo: replicated like any other under an id that this
     * replica gives it, without protection against the client's own repetitions.
     *
     * @param principal as in {@link Arrival}
     */
    void submitPlain(byte[] body, long fingerprint, boolean oneway, Principal principal, AnswerListener listener);

    /**
     * A read of the servant's state at this member, outside of the order. It has no effect, so it may be repeated at other members.
     *
     * @param body for {@link ServantPort#read}
     * @param mostAgeMillis the result holds all that was answered at any member until so long before the read came here; 0 for a
     *     linearizable read
     * @param after the result holds everything up to this position
     * @param leftMillis the read is refused after this time
     * @param listener hears the answer once, from any thread, and must not block
     */
    record Read(byte[] body, long mostAgeMillis, long after, long leftMillis, Consumer<ReadAnswer> listener) {}

    /**
     * The answer to a read.
     *
     * @param position of the state that was read; 0 without a result
     * @param result of {@link ServantPort#read}; empty without one
     * @param why it has none, in one line
     */
    record ReadAnswer(Kind kind, long position, byte[] result, String why) {
        private static final byte[] NOTHING = {};

        /** Tells the asker the next step. */
        public enum Kind {
            /** There is a result. */
            RESULT,
            /** This member has none now; another one may have. */
            REFUSED,
            /** This group finds no read indexes: the read has to be ordered, as a request. */
            TO_BE_ORDERED
        }

        public static ReadAnswer result(long position, byte[] result) {
            return new ReadAnswer(Kind.RESULT, position, result, "");
        }

        public static ReadAnswer refused(String why) {
            return new ReadAnswer(Kind.REFUSED, 0, NOTHING, why);
        }

        public static ReadAnswer toBeOrdered(String why) {
            return new ReadAnswer(Kind.TO_BE_ORDERED, 0, NOTHING, why);
        }
    }

    /** A read has arrived. It is answered at its deadline at the latest, unless it runs then. */
    default void read(Read read) {
        read.listener().accept(ReadAnswer.toBeOrdered("this member runs no reads"));
    }

    /** Acknowledgements that came without a request (an idle or closing client's last ones). */
    void acknowledge(ClientId client, FinishedNumbers finished);

    /**
     * The same.
     *
     * @param taken runs once, in any thread, when they take no memory on their way to the replica any more
     */
    default void acknowledge(ClientId client, FinishedNumbers finished, Runnable taken) {
        acknowledge(client, finished);
        taken.run();
    }

    /** A consistent view of counters and positions, at most some milliseconds old. */
    ReplicaStatus status();

    /** From the submission of each entry of this member to its delivery here. */
    default TimeHistogram commitTimes() {
        return new TimeHistogram();
    }

    /** From the arrival of each attempt at this member to its answer. */
    default TimeHistogram replyTimes() {
        return new TimeHistogram();
    }

    /** The member takes calls by datagrams: {@link ReplicaStatus#datagrams} is what these counters say, by outcome, since the start. */
    default void countDatagrams(Supplier<Map<String, Long>> counts) {}

    /** The members of the group as this one knows them. */
    default Optional<GroupMembers> members() {
        return Optional.empty();
    }

    /** Adds or removes a member, has one lead, or takes a snapshot; see {@link org.amo.core.order.OrderedLog#changeMembers}. */
    default CompletionStage<GroupMembers> changeMembers(MemberChange change) {
        throw new UnsupportedOperationException("members never change here");
    }

    /** Stops; attempts that wait are answered UNKNOWN. Does not throw. */
    @Override
    void close();
}
