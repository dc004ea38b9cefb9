package org.amo.core.replica;

import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.client.AttemptWatch;
import org.amo.core.client.AttemptedCall;
import org.amo.core.client.AttemptedCall.Next;
import org.amo.core.client.AttemptedCall.ServerException;
import org.amo.core.client.ClientCall;
import org.amo.core.client.ClientSession;
import org.amo.core.client.Step;
import org.amo.core.request.Answer;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.sim.SimProcess;

/** A CORBA client: {@link AttemptedCall} as the client interceptor drives it, under a simulated ORB. */
final class FtsOrbClient extends FtsClient {
    private static final long FLUSH_MICROS = 300_000;
    private static final long WATCH_MICROS = 20_000;

    private ClientSession session = new ClientSession(new ClientId(0, 0));
    private long attemptMillis;
    private int serving;
    private long lastSendMicros;

    FtsOrbClient(FtsGroup group, SimProcess process, int threads, boolean repeats) {
        super(group, process, threads, repeats);
    }

    @Override
    void begin(ClientSession anew) {
        session = anew;
        serving = world.index(group.size());
        long[] attempts = {150, 500, 20_000, 20_000};
        attemptMillis = attempts[group.isPatient() ? 3 : world.index(attempts.length)];
        process.after(FLUSH_MICROS, this::flushIfIdle);
    }

    @Override
    ClientSession session() {
        return session;
    }

    @Override
    void call(Call call) {
        new Invocation(call).send();
    }

    /** By servers that start or stop, and those that forward. */
    @Override
    boolean isTurnedAway(FtsNode node, boolean first) {
        return !node.admits() || (first && world.chance(group.networkFaults().broken()));
    }

    private void flushIfIdle() {
        session.finishOneways(now());
        if (session.hasUnsentFinished() && world.nowMicros() - lastSendMicros > FLUSH_MICROS) {
            FinishedNumbers finished = session.carry(now());
            FtsCopy copy = new FtsCopy(group.network(), process, "flush", new FtsCopy.Sender() {
                @Override
                public void onAnswer(Answer answer) {
                    throw new IllegalStateException("acknowledgements are not answered");
                }

                @Override
                public void onLost() {
                    session.onCarrierLost();
                }

                @Override
                public void onNotSent() {
                    session.onCarrierLost();
                    leave(serving);
                }
            });
            group.network().send(copy, serving, false, (node, arrived) -> node.onFinished(session.id(), finished));
        }
        if (session.hasUnsentFinished() || !group.isQuiet()) {
            process.after(FLUSH_MICROS, this::flushIfIdle);
        }
    }

    private void leave(int member) {
        if (serving == member) {
            serving = (serving + 1) % group.size();
        }
    }

    private final class Attempt implements FtsCopy.Sender {
        final Invocation invocation;
        final int member;
        final RequestId id;

        Attempt(Invocation invocation, int member, RequestId id) {
            this.invocation = invocation;
            this.member = member;
            this.id = id;
        }

        private boolean isUnderWay() {
            return invocation.attempts.current().equals(Optional.of(this));
        }

        @Override
        public void onAnswer(Answer answer) {
            if (isUnderWay()) {
                invocation.go(this, invocation.core.onAnswer(answer, now(), wall()), answer.reply());
            }
        }

        @Override
        public void onTurnedAway() {
            if (!isUnderWay()) {
                return;
            }
            int kind = world.index(4);
            Next next = kind == 0
                    ? invocation.core.onForwarded(now())
                    : invocation.core.onServerException(
                            kind == 1 ? ServerException.MISSING : ServerException.NOT_ADMITTED,
                            Integer.MAX_VALUE / 4,
                            now(),
                            wall());
            invocation.go(this, next, new byte[0]);
        }

        @Override
        public void onLost() {
            if (isUnderWay()) {
                // Some ORBs repeat by themselves, and say so only with the next attempt.
                Next next = world.chance(0.2)
                        ? invocation.core.onVanished(true, now())
                        : invocation.core.onBroken(true, now());
                invocation.go(this, next, new byte[0]);
            }
        }

        @Override
        public void onNotSent() {
            notSent(invocation.call, id);
            if (isUnderWay()) {
                invocation.go(this, invocation.core.onBroken(false, now()), new byte[0]);
            }
        }
    }

    private final class Invocation {
        private final Call call;
        private final AttemptedCall core;
        private final AttemptWatch<Attempt> attempts = new AttemptWatch<>();

        Invocation(Call call) {
            this.call = call;
            long graceMillis = world.chance(0.2) ? 0 : AttemptedCall.GRACE_MILLIS;
            this.core = new AttemptedCall(session, call.oneway, call.timeoutMillis, graceMillis, now());
        }

        void send() {
            ClientCall number = core.send(now(), wall());
            Attempt attempt = new Attempt(this, serving, number.id());
            attempts.begin(attempt, Math.min(now() + attemptMillis, core.limitMillis(true)));
            lastSendMicros = world.nowMicros();
            FtsCopy copy = copyOf(call, number.identity(), session.carry(now()), serving, attempt);
            if (call.oneway && core.finish(Step.Kind.UNKNOWN)) {
                attempts.end();
                process.after((call.timeoutMillis + 200) * 1_000, () -> {
                    number.onOnewayPastDeadline();
                    unknown(call, number.id().number());
                });
            } else {
                process.after(WATCH_MICROS, () -> watch(attempt, copy));
            }
        }

        private void watch(Attempt attempt, FtsCopy copy) {
            if (!attempts.current().equals(Optional.of(attempt))) {
                return;
            }
            if (attempts.overdue(now()).isPresent() && attempts.timesOut(attempt)) {
                // An ORB drops an answer unread if it comes after the time-out.
                copy.close();
                go(attempt, core.onBroken(true, now()), new byte[0]);
            } else {
                process.after(WATCH_MICROS, () -> watch(attempt, copy));
            }
        }

        private void go(Attempt attempt, Next next, byte[] reply) {
            attempts.end();
            if (next.leaveMember()) {
                leave(attempt.member);
            }
            Step.Kind kind = next.step().kind();
            switch (kind) {
                case SEND_AGAIN -> process.after(next.step().delayMillis() * 1_000, this::send);
                case REPLY -> {
                    core.finish(kind);
                    replied(call, reply);
                }
                case NOT_EXECUTED -> {
                    core.finish(kind);
                    notExecuted(call, next.step().reason());
                }
                case UNKNOWN -> {
                    long number = core.id().number();
                    core.finish(kind);
                    unknown(call, number);
                }
                default -> throw new IllegalStateException(next.toString());
            }
        }
    }
}
