package org.amo.replication.service;

import java.util.Optional;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs ordered requests on a handler. */
final class HandlerServant implements ServantPort {
    private static final Logger LOG = LoggerFactory.getLogger(HandlerServant.class);
    private static final byte[] NOTHING = {};

    private final String group;
    private final AmoHandler handler;
    private final Optional<AmoState> state;
    private final boolean commutative;

    HandlerServant(String group, AmoHandler handler, Optional<AmoState> state, boolean commutative) {
        this.group = group;
        this.handler = handler;
        this.state = state;
        this.commutative = commutative;
    }

    @Override
    public boolean isCommutative() {
        return commutative;
    }

    @Override
    public byte[] execute(long position, long orderedTimeMillis, Request request) {
        ReplicaContext context = new ReplicaContext(group, position, orderedTimeMillis, request);
        context.enter();
        try {
            byte[] reply = Payloads.reply(handler.handle(request.body(), context));
            return request.oneway() ? NOTHING : reply;
        } catch (InterruptedException e) {
            // Only a replica that stops interrupts; this is no reply that the others would give.
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a request ran", e);
        } catch (Exception e) {
            LOG.debug("request {} threw", request.id(), e);
            return request.oneway() ? NOTHING : Payloads.thrown(e);
        } finally {
            ReplicaContext.leave();
        }
    }

    @Override
    public Optional<byte[]> takeState() {
        return state.map(AmoState::take);
    }

    @Override
    public void restoreState(byte[] bytes) {
        state.orElseThrow(() -> new IllegalStateException(
                        "a snapshot came, and this service takes no state; give every member the same AmoState"))
                .restore(bytes);
    }
}
