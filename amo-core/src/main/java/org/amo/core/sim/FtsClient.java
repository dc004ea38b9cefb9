package org.amo.core.sim;

import org.amo.core.client.ClientCall;
import org.amo.core.client.ClientSession;
import org.amo.core.client.Step;
import org.amo.core.request.Answer;
import org.amo.core.request.ClientId;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;

/** A client process with some threads, as the shells drive {@link ClientSession} and {@link ClientCall}. */
final class FtsClient {
    private static final long FLUSH_MICROS = 300_000;

    private final FtsGroup group;
    private final SimWorld world;
    private final SimProcess process;
    private final int threads;
    private ClientSession session;
    private long attemptMicros;
    private int preferred;
    private int unfinished;
    private long lastSendMicros;

    FtsClient(FtsGroup group, SimProcess process, int threads) {
        this.group = group;
        this.world = group.world();
        this.process = process;
        this.threads = threads;
        this.session = newSession();
    }

    SimProcess process() {
        return process;
    }

    int finishedRanges() {
        return session.finishedRanges();
    }

    void start() {
        for (int i = 0; i < threads; i++) {
            process.after(world.between(0, 100_000), this::nextCall);
        }
        process.after(FLUSH_MICROS, this::flushIfIdle);
    }

    void crash() {
        process.crash();
    }

    void restart() {
        process.restart();
        session = newSession();
        unfinished = 0;
        start();
    }

    private ClientSession newSession() {
        preferred = world.index(group.size());
        long[] attempts = {150, 500, 20_000, 20_000};
        attemptMicros = attempts[group.isPatient() ? 3 : world.index(attempts.length)] * 1_000;
        return new ClientSession(new ClientId(world.bits(), world.bits()), group.rules());
    }

    private void think() {
        long micros;
        if (group.isCalm() && !group.isStrict()) {
            micros = world.between(900_000, 1_500_000);
        } else if (group.isCalm()) {
            micros = world.chance(0.4) ? world.between(0, 2_000) : world.between(500_000, 900_000);
        } else if (world.chance(0.02)) {
            micros = group.retentionMillis() * world.between(500, 2_200);
        } else {
            micros = world.about(150_000);
        }
        process.after(micros, this::nextCall);
    }

    private void nextCall() {
        if (!group.isQuiet()) {
            new OwnCall().begin();
        }
    }

    private void flushIfIdle() {
        if (session.hasUnsentFinished() && world.nowMicros() - lastSendMicros > FLUSH_MICROS) {
            FinishedNumbers finished = session.finishedToSend();
            FtsCopy copy = new FtsCopy(
                    group.network(), process, "flush", answer -> {}, session::onCarrierLost, session::onCarrierLost);
            group.network().send(copy, preferred, node -> node.onFinished(session.id(), finished));
            group.countFlush();
        }
        if (session.hasUnsentFinished() || !group.isQuiet()) {
            process.after(FLUSH_MICROS, this::flushIfIdle);
        }
    }

    /** One logical call of one thread. */
    private final class OwnCall {
        private final long token = group.newCall();
        private final boolean oneway = world.chance(0.06);
        private final long startedMillis = world.nowMillis();
        private final ClientCall call;
        private int sends;
        private boolean ended;

        private OwnCall() {
            long timeout = group.callTimeoutMillis(oneway);
            call = session.begin(oneway, timeout, process.monotonicMillis(), process.wallMillis());
            process.after(timeout * 1_000, this::timeIsUp);
            unfinished++;
            group.unfinished(unfinished);
        }

        private void begin() {
            if (world.chance(group.otherFingerprints())) {
                sendOtherRequest();
            }
            sendCopy();
            if (oneway) {
                ended = true;
                think();
            }
        }

        private void timeIsUp() {
            if (oneway) {
                process.after(200_000, () -> {
                    unfinished--;
                    call.onOnewayPastDeadline();
                });
            } else if (!ended) {
                handle(call.onDeadline(), new byte[0]);
                if (!ended) {
                    throw new SimViolationException(
                            FtsLedger.LOCKED_OUT, "call " + token + " does not end at its deadline");
                }
            }
        }

        private void sendCopy() {
            long number = call.id().number();
            Request request = new Request(
                    call.id(), call.timestampMillis(), call.deadlineMillis(), token, oneway, FtsServant.body(token));
            FinishedNumbers finished = session.finishedToSend();
            lastSendMicros = world.nowMicros();
            sends++;
            call.onCopySent();
            FtsCopy copy = new FtsCopy(
                    group.network(),
                    process,
                    "call " + token + " " + FtsGroup.show(call.id()) + " copy " + sends,
                    answer -> onAnswer(number, answer),
                    () -> onLost(number),
                    () -> onNotSent(number));
            if (world.tracing()) {
                world.trace(process.name() + ": sends " + copy.label() + " to " + preferred + " ts "
                        + FtsGroup.show(request.timestampMillis()) + " deadline "
                        + FtsGroup.show(request.deadlineMillis()) + " finished " + finished);
            }
            group.network().send(copy, preferred, node -> node.onCopy(request, finished, copy));
            if (!oneway) {
                process.after(attemptMicros, copy::lose);
            }
        }

        private void onAnswer(long number, Answer answer) {
            if (world.tracing()) {
                world.trace(process.name() + ": call " + token + " number " + number + " hears " + answer.kind() + " "
                        + answer.refusal().map(Enum::name).orElse("") + " time "
                        + FtsGroup.show(answer.orderedTimeMillis()) + " upper " + FtsGroup.show(answer.upperMillis()));
            }
            // Without its rule about copies a call may have given up a number that is still answered.
            if (!oneway && number == call.id().number()) {
                Step step = call.onAnswer(answer, process.monotonicMillis(), process.wallMillis());
                handle(step, answer.reply());
            }
        }

        private void onLost(long number) {
            if (!oneway && number == call.id().number()) {
                preferred = (preferred + 1) % group.size();
                handle(call.onCopyLost(process.monotonicMillis()), new byte[0]);
            }
        }

        private void onNotSent(long number) {
            if (!oneway && number == call.id().number()) {
                preferred = (preferred + 1) % group.size();
                handle(call.onNotSent(process.monotonicMillis()), new byte[0]);
            }
        }

        private void handle(Step step, byte[] reply) {
            if (ended) {
                return;
            }
            switch (step.kind()) {
                case WAIT -> {}
                case SEND_AGAIN -> {
                    int sent = sends;
                    process.after(step.delayMillis() * 1_000, () -> {
                        if (!ended && sends == sent) {
                            sendCopy();
                        }
                    });
                }
                case REPLY -> {
                    group.ledger().replied(token, reply, true);
                    end(true, step);
                }
                case NOT_EXECUTED -> {
                    group.ledger().notExecuted(token, "NOT_EXECUTED " + step.reason());
                    end(false, step);
                }
                case UNKNOWN -> end(false, step);
                default -> throw new IllegalStateException(step.toString());
            }
        }

        private void end(boolean ok, Step step) {
            ended = true;
            if (world.tracing()) {
                world.trace(process.name() + ": call " + token + " ends " + step.kind());
            }
            group.callEnded(step.kind());
            if (!ok && group.mustSucceed(startedMillis)) {
                throw new SimViolationException(
                        FtsLedger.LOCKED_OUT,
                        "call " + token + " of " + process.name() + " ends " + step.kind() + " " + step.reason()
                                + " in a healed world");
            }
            process.after(world.between(0, 3_000), () -> {
                call.onHandedOver();
                unfinished--;
                think();
            });
        }

        /** Somebody's mistake: another request under the same id. */
        private void sendOtherRequest() {
            world.fault("otherFingerprint");
            long other = group.newCall();
            Request request = new Request(
                    call.id(), call.timestampMillis(), call.deadlineMillis(), other, false, FtsServant.body(other));
            FtsCopy copy = new FtsCopy(
                    group.network(),
                    process,
                    "call " + other + " " + FtsGroup.show(call.id()) + " with another fingerprint",
                    answer -> {
                        if (answer.kind() == Answer.Kind.REPLY) {
                            group.ledger().replied(other, answer.reply(), true);
                        }
                    },
                    () -> {},
                    () -> {});
            group.network()
                    .send(copy, world.index(group.size()), node -> node.onCopy(request, FinishedNumbers.NONE, copy));
        }
    }
}
