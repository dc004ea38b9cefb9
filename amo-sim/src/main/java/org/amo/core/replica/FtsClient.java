package org.amo.core.replica;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.amo.base.ClientId;
import org.amo.core.client.ClientCall;
import org.amo.core.client.ClientSession;
import org.amo.core.client.Delivery;
import org.amo.core.client.Step;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.sim.SimProcess;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;

/**
 * A client process with some threads around one of the cores that the shells drive. The subclasses play the transport; this
 * calls, and checks the outcomes.
 */
abstract class FtsClient {
    /** The longest time that a client may add to a call's own: a last answer, and an idle connection's wait. */
    private static final long MOST_GRACE_MILLIS = 2_000;

    final FtsGroup group;
    final SimWorld world;
    final SimProcess process;
    private final int threads;
    private final boolean repeats;
    private int unfinished;

    /** Whether this incarnation has heard an answer, and with it the group's time. */
    private boolean informed;

    /** @param repeats whether the way from this client to the members may deliver an attempt again */
    FtsClient(FtsGroup group, SimProcess process, int threads, boolean repeats) {
        this.group = group;
        this.world = group.world();
        this.process = process;
        this.threads = threads;
        this.repeats = repeats;
    }

    /** A new incarnation begins, which knows nothing. */
    abstract void begin(ClientSession session);

    /** A thread calls. One of {@link #replied}, {@link #notExecuted} and {@link #unknown} follows, once. */
    abstract void call(Call call);

    abstract ClientSession session();

    /** Whether the server answers an arrival in its replica's place. */
    boolean isTurnedAway(FtsNode node, boolean first) {
        return false;
    }

    SimProcess process() {
        return process;
    }

    int finishedRanges() {
        return session().finishedRanges();
    }

    void start() {
        ClientId id = new ClientId(world.bits(), world.bits());
        begin(newSession(id, repeats ? Delivery.MAY_REPEAT : Delivery.AT_MOST_ONCE));
        unfinished = 0;
        informed = false;
        for (int i = 0; i < threads; i++) {
            process.after(world.between(0, 100_000), this::nextCall);
        }
    }

    ClientSession newSession(ClientId id, Delivery delivery) {
        return group.datagrams().isBroken()
                ? group.datagrams().broken(id, delivery, group.rules(), this::now)
                : group.mutant().session(id, delivery, group.rules());
    }

    void crash() {
        process.crash();
    }

    void restart() {
        process.restart();
        start();
    }

    long now() {
        return process.monotonicMillis();
    }

    long wall() {
        return process.wallMillis();
    }

    /** One logical call of one thread, as the application and the ledger see it. */
    final class Call {
        final long token;
        final boolean oneway;
        final long timeoutMillis;
        private final long startedMillis = world.nowMillis();

        /** By number: attempts that may have left and have not been refused. */
        private final Map<Long, Integer> unaccounted = new HashMap<>();

        /** Numbers of which an attempt left as a datagram. */
        private final Set<Long> loose = new HashSet<>();

        private final boolean begunInformed = informed;
        private Optional<Long> expired = Optional.empty();
        private boolean ended;

        Call() {
            token = group.newCall();
            oneway = world.chance(0.06);
            timeoutMillis = group.callTimeoutMillis(oneway);
        }

        /** One that a former life of this client made. */
        Call(long token, long timeoutMillis) {
            this.token = token;
            this.oneway = false;
            this.timeoutMillis = timeoutMillis;
        }
    }

    private void nextCall() {
        if (group.isQuiet()) {
            return;
        }
        Call call = new Call();
        unfinished++;
        group.unfinished(unfinished);
        process.after((call.timeoutMillis + MOST_GRACE_MILLIS) * 1_000, () -> {
            if (!call.ended) {
                throw new SimViolationException(
                        FtsLedger.LOCKED_OUT, "call " + call.token + " does not end at its deadline");
            }
        });
        if (call.oneway) {
            think();
        }
        call(call);
    }

    private void think() {
        long micros;
        if (group.isCalm() && !group.isStrict()) {
            micros = world.between(900_000, 1_500_000);
        } else if (group.isCalm()) {
            micros = world.chance(0.4) ? world.between(0, 2_000) : world.between(500_000, 900_000);
        } else if (world.chance(0.05)) {
            micros = group.retentionMillis() * world.between(500, 2_200);
        } else {
            micros = world.about(150_000);
        }
        process.after(micros, this::nextCall);
    }

    /** An attempt leaves for a member: the request and its carrier. */
    FtsCopy copyOf(Call call, ClientCall.Identity number, FinishedNumbers finished, int member, FtsCopy.Sender sender) {
        return copyOf(call, number, finished, member, repeats, sender);
    }

    /** The same as a datagram, which may arrive any number of times. */
    FtsCopy datagramOf(
            Call call, ClientCall.Identity number, FinishedNumbers finished, int member, FtsCopy.Sender sender) {
        world.fault("datagram");
        call.loose.add(number.id().number());
        return copyOf(call, number, finished, member, true, sender);
    }

    private FtsCopy copyOf(
            Call call,
            ClientCall.Identity number,
            FinishedNumbers finished,
            int member,
            boolean mayRepeat,
            FtsCopy.Sender sender) {
        RequestId id = number.id();
        long timestampMillis = number.timestampMillis();
        long deadlineMillis = number.deadlineMillis();
        boolean first = call.unaccounted.isEmpty();
        call.unaccounted.merge(id.number(), 1, Integer::sum);
        if (first && world.chance(group.otherFingerprints())) {
            sendOtherRequest(id, timestampMillis, deadlineMillis);
        }
        Request request =
                new Request(id, timestampMillis, deadlineMillis, call.token, call.oneway, FtsServant.body(call.token));
        FtsCopy copy = new FtsCopy(
                group.network(), process, "call " + call.token + " " + FtsGroup.show(id), new FtsCopy.Sender() {
                    @Override
                    public void onAnswer(Answer answer) {
                        heard(call, id.number(), answer);
                        sender.onAnswer(answer);
                    }

                    @Override
                    public void onLost() {
                        sender.onLost();
                    }

                    @Override
                    public void onNotSent() {
                        sender.onNotSent();
                    }

                    @Override
                    public void onTurnedAway() {
                        sender.onTurnedAway();
                    }
                });
        world.trace(() -> process.name() + ": sends " + copy.label() + " to " + member + " ts "
                + FtsGroup.show(timestampMillis) + " deadline " + FtsGroup.show(deadlineMillis) + " finished "
                + finished);
        group.network().send(copy, member, mayRepeat, (node, arrived) -> {
            if (isTurnedAway(node, arrived == copy)) {
                world.fault("turnedAway");
                arrived.turnAway();
            } else {
                node.onCopy(request, finished, arrived);
            }
        });
        return copy;
    }

    /** The attempt certainly did not leave. */
    void notSent(Call call, RequestId id) {
        call.unaccounted.merge(id.number(), -1, Integer::sum);
    }

    private void heard(Call call, long number, Answer answer) {
        informed = true;
        world.trace(
                () -> process.name() + ": call " + call.token + " number " + number + " hears " + answer.kind() + " "
                        + answer.refusal().map(Enum::name).orElse("") + " time "
                        + FtsGroup.show(answer.orderedTimeMillis()) + " upper " + FtsGroup.show(answer.upperMillis()));
        if (answer.kind() == Answer.Kind.REFUSED) {
            call.unaccounted.merge(number, -1, Integer::sum);
            if (answer.refusal().equals(Optional.of(Refusal.EXPIRED))) {
                call.expired = Optional.of(number);
            }
        }
    }

    void replied(Call call, byte[] reply) {
        // The answer to a oneway holds no reply that the application would see.
        if (!call.oneway) {
            group.ledger().replied(call.token, reply, true);
        }
        end(call, Step.Kind.REPLY, "");
    }

    void notExecuted(Call call, Optional<Refusal> reason) {
        group.ledger().notExecuted(call.token, "NOT_EXECUTED " + reason);
        end(call, Step.Kind.NOT_EXECUTED, reason.toString());
    }

    /** @param number the present one of the call */
    void unknown(Call call, long number) {
        boolean accounted = call.unaccounted.getOrDefault(number, 0) == 0;
        // A datagram is one attempt however often it leaves, and its first answer alone counts.
        boolean counted = call.loose.isEmpty();
        if (!call.oneway && counted && (call.expired.equals(Optional.of(number)) || (accounted && !repeats))) {
            throw new SimViolationException(
                    FtsLedger.NEEDLESS_UNKNOWN,
                    "call " + call.token + " of " + process.name()
                            + " ends UNKNOWN, and each of its copies was refused");
        }
        end(call, Step.Kind.UNKNOWN, "");
    }

    private void end(Call call, Step.Kind kind, String reason) {
        if (call.ended) {
            throw new SimViolationException(FtsLedger.UNANSWERED, "call " + call.token + " ends twice");
        }
        call.ended = true;
        world.trace(() -> process.name() + ": call " + call.token + " ends " + kind + " " + reason);
        group.callEnded(kind, repeats);
        // A first call without a connection goes by a wall clock, which may be wrong.
        boolean byWallClock = !call.begunInformed && !call.loose.isEmpty();
        if (!call.oneway && kind != Step.Kind.REPLY && !byWallClock && group.mustSucceed(call.startedMillis)) {
            throw new SimViolationException(
                    FtsLedger.LOCKED_OUT,
                    "call " + call.token + " of " + process.name() + " ends " + kind + " " + reason
                            + " in a healed world");
        }
        if (call.oneway && kind == Step.Kind.UNKNOWN) {
            // Its number is finished when the deadline has passed for every member.
            process.after((call.timeoutMillis + MOST_GRACE_MILLIS + 500) * 1_000, () -> unfinished--);
        } else {
            onceHandled(call, () -> {
                unfinished--;
                if (!call.oneway) {
                    think();
                }
            });
        }
    }

    /** At the end of a run: no call of a former life is open. */
    void checkRecovered() {}

    /** The application has the outcome: runs the task once it has handled it, and the number of the call is finished. */
    void onceHandled(Call call, Runnable finished) {
        finished.run();
    }

    /** Somebody's mistake: another request under the same id. */
    private void sendOtherRequest(RequestId id, long timestampMillis, long deadlineMillis) {
        world.fault("otherFingerprint");
        long other = group.newCall();
        Request request = new Request(id, timestampMillis, deadlineMillis, other, false, FtsServant.body(other));
        FtsCopy copy = new FtsCopy(
                group.network(),
                process,
                "call " + other + " " + FtsGroup.show(id) + " with another fingerprint",
                new FtsCopy.Sender() {
                    @Override
                    public void onAnswer(Answer answer) {
                        if (answer.kind() == Answer.Kind.REPLY) {
                            group.ledger().replied(other, answer.reply(), true);
                        }
                    }
                });
        group.network()
                .send(
                        copy,
                        world.index(group.size()),
                        false,
                        (node, arrived) -> node.onCopy(request, FinishedNumbers.NONE, arrived));
    }
}
