package org.amo.core.replica;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
    private final ReplicaSettings settings;
    private final OperationAgent agent;
    private final ServantPort servant;

    /** With several executors: the group's time of the latest execution that has begun. */
    private final AtomicLong latestMillis = new AtomicLong();

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
        this.settings = settings;
        this.agent = newAgent();
        this.servant = servant;
    }

    private OperationAgent newAgent() {
        return new OperationAgent("amo", settings.group(), settings.secret().orElse(""));
    }

    @Override
    public byte[] execute(long position, long orderedTimeMillis, Request request) {
        return execute(new Execution(position, 0, orderedTimeMillis, request));
    }

    @Override
    public byte[] execute(Execution execution) {
        if (!runsAtOnce()) {
            return execute(execution, agent);
        }
        latestMillis.accumulateAndGet(execution.orderedTimeMillis(), Math::max);
        // An agent of its own: the clock begins at the group's time, wherever other operations have moved theirs.
        return execute(execution, newAgent());
    }

    private boolean runsAtOnce() {
        return settings.executors() > 1;
    }

    private byte[] execute(Execution execution, OperationAgent ofOperation) {
        return operation.run(() -> ofOperation.run(
                execution.position(),
                execution.index(),
                execution.request().id().client(),
                execution.request().id().number(),
                execution.orderedTimeMillis(),
                execution.seed(),
                () -> servant.execute(execution)));
    }

    /** Calls of a read are refused: it runs at one member, and perhaps again at another one. */
    @Override
    public byte[] read(long position, long orderedTimeMillis, byte[] body) {
        return RunningOperation.ofRead(settings.group())
                .run(() -> onState(() -> servant.read(position, orderedTimeMillis, body)));
    }

    @Override
    public boolean hasReads() {
        return servant.hasReads();
    }

    @Override
    public boolean hasTimers() {
        return OperationAgent.ordersTasks() || servant.hasTimers();
    }

    @Override
    public void fireTimer(Place place, long orderedTimeMillis) {
        if (isServantsNext()) {
            servant.fireTimer(place, orderedTimeMillis);
            return;
        }
        operation.run(() -> {
            agent.fireTimer(place.position(), place.turn(), orderedTimeMillis);
            return true;
        });
    }

    @Override
    public void dropTimer() {
        if (isServantsNext()) {
            servant.dropTimer();
        } else {
            agent.dropTimer();
        }
    }

    /** Whether the first timer is one that the servant itself has, and not the agent. */
    private boolean isServantsNext() {
        OptionalLong ofServant = servant.nextTimerMillis();
        return ofServant.isPresent()
                && ofServant.getAsLong() <= agent.nextTimerMillis().orElse(Long.MAX_VALUE);
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
    public Set<Object> keys(Request request) {
        return servant.keys(request);
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
    public byte[] undone(Request request, String why) {
        return servant.undone(request, why);
    }

    @Override
    public Optional<byte[]> takeState() {
        return operation
                .run(() -> onState(servant::takeState))
                .map(state -> new ClockedState(runsAtOnce() ? Optional.empty() : agent.clockAhead(), state).encode());
    }

    @Override
    public OptionalLong stateDigest() {
        return withTimers(operation.run(() -> onState(servant::stateDigest)));
    }

    @Override
    public OptionalLong digestAtMark(boolean due) {
        OptionalLong ofServant = operation.run(() -> onState(() -> servant.digestAtMark(due)));
        return due ? withTimers(ofServant) : OptionalLong.empty();
    }

    private OptionalLong withTimers(OptionalLong ofServant) {
        boolean failed = servant.hasStateDigest() && ofServant.isEmpty();
        if (!OperationAgent.ordersTasks() || failed) {
            return ofServant;
        }
        // No reply tells of a timer that only some members have.
        long timers = agent.timersDigest();
        return OptionalLong.of(timers == 0 ? ofServant.orElse(0) : Digest.mix(ofServant.orElse(0), timers));
    }

    @Override
    public boolean hasStateDigest() {
        return servant.hasStateDigest() || OperationAgent.ordersTasks();
    }

    private <T> T onState(Supplier<T> work) {
        if (runsAtOnce()) {
            agent.restoreClock(TimeUnit.MILLISECONDS.toNanos(latestMillis.get()));
        }
        return agent.readState(work);
    }

    @Override
    public void restoreState(byte[] state) {
        ClockedState clocked = ClockedState.decode(state);
        agent.dropTasks();
        operation.run(() -> agent.runOnState(() -> {
            servant.restoreState(clocked.state());
            return state;
        }));
        clocked.clockNanos().ifPresent(agent::restoreClock);
    }

    @Override
    public Optional<byte[]> takeUpdate() {
        return operation
                .run(() -> agent.readState(servant::takeUpdate))
                .map(update -> new ClockedState(agent.clockAhead(), update).encode());
    }

    @Override
    public void applyUpdate(byte[] update) {
        ClockedState clocked = ClockedState.decode(update);
        operation.run(() -> agent.runOnState(() -> {
            servant.applyUpdate(clocked.state());
            return update;
        }));
        clocked.clockNanos().ifPresent(agent::restoreClock);
    }

    @Override
    public Optional<String> stateObstacle() {
        return servant.stateObstacle();
    }
}
