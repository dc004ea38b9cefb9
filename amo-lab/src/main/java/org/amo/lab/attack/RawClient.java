package org.amo.lab.attack;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.base.ClientId;
import org.amo.core.request.Answer;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;

/**
 * A client of CORBA members made of bytes. Numbers, times and acknowledgements are the attack's choice; it repeats nothing. One
 * thread owns it.
 */
final class RawClient {
    static final long LIFE_MILLIS = 10_000;

    private final byte[] key;
    private final ClientId id;
    private long number;
    private long orderedTime;
    private long upper = Answer.NO_BOUND;
    private long heardNanos = System.nanoTime();

    RawClient(byte[] key, Random random) {
        this(key, new ClientId(random.nextLong(), random.nextLong()));
    }

    RawClient(byte[] key, ClientId id) {
        this.key = key;
        this.id = id;
    }

    ClientId id() {
        return id;
    }

    /** Asks for the group's time, with a call that is too late to run. */
    RawClient learn(Wire wire) throws IOException {
        answer(wire.send(
                request(new RequestContext.Call(1, 0, 0), FinishedNumbers.NONE, "deposit", deposit("nobody"))));
        return this;
    }

    /** The next number, stamped now. */
    RequestContext.Call next() {
        return call(++number);
    }

    RequestContext.Call call(long chosen) {
        return call(chosen, LIFE_MILLIS);
    }

    /** One with its deadline so far ahead. */
    RequestContext.Call call(long chosen, long lifeMillis) {
        long now = now();
        return new RequestContext.Call(chosen, now, now + lifeMillis);
    }

    /** The group's time as far as it was heard. */
    long now() {
        return Math.max(upper + 1, orderedTime + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - heardNanos));
    }

    byte[] request(RequestContext.Call call, FinishedNumbers finished, String operation, Consumer<Cdr> arguments) {
        byte[] context = new RequestContext(id, Optional.of(call), finished).encode();
        return Giop.request(
                (int) call.number(),
                key,
                operation,
                List.of(new Giop.Context(RequestContext.CONTEXT_ID, context)),
                arguments);
    }

    /** A deposit of 1. */
    byte[] deposit(RequestContext.Call call, FinishedNumbers finished, String account) {
        return request(call, finished, "deposit", deposit(account));
    }

    /** A deposit of 1 that acknowledges nothing. */
    byte[] deposit(RequestContext.Call call, String account) {
        return deposit(call, FinishedNumbers.NONE, account);
    }

    /** Acknowledgements alone, on a question that the ORB answers by itself. */
    byte[] acknowledge(FinishedNumbers finished) {
        byte[] context = new RequestContext(id, Optional.empty(), finished).encode();
        return Giop.request(
                1, key, "_non_existent", List.of(new Giop.Context(RequestContext.CONTEXT_ID, context)), out -> {});
    }

    /** Reads one reply. */
    Giop.Reply answer(Wire wire) throws IOException {
        Giop.Reply reply = Giop.readReply(wire.in());
        reply.answer().ifPresent(this::heard);
        return reply;
    }

    private void heard(Answer answer) {
        if (answer.orderedTimeMillis() >= orderedTime) {
            orderedTime = answer.orderedTimeMillis();
            heardNanos = System.nanoTime();
        }
        upper = Math.max(upper, answer.upperMillis());
    }

    static Consumer<Cdr> deposit(String account) {
        return out -> out.string(account).longLong(1);
    }
}
