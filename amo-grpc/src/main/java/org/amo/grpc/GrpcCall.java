package org.amo.grpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.amo.core.client.AttemptedCall;
import org.amo.core.client.ClientCall.Identity;
import org.amo.core.client.ClientSession;
import org.amo.core.client.Step;
import org.amo.core.request.Answer;
import org.jspecify.annotations.Nullable;

/**
 * One unary call of an application, over as many attempts as it takes. {@link AttemptedCall} decides after each attempt; this class makes the
 * attempts, one after the other, and tells the application its outcome, once.
 *
 * <p>The application calls it from one thread at a time, except for {@link #cancel}. The state is guarded by the client's session.
 */
final class GrpcCall<ReqT, RespT> extends ClientCall<ReqT, RespT> {
    private static final long HELLO_PAUSE_MILLIS = 100;

    private final AtMostOnceClient client;
    private final ClientSession session;
    private final MethodDescriptor<ReqT, RespT> method;
    private final CallOptions options;
    private final Channel next;
    private final Context context = Context.current();

    private Listener<RespT> listener = new Listener<>() {};
    private Metadata headers = new Metadata();
    /** Makes the message of an attempt. */
    private @Nullable Supplier<ReqT> message;

    private boolean compression = true;

    private @Nullable AttemptedCall core;
    private @Nullable ClientAttempt<RespT> current;
    private @Nullable ClientCall<ReqT, RespT> currentCall;
    private Optional<String> server = Optional.empty();
    private boolean hasNumber;
    private boolean over;

    /** The next thing to do after an attempt. */
    private sealed interface Then {}

    /** Make another attempt. */
    private record Again(long delayMillis) implements Then {}

    /** The attempt's answer is the outcome. */
    private record Reply() implements Then {}

    /** There is no reply, and will be none. */
    private record End(Status status, Metadata trailers) implements Then {}

    GrpcCall(AtMostOnceClient client, MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
        this.client = client;
        this.session = client.session();
        this.method = method;
        this.options = options;
        this.next = next;
    }

    private static long now() {
        return System.nanoTime() / 1_000_000;
    }

    private static long wall() {
        return System.currentTimeMillis();
    }

    // ------------------------------------------------- the application

    @Override
    public void start(Listener<RespT> responses, Metadata sent) {
        listener = responses;
        headers = sent;
    }

    @Override
    public void request(int numMessages) {
        // There is one message, and it is handed over with the status.
    }

    @Override
    public void setMessageCompression(boolean enabled) {
        compression = enabled;
    }

    @Override
    public void sendMessage(ReqT sent) {
        if (sent instanceof InputStream) {
            // It can be read once, and each attempt reads it.
            byte[] bytes = HandlerCall.bytes(method.streamRequest(sent));
            message = () -> method.parseRequest(new ByteArrayInputStream(bytes));
        } else {
            message = () -> sent;
        }
    }

    @Override
    public void halfClose() {
        long timeout = timeoutMillis();
        synchronized (session) {
            if (over) {
                return;
            }
            core = new AttemptedCall(session, false, Math.max(1, timeout), 0, now());
            server = client.server();
            over = timeout < 1;
        }
        if (timeout < 1) {
            endLater(notRun(
                    Status.DEADLINE_EXCEEDED.withDescription("amo: the deadline had passed before the call began")));
        } else {
            attempt();
        }
    }

    private long timeoutMillis() {
        long timeout = client.deadlineMillis();
        Deadline ofOptions = options.getDeadline();
        if (ofOptions != null) {
            timeout = ofOptions.timeRemaining(TimeUnit.MILLISECONDS);
        }
        Deadline ofContext = context.getDeadline();
        return ofContext == null ? timeout : Math.min(timeout, ofContext.timeRemaining(TimeUnit.MILLISECONDS));
    }

    @Override
    public void cancel(@Nullable String reason, @Nullable Throwable cause) {
        ClientCall<ReqT, RespT> cut;
        End end;
        synchronized (session) {
            if (over) {
                return;
            }
            over = true;
            cut = currentCall;
            Status cancelled = Status.CANCELLED
                    .withDescription(reason == null ? "cancelled by the application" : reason)
                    .withCause(cause);
            end = core == null ? notRun(cancelled) : giveUp(core, cancelled);
        }
        if (cut != null) {
            cut.cancel(reason, cause);
        }
        endLater(end);
    }

    // ------------------------------------------------- attempts

    private void attempt() {
        Metadata sent = new Metadata();
        sent.merge(headers);
        CallMetadata.discardFrom(sent);
        ClientAttempt<RespT> attempt;
        long left;
        synchronized (session) {
            AttemptedCall known = core;
            if (over || known == null) {
                return;
            }
            long now = now();
            if (server.isEmpty()) {
                server = client.server(); // another call may have asked
            }
            attempt = new ClientAttempt<>(server.isEmpty(), this::onEnded);
            if (attempt.isHello()) {
                sent.put(CallMetadata.HELLO, "1");
            } else {
                Identity identity = known.send(now, wall()).identity();
                hasNumber = true;
                new CallMetadata(
                                identity.id().client(),
                                identity.id().number(),
                                identity.timestampMillis(),
                                identity.deadlineMillis(),
                                client.finished(now),
                                server)
                        .putInto(sent);
            }
            left = Math.max(1, Math.min(client.attemptMillis(), known.endMillis() - now));
            current = attempt;
        }
        begin(attempt, sent, left);
    }

    /** Without the lock: other interceptors run here, and gRPC tells some mistakes at once. */
    private void begin(ClientAttempt<RespT> attempt, Metadata sent, long leftMillis) {
        // gRPC ends the attempt with the application's context, also in the thread of a retry.
        Context before = context.attach();
        try {
            ClientCall<ReqT, RespT> call = next.newCall(
                    method,
                    options.withDeadline(Deadline.after(leftMillis, TimeUnit.MILLISECONDS))
                            .withWaitForReady()
                            .withOption(AtMostOnceClient.NUMBERED, true)
                            .withStreamTracerFactory(attempt.tracers()));
            synchronized (session) {
                if (current != attempt) {
                    return; // cancelled meanwhile, and taken for one that has not left
                }
                currentCall = call;
            }
            call.start(attempt, sent);
            call.request(2);
            Supplier<ReqT> whole = message;
            if (!attempt.isHello() && whole != null) {
                call.setMessageCompression(compression);
                call.sendMessage(whole.get());
            }
            call.halfClose();
        } catch (RuntimeException e) {
            // A message that cannot be written, for instance: another attempt would not fare better.
            onUnsendable(attempt, e);
        } finally {
            context.detach(before);
        }
    }

    private void onUnsendable(ClientAttempt<RespT> attempt, RuntimeException cause) {
        ClientCall<ReqT, RespT> cut;
        End end;
        synchronized (session) {
            AttemptedCall known = core;
            if (over || known == null || current != attempt) {
                return;
            }
            over = true;
            cut = currentCall;
            end = giveUp(
                    known,
                    Status.INTERNAL
                            .withDescription("amo: the call could not be sent")
                            .withCause(cause));
        }
        if (cut != null) {
            cut.cancel("amo: the attempt could not be sent", cause);
        }
        endLater(end);
    }

    private void onEnded(ClientAttempt<RespT> attempt) {
        Then then;
        synchronized (session) {
            AttemptedCall known = core;
            if (over || known == null || current != attempt) {
                return;
            }
            current = null;
            currentCall = null;
            then = attempt.isHello() ? afterHello(attempt, known) : after(attempt, known);
            if (then instanceof Again again && !client.later(this::attempt, again.delayMillis)) {
                then = giveUp(known, Status.UNAVAILABLE.withDescription("amo: the client interceptor is closed"));
            }
            over = !(then instanceof Again);
        }
        if (then instanceof End end) {
            end(end);
        } else if (then instanceof Reply) {
            reply(attempt);
        }
    }

    /** Nothing has been sent that could run. */
    private Then afterHello(ClientAttempt<RespT> attempt, AttemptedCall known) {
        Status status = attempt.status();
        String id = attempt.trailers().get(CallMetadata.SERVER);
        if (attempt.outcome().isPresent() && id != null) {
            Answer answer = AttemptOutcome.answer(AttemptOutcome.HELLO, attempt.trailers());
            session.onGroupTime(answer.orderedTimeMillis(), answer.upperMillis(), now());
            client.onServer(id);
            server = Optional.of(id);
            return new Again(0);
        }
        if (context.isCancelled()) {
            return notRun(status);
        }
        return switch (status.getCode()) {
            case OK, UNKNOWN, INTERNAL, UNIMPLEMENTED ->
                notRun(Status.FAILED_PRECONDITION.withDescription(
                        "amo: the server has no interceptor of amo for this method; it answered a hello with "
                                + status));
            case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, ABORTED, RESOURCE_EXHAUSTED ->
                known.endMillis() - now() > HELLO_PAUSE_MILLIS
                        ? new Again(HELLO_PAUSE_MILLIS)
                        : notRun(Status.UNAVAILABLE.withDescription(
                                "amo: no server answered before the deadline; last: " + status));
            default -> notRun(status);
        };
    }

    private Then after(ClientAttempt<RespT> attempt, AttemptedCall known) {
        Optional<AttemptOutcome> outcome = attempt.outcome();
        long now = now();
        if (outcome.isEmpty()) {
            return afterSilence(attempt, known, now);
        }
        String id = attempt.trailers().get(CallMetadata.SERVER);
        if (id != null) {
            client.onServer(id);
        }
        Answer answer = AttemptOutcome.answer(outcome.get(), attempt.trailers());
        if (outcome.get() == AttemptOutcome.WRONG_SERVER) {
            // An attempt may be at the server that was meant, by a retry of gRPC's own: so the call goes nowhere else.
            session.onGroupTime(answer.orderedTimeMillis(), answer.upperMillis(), now);
            return endBy(known.onBroken(true, now).step(), known, attempt.status());
        }
        Step step = known.onAnswer(answer, now, wall()).step();
        // The server knows that it will never know.
        return outcome.get() == AttemptOutcome.UNKNOWN
                ? endBy(step, known, attempt.status())
                : follow(step, known, attempt.status());
    }

    /** The attempt ended without a word of a server with amo. */
    private Then afterSilence(ClientAttempt<RespT> attempt, AttemptedCall known, long now) {
        Status status = attempt.status();
        if (status.isOk()) {
            return endBy(
                    known.onBroken(true, now).step(),
                    known,
                    Status.FAILED_PRECONDITION.withDescription(
                            "amo: a server without amo's interceptor has run this call, perhaps not for the first time"));
        }
        boolean left = attempt.hasLeft();
        if (context.isCancelled()) {
            return endBy(known.onBroken(left, now).step(), known, status);
        }
        return switch (status.getCode()) {
            case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, ABORTED, INTERNAL, UNKNOWN, DATA_LOSS ->
                follow(known.onBroken(left, now).step(), known, status);
            // Another interceptor or a proxy has decided, and would decide so again.
            default ->
                follow(
                        known.onServerException(AttemptedCall.ServerException.OTHER, 1, now, wall())
                                .step(),
                        known,
                        status);
        };
    }

    private Then follow(Step step, AttemptedCall known, Status last) {
        return switch (step.kind()) {
            case REPLY -> new Reply();
            case SEND_AGAIN -> new Again(step.delayMillis());
            case NOT_EXECUTED, UNKNOWN -> end(step, last);
            case WAIT -> endBy(step, known, last); // no other attempt is out
        };
    }

    /** No attempt follows. The present one, if it has not left, will not leave. */
    private End giveUp(AttemptedCall known, Status last) {
        ClientAttempt<RespT> open = current;
        current = null;
        currentCall = null;
        return open == null || open.isHello()
                ? end(abandon(known), last)
                : endBy(known.onBroken(open.hasLeft(), now()).step(), known, last);
    }

    /** No attempt follows, even if the step asks for one. */
    private End endBy(Step step, AttemptedCall known, Status last) {
        boolean isEnd = step.kind() == Step.Kind.NOT_EXECUTED || step.kind() == Step.Kind.UNKNOWN;
        return end(isEnd ? step : abandon(known), last);
    }

    private Step abandon(AttemptedCall known) {
        hasNumber = true;
        return known.giveUp(now(), wall());
    }

    /** The end of a call without a reply. */
    private static End end(Step step, Status last) {
        boolean mayHaveRun = step.kind() != Step.Kind.NOT_EXECUTED;
        Metadata trailers = new Metadata();
        AttemptOutcome.putMayHaveRun(trailers, mayHaveRun);
        return new End(
                last.augmentDescription(
                        mayHaveRun
                                ? "amo: the call may have run"
                                : "amo: the call did not run and will not"
                                        + step.reason()
                                                .map(why -> " (" + why + ")")
                                                .orElse("")),
                trailers);
    }

    private static End notRun(Status status) {
        Metadata trailers = new Metadata();
        AttemptOutcome.putMayHaveRun(trailers, false);
        return new End(status, trailers);
    }

    // ------------------------------------------------- the outcome

    private void reply(ClientAttempt<RespT> attempt) {
        Status status = attempt.status();
        try {
            attempt.headers().ifPresent(listener::onHeaders);
            attempt.message().ifPresent(listener::onMessage);
        } catch (RuntimeException e) {
            // As gRPC tells an interceptor's error: without a status its caller would wait for ever.
            status = Status.CANCELLED
                    .withDescription("amo: the reply could not be read")
                    .withCause(e);
        }
        try {
            listener.onClose(status, attempt.trailers());
        } finally {
            finish(Step.Kind.REPLY);
        }
    }

    private void end(End end) {
        try {
            listener.onClose(end.status, end.trailers);
        } finally {
            finish(Step.Kind.UNKNOWN);
        }
    }

    private void endLater(End end) {
        Executor given = options.getExecutor();
        try {
            (given == null ? client.callbacks() : given).execute(() -> end(end));
        } catch (RejectedExecutionException e) {
            end(end); // the client is closed
        }
    }

    /** The application has its outcome: the number is acknowledged with the next call. */
    private void finish(Step.Kind outcome) {
        synchronized (session) {
            AttemptedCall known = core;
            if (known != null && hasNumber) {
                known.finish(outcome);
            }
        }
    }
}
