package org.amo.benchmarks.fts;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.benchmarks.LoopReplica;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.core.client.ClientCall;
import org.amo.core.client.ClientSession;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.AnswerContext;
import org.amo.core.wire.RequestContext;
import org.amo.interceptors.CapturedRequest;

/**
 * Measures a call's cost of being executed at most once: ids, times, fingerprint, both contexts, acknowledgements, decision,
 * record and kept reply, from the client's interceptor to the connected member and back. Beside it the same path with all
 * that left out: the request's bytes go into an entry and come out of it, the reply's come back. One thread, no network;
 * other members decide meanwhile, not one after the other. The difference is an upper bound: it holds all that a replica's
 * core does to bring a request into the order.
 */
final class Bookkeeping {
    private static final int CALLS = 100_000;
    private static final int WARM_UP = 3;
    private static final long DEADLINE_MILLIS = 10_000;
    private static final byte[] REPLY = new byte[LoopReplica.REPLY_BYTES];

    private final CapturedRequest captured =
            new CapturedRequest(false, 2, 0, 0, 0, "set_greeting", new byte[24], new byte[24]);
    private final byte[] body = captured.encode();
    private final ClientSession session = new ClientSession(new ClientId(3, 4));
    private final LoopReplica replica = new LoopReplica();
    private long bytes;

    private Bookkeeping() {
        session.onGroupTime(replica.timestamp(), replica.timestamp() - 1, 0);
    }

    /** Adds a row and a bar: the median cost of a call over the median of a replicated call. */
    static void measure(Figures figures, boolean quick, double callMicros) {
        Bookkeeping path = new Bookkeeping();
        int rounds = quick ? 5 : 15;
        List<Double> with = new ArrayList<>();
        List<Double> without = new ArrayList<>();
        List<Double> percent = new ArrayList<>();
        for (int round = -WARM_UP; round < rounds; round++) {
            boolean first = Math.floorMod(round, 2) == 0;
            double one = first ? path.with() : path.without();
            double other = first ? path.without() : path.with();
            if (round >= 0) {
                with.add(first ? one : other);
                without.add(first ? other : one);
                percent.add(100 * (with.get(round) - without.get(round)) / callMicros);
            }
        }
        Spread cost = Spread.of(percent);
        figures.row(
                "bookkeeping of a call",
                Map.of("calls", CALLS),
                Map.of("microsWith", Spread.of(with), "microsWithout", Spread.of(without), "percentOfACall", cost));
        figures.ratios().put("bookkeepingPercentOfACall", cost.median());
        if (path.bytes == 0) {
            throw new IllegalStateException("no call was made");
        }
        figures.atMost("at-most-once bookkeeping, % of a replicated call's median", cost.median(), 1);
    }

    private double with() {
        long start = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
            bookkept();
        }
        return (System.nanoTime() - start) / 1e3 / CALLS;
    }

    private double without() {
        long start = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
            WireWriter writer = new WireWriter(body.length + 8);
            writer.blob(body);
            bytes += new WireReader("entry", writer.toBytes()).blob("body", body.length).length;
            bytes += REPLY.clone().length;
        }
        return (System.nanoTime() - start) / 1e3 / CALLS;
    }

    private void bookkept() {
        ClientCall call = session.begin(false, DEADLINE_MILLIS, 0, 0);
        RequestContext.Call head =
                new RequestContext.Call(call.id().number(), call.timestampMillis(), call.deadlineMillis());
        byte[] context = new RequestContext(session.id(), Optional.of(head), session.finishedToSend()).encode();
        call.onCopySent();
        RequestContext arrived = RequestContext.decode(context);
        RequestContext.Call said = arrived.call().orElseThrow();
        FinishedNumbers finished = arrived.finished();
        Request request = new Request(
                RequestId.own(arrived.client(), said.number()),
                said.timestampMillis(),
                said.deadlineMillis(),
                captured.fingerprint(),
                false,
                body);
        replica.call(request, finished, answer -> answered(call, answer));
    }

    private void answered(ClientCall call, Answer answer) {
        Answer told = AnswerContext.decode(AnswerContext.encode(answer));
        if (answer.kind() != Answer.Kind.REPLY) {
            throw new IllegalStateException("a call was not executed: " + answer);
        }
        bytes += answer.reply().length;
        call.onAnswer(told, 0, 0);
        call.onHandedOver();
    }
}
