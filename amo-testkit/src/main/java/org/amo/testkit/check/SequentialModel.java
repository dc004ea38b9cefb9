package org.amo.testkit.check;

import java.util.List;
import java.util.Optional;
import org.amo.testkit.history.Call;

/**
 * What the service under test does when it runs one call after the other, and nothing fails.
 *
 * @param <S> its state: immutable, with equals and hashCode
 */
public interface SequentialModel<S> {

    /** Before the first call. */
    S initial();

    /** Runs a call. An operation that the model does not know leaves the state alone and has no opinion. */
    Step<S> run(S state, String operation, List<Object> arguments);

    /**
     * The state in the form of the history's {@code state} events.
     */
    Object state(S state);

    /**
     * Calls that can be judged apart from each other, for instance because they touch different keys. A call may stand
     * in several parts, in each with that part of its answer. Sound if: whatever the whole may answer, each part may.
     */
    default List<List<Call>> parts(List<Call> calls) {
        return List.of(calls);
    }

    /**
     * After one call.
     *
     * @param value what it must answer; empty: anything
     */
    record Step<S>(S state, Optional<Object> value) {}
}
