package org.amo.testkit.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One call as its client saw it. Immutable.
 *
 * @param arguments empty where the client does not write them
 * @param startNanos of the machine's monotonic clock
 * @param value the answer; empty unless the outcome is OK, and where the client does not write it
 * @param endNanos empty while it is open
 */
public record HistoryCall(
        String client,
        String id,
        String op,
        Optional<List<Object>> arguments,
        OptionalLong startNanos,
        Outcome outcome,
        Optional<Object> value,
        OptionalLong endNanos) {

    /** How a call ended. */
    public enum Outcome {
        /** It was answered. */
        OK,
        /** It certainly did not run and never will. */
        FAIL,
        /** The outcome is unknown for ever. */
        INFO,
        /** The history ends before the call does; no more is known than of INFO. */
        OPEN
    }

    /** Numbers are {@link Long} or {@link Double}, the rest is as JSON has it: String, Boolean, List, Map. */
    public HistoryCall {
        // Any of them may be null.
        arguments = arguments.map(each -> Collections.unmodifiableList(new ArrayList<>(each)));
    }

    /** The same call, ended. */
    public HistoryCall ended(Outcome how, Optional<Object> answer, OptionalLong nanos) {
        return new HistoryCall(client, id, op, arguments, startNanos, how, answer, nanos);
    }

    /** The same call with another answer: that of a part of the service. */
    public HistoryCall answering(Object part) {
        return new HistoryCall(client, id, op, arguments, startNanos, outcome, Optional.of(part), endNanos);
    }

    @Override
    public String toString() {
        return id + " " + op + arguments.map(Object::toString).orElse("");
    }
}
