package org.amo.grpc;

import io.grpc.Metadata;
import io.grpc.Status;
import java.util.Optional;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;

/** The outcome of one attempt, as the trailers of its answer tell it (docs/wire/grpc.md). */
enum AttemptOutcome {
    /** The handler ran for this attempt. */
    REPLY(Status.Code.OK, true, ""),
    /** The handler ran earlier; this is the kept reply. */
    REPLAYED(Status.Code.OK, true, ""),
    ID_REUSED(
            Status.Code.ALREADY_EXISTS,
            true,
            "the number of this call is in use for another request; number each call once"),
    STALE(
            Status.Code.FAILED_PRECONDITION,
            true,
            "the call is acknowledged or too old to tell whether it ran; this attempt did not run"),
    EXPIRED(Status.Code.DEADLINE_EXCEEDED, false, "the deadline had passed; the call never ran and never will"),
    TOO_EARLY(
            Status.Code.FAILED_PRECONDITION,
            false,
            "the timestamp is ahead of the server's time; stamp calls by amo-time of the last answer"),
    OVERLOADED(Status.Code.RESOURCE_EXHAUSTED, false, "no room for another call"),
    /** The server crashed between the begin and the reply. */
    UNKNOWN(Status.Code.UNKNOWN, true, "the server ended while this call ran; it may have run, and will not run again"),
    /** Another server, or one that has lost its files. */
    WRONG_SERVER(
            Status.Code.FAILED_PRECONDITION,
            true,
            "the call was sent to another server, or the files of this one were lost; this attempt did not run"),
    /** The answer to a hello. */
    HELLO(Status.Code.FAILED_PRECONDITION, false, "no call: this is the answer to amo-hello");

    static final Metadata.Key<String> OUTCOME = CallMetadata.key("amo-outcome");
    static final Metadata.Key<String> MAY_HAVE_RUN = CallMetadata.key("amo-may-have-run");
    static final Metadata.Key<String> TIME = CallMetadata.key("amo-time");
    static final Metadata.Key<String> BUDGET = CallMetadata.key("amo-budget");

    private final Status.Code code;
    private final boolean mayHaveRun;
    private final String sentence;

    AttemptOutcome(Status.Code code, boolean mayHaveRun, String sentence) {
        this.code = code;
        this.mayHaveRun = mayHaveRun;
        this.sentence = sentence;
    }

    /** The status of a refusal. */
    Status status() {
        return code.toStatus().withDescription("amo: " + sentence);
    }

    static AttemptOutcome of(Refusal refusal) {
        return valueOf(refusal.name());
    }

    /** Adds the part that all answers have. */
    void putInto(Metadata trailers, String server, long orderedTimeMillis, long upperMillis) {
        trailers.discardAll(OUTCOME);
        trailers.put(OUTCOME, name());
        putMayHaveRun(trailers, mayHaveRun);
        trailers.discardAll(TIME);
        trailers.put(TIME, orderedTimeMillis + " " + upperMillis);
        trailers.discardAll(CallMetadata.SERVER);
        trailers.put(CallMetadata.SERVER, server);
    }

    static void putMayHaveRun(Metadata trailers, boolean mayHaveRun) {
        trailers.discardAll(MAY_HAVE_RUN);
        trailers.put(MAY_HAVE_RUN, Boolean.toString(mayHaveRun));
    }

    /** The outcome in trailers; empty if no server of this format wrote them. */
    static Optional<AttemptOutcome> in(Metadata trailers) {
        String name = trailers.get(OUTCOME);
        for (AttemptOutcome each : values()) {
            if (each.name().equals(name)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /**
     * The answer that the trailers tell, for the rules of the client; without a time if none can be read.
     *
     * @param outcome that of the trailers
     */
    static Answer answer(AttemptOutcome outcome, Metadata trailers) {
        long[] time = time(trailers);
        return switch (outcome) {
            case REPLY, REPLAYED, HELLO, WRONG_SERVER -> Answer.reply(new byte[0], time[0], time[1]);
            case UNKNOWN -> Answer.unknown(time[0], time[1]);
            case OVERLOADED ->
                budget(trailers)
                        .map(budget -> Answer.overloaded(budget, time[0], time[1]))
                        .orElseGet(() -> Answer.refused(Refusal.OVERLOADED, time[0], time[1]));
            case ID_REUSED, STALE, EXPIRED, TOO_EARLY ->
                Answer.refused(Refusal.valueOf(outcome.name()), time[0], time[1]);
        };
    }

    private static Optional<Budget> budget(Metadata trailers) {
        String name = trailers.get(BUDGET);
        for (Budget each : Budget.values()) {
            if (each.name().equals(name)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** The server's time and bound; 0 and no bound if they cannot be read. */
    private static long[] time(Metadata trailers) {
        String text = trailers.get(TIME);
        int blank = text == null ? -1 : text.indexOf(' ');
        if (text != null && blank > 0) {
            try {
                long time = Long.parseLong(text.substring(0, blank));
                long upper = Long.parseLong(text.substring(blank + 1));
                if (time > 0 && upper < time + (1L << 40)) {
                    return new long[] {time, upper};
                }
            } catch (NumberFormatException e) {
                return new long[] {0, Answer.NO_BOUND};
            }
        }
        return new long[] {0, Answer.NO_BOUND};
    }
}
