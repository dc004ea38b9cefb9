package org.amo.core.replica;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.amo.base.NestedCalls;
import org.amo.base.OperationAgent;
import org.amo.base.RunningOperation;
import org.amo.core.request.Request;

/**
 * Marks the thread of a servant's operations, and of the taking and restoring of its state, as inside an operation of the
 * group ({@link RunningOperation}), and tells the agent of deterministic execution ({@link OperationAgent}).
 */
public final class MarkedServant implements ServantPort {
    private final RunningOperation operation;
    private final OperationAgent agent;
    private final ServantPort servant;

    /**
     * @param settings name the group, and whether its operations may make nested calls
     * @param servant does the work
     */
    public MarkedServant(ReplicaSettings settings, ServantPort servant) {
        this(settings, servant, Optional.empty());
    }

    /**
     * @param settings name the group, and whether its operations may make nested calls
     * @param servant does the work
     * @param nested makes the nested calls of operations, if the group orders their results
     */
    public MarkedServant(ReplicaSettings settings, ServantPort servant, Optional<NestedCalls> nested) {
        this.operation = nested.map(ordered -> new RunningOperation(settings.group(), ordered))
                .orElseGet(() ->
                        new RunningOperation(settings.group(), settings.nested() == ReplicaSettings.Nested.ALLOW));
        this.agent =
                new OperationAgent("amo", settings.group(), settings.secret().orElse(""));
        this.servant = servant;
    }

    @Override
    public byte[] execute(long position, long orderedTimeMillis, Request request) {
        return execute(new Execution(position, 0, orderedTimeMillis, request));
    }

    @Override
    public byte[] execute(Execution execution) {
        return inside(() -> agent.run(
                execution.position(),
                execution.index(),
                execution.request().id().client(),
                execution.request().id().number(),
                execution.orderedTimeMillis(),
                execution.seed(),
                () -> servant.execute(execution)));
    }

    @Override
    public boolean hasTimers() {
        return OperationAgent.ordersTasks() || servant.hasTimers();
    }

    @Override
    public void reached(long position, long orderedTimeMillis) {
        servant.reached(position, orderedTimeMillis);
        inside(() -> {
            agent.fireTimers(position, orderedTimeMillis);
            return true;
        });
    }

    @Override
    public OptionalLong nextTimerMillis() {
        OptionalLong ofAgent = agent.nextTimerMillis();
        OptionalLong ofServant = servant.nextTimerMillis();
        return ofAgent.isPresent() && ofServant.isPresent()
                ? OptionalLong.of(Math.min(ofAgent.getAsLong(), ofServant.getAsLong()))
                : ofAgent.isPresent() ? ofAgent : ofServant;
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
    public byte[] replyTooLong(Request request, long bytes, long most) {
        return servant.replyTooLong(request, bytes, most);
    }

    @Override
    public Optional<byte[]> takeState() {
        return inside(() -> agent.runOnState(servant::takeState))
                .map(state -> new ClockedState(agent.clockAhead(), state).encode());
    }

    @Override
    public OptionalLong stateDigest() {
        return inside(() -> agent.runOnState(servant::stateDigest));
    }

    @Override
    public void restoreState(byte[] state) {
        ClockedState clocked = ClockedState.decode(state);
        agent.dropTasks();
        inside(() -> agent.runOnState(() -> {
            servant.restoreState(clocked.state());
            return state;
        }));
        clocked.clockNanos().ifPresent(agent::restoreClock);
    }

    @Override
    public Optional<byte[]> takeUpdate() {
        return inside(() -> agent.runOnState(servant::takeUpdate))
                .map(update -> new ClockedState(agent.clockAhead(), update).encode());
    }

    @Override
    public void applyUpdate(byte[] update) {
        ClockedState clocked = ClockedState.decode(update);
        inside(() -> agent.runOnState(() -> {
            servant.applyUpdate(clocked.state());
            return update;
        }));
        clocked.clockNanos().ifPresent(agent::restoreClock);
    }

    @Override
    public Optional<String> stateObstacle() {
        return servant.stateObstacle();
    }

    /**
     * An operation may leave its thread interrupted, at every member alike. The next wait of the thread would end it then, and its next
     * file would be closed. A member that stops says so in another way, too.
     */
    private <T> T inside(Supplier<T> work) {
        try {
            return operation.run(work);
        } finally {
            boolean unused = Thread.interrupted();
        }
    }
}
