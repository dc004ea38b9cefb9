package org.amo.core.replica;

import java.util.Optional;
import java.util.OptionalLong;
import org.amo.base.RunningOperation;
import org.amo.core.request.Request;

/**
 * Marks the thread of a servant's operations, and of the taking and restoring of its state, as inside an operation of the
 * group ({@link RunningOperation}).
 */
public final class MarkedServant implements ServantPort {
    private final RunningOperation operation;
    private final ServantPort servant;

    /**
     * @param settings name the group, and whether its operations may make nested calls
     * @param servant does the work
     */
    public MarkedServant(ReplicaSettings settings, ServantPort servant) {
        this.operation = new RunningOperation(settings.group(), settings.nested() == ReplicaSettings.Nested.ALLOW);
        this.servant = servant;
    }

    @Override
    public byte[] execute(long position, long orderedTimeMillis, Request request) {
        return operation.run(() -> servant.execute(position, orderedTimeMillis, request));
    }

    @Override
    public String operation(Request request) {
        return servant.operation(request);
    }

    @Override
    public boolean isCommutative() {
        return servant.isCommutative();
    }

    @Override
    public byte[] skipped(Request request) {
        return servant.skipped(request);
    }

    @Override
    public Optional<byte[]> takeState() {
        return operation.run(servant::takeState);
    }

    @Override
    public OptionalLong stateDigest() {
        return operation.run(servant::stateDigest);
    }

    @Override
    public void restoreState(byte[] state) {
        operation.run(() -> {
            servant.restoreState(state);
            return state;
        });
    }
}
