package org.amo.replication.service;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.amo.core.order.FatalErrors;
import org.amo.core.replica.Execution;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Request;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs ordered requests on a handler, and reads on the handler of reads, if there is one. If the handler throws, the exception or error
 * is the reply, except for errors of the virtual machine ({@link FatalErrors}), which are thrown on.
 *
 * @param intercepted the handler with the interceptors around it
 * @param reads with the interceptors around them
 */
record HandlerServant(
        String group,
        AmoHandler handler,
        AmoHandler intercepted,
        Optional<AmoState> state,
        boolean commutative,
        Optional<AmoHandler> reads)
        implements ServantPort {
    private static final Logger LOG = LoggerFactory.getLogger(HandlerServant.class);
    private static final byte[] NOTHING = {};

    HandlerServant(String group, AmoHandler handler, Optional<AmoState> state, boolean commutative) {
        this(group, handler, handler, state, commutative, readsOf(handler));
    }

    /** The read-only methods of a service behind an interface. */
    static Optional<AmoHandler> readsOf(AmoHandler handler) {
        return handler instanceof TypedService typed ? Optional.of(typed::read) : Optional.empty();
    }

    @Override
    public boolean isCommutative() {
        return commutative;
    }

    @Override
    public byte[] execute(long position, long orderedTimeMillis, Request request) {
        return execute(new Execution(position, 0, orderedTimeMillis, request));
    }

    @Override
    public byte[] execute(Execution execution) {
        Request request = execution.request();
        Envelope envelope = envelope(request.body());
        ReplicaContext context = new ReplicaContext(group, execution, envelope.metadata());
        context.enter();
        try {
            byte[] reply = Payloads.reply(intercepted.handle(envelope.request(), context));
            return request.oneway() ? NOTHING : reply;
        } catch (Throwable e) {
            FatalErrors.in(e).ifPresent(error -> {
                throw error;
            });
            // An interruption, too: a replica that stops interrupts, and drops the reply.
            LOG.debug("request {} threw", request.id(), e);
            return request.oneway() ? NOTHING : thrown(request.body(), e);
        } finally {
            ReplicaContext.leave();
        }
    }

    /** The requests of a handler are its own, and may begin with any bytes. */
    private Envelope envelope(byte[] body) {
        return handler instanceof TypedService ? Envelope.of(body) : new Envelope(Map.of(), body);
    }

    private byte[] thrown(byte[] body, Throwable thrown) {
        return handler instanceof TypedService typed ? typed.thrown(body, thrown) : Payloads.thrown(thrown);
    }

    @Override
    public boolean hasReads() {
        return reads.isPresent();
    }

    /** A read has changed nothing, so want of memory or stack is a result, too, and ends no member. */
    @Override
    public byte[] read(long position, long orderedTimeMillis, byte[] body) {
        try {
            Envelope envelope = envelope(body);
            ReplicaContext context = ReplicaContext.ofRead(group, position, orderedTimeMillis, envelope.metadata());
            context.enter();
            return Payloads.reply(reads.orElseThrow().handle(envelope.request(), context));
        } catch (Throwable e) {
            FatalErrors.in(e)
                    .filter(error -> !(error instanceof StackOverflowError || error instanceof OutOfMemoryError))
                    .ifPresent(error -> {
                        throw error;
                    });
            LOG.debug("a read threw", e);
            return thrown(body, e);
        } finally {
            ReplicaContext.leave();
        }
    }

    @Override
    public String operation(Request request) {
        if (handler instanceof TypedService typed) {
            try {
                return typed.operation(envelope(request.body()).request());
            } catch (RuntimeException e) {
                LOG.debug("request {} names no method", request.id(), e);
            }
        }
        return "";
    }

    @Override
    public byte[] skipped(Request request) {
        return request.oneway() ? NOTHING : Payloads.skipped();
    }

    @Override
    public byte[] undone(Request request, String why) {
        return request.oneway()
                ? NOTHING
                : Payloads.thrown(new IllegalStateException(
                        "the effects of the call on the service's state are undone at all members: " + why));
    }

    @Override
    public Optional<byte[]> takeState() {
        try {
            return state.map(AmoState::take);
        } catch (RuntimeException e) {
            noSnapshot(e.getMessage());
        } catch (StackOverflowError e) {
            // Unlike in an operation, nothing has changed: the member may go on, and the others need not agree.
            noSnapshot("its state nests too deep for the stack; start every member with a larger -Xss");
        }
        return Optional.empty();
    }

    private void noSnapshot(@Nullable String why) {
        LOG.warn("group {} has no snapshot now, and its log grows: {}", group, why);
    }

    @Override
    public OptionalLong stateDigest() {
        Optional<AmoState> comparable = state.filter(AmoState::isComparable);
        if (comparable.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Payloads.fingerprint(comparable.get().take()));
        } catch (RuntimeException | StackOverflowError e) {
            // Told when a snapshot is due.
            LOG.debug("no digest of the state", e);
            return OptionalLong.empty();
        }
    }

    @Override
    public void restoreState(byte[] bytes) {
        state.orElseThrow(() -> new IllegalStateException(
                        "a snapshot came, and this service takes no state; give every member the same AmoState"))
                .restore(bytes);
    }

    @Override
    public Optional<byte[]> takeUpdate() {
        return state.map(AmoState::takeUpdate);
    }

    @Override
    public void applyUpdate(byte[] update) {
        state.orElseThrow(() -> new IllegalStateException(
                        "an update came, and this service takes no state; give every member the same AmoState"))
                .applyUpdate(update);
    }

    @Override
    public Optional<String> stateObstacle() {
        return state.isPresent()
                ? Optional.empty()
                : Optional.of("its service gives no state, which the backups need; give it a state(...), or use style"
                        + " active");
    }
}
