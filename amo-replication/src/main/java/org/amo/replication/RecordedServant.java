package org.amo.replication;

import java.util.OptionalLong;
import java.util.function.BiConsumer;
import org.amo.core.replica.Execution;
import org.amo.core.replica.Place;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Request;

/** Runs requests and timers on a servant, and tells of each execution of a request, with its reply. */
final class RecordedServant implements ServantPort {
    private static final byte[] NO_REPLY = {};

    private final ServantPort servant;
    private final BiConsumer<Execution, byte[]> told;

    RecordedServant(ServantPort servant, BiConsumer<Execution, byte[]> told) {
        this.servant = servant;
        this.told = told;
    }

    @Override
    public byte[] execute(long position, long orderedTimeMillis, Request request) {
        return execute(new Execution(position, 0, orderedTimeMillis, request));
    }

    @Override
    public byte[] execute(Execution running) {
        byte[] reply = servant.execute(running);
        told.accept(running, running.request().oneway() ? NO_REPLY : reply);
        return reply;
    }

    @Override
    public byte[] skipped(Request request) {
        return servant.skipped(request);
    }

    @Override
    public void fireTimer(Place place, long orderedTimeMillis) {
        servant.fireTimer(place, orderedTimeMillis);
    }

    @Override
    public void dropTimer() {
        servant.dropTimer();
    }

    @Override
    public OptionalLong nextTimerMillis() {
        return servant.nextTimerMillis();
    }
}
