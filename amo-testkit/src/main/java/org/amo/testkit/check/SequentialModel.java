package org.amo.testkit.check;

import java.util.List;
import java.util.Optional;
import org.amo.base.Stable;
import org.amo.testkit.history.HistoryCall;

/**
 * Models the service under test when it runs one call after the other, and nothing fails.
 *
 * @param <S> its state: immutable, with equals and hashCode
 */
@Stable
public interface SequentialModel<S> {

    /** Before the first call. */
    S initial();

    /** Runs a call. An operation that the model does not know leaves the state alone and has no opinion. */
    Step<S> run(S state, String operation, List<Object> arguments);

    /** The state in the form of the history's {@code state} events. */
    Object state(S state);

    /**
     * Calls that can be judged apart from each other, for instance because they touch different keys. A call may stand
     * in several parts, in each with that part of its answer. Sound if each part allows every answer that the whole allows.
     */
    default List<List<HistoryCall>> parts(List<HistoryCall> calls) {
        return List.of(calls);
    }

    /**
     * After one call.
     *
     * @param value the required answer; empty: any answer
     */
    @Stable
    record Step<S>(S state, Optional<Object> value) {}

    /**
     * Whether calls of this operation change nothing and may be answered by one replica beside the order, so that no execution is
     * recorded. Their answers are judged by linearizability alone.
     */
    default boolean isRead(String operation) {
        return false;
    }
}
