package org.amo.replication;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.amo.base.OperationAgent;
import org.amo.core.order.FatalErrors;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.FaultHooks;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ReplicatedServiceProvider;
import org.amo.core.replica.ServantPort;
import org.amo.replication.order.OrderedLogs;
import org.amo.replication.rpc.MemberDatagrams;

/**
 * Opens replicas over the ordered logs of this module; named in META-INF/services. An error of the virtual machine ends
 * the process unless another {@link FatalErrors} is given.
 */
public final class ReplicationProvider implements ReplicatedServiceProvider {

    @Override
    public ReplicatedService open(ReplicaSettings settings, ServantPort servant, Consumer<OrderedLogException> ended) {
        return open(
                settings,
                servant,
                OrderedLogs.open(settings, InstalledFaultHooks.INSTALLED),
                ended,
                ProcessEnd.atOnce());
    }

    /**
     * The same over a log of the caller's, which was not started yet.
     *
     * @throws OrderedLogException when its guarantee is not enough for the servant; one line
     */
    public static ReplicatedService open(
            ReplicaSettings settings, ServantPort servant, OrderedLog log, Consumer<OrderedLogException> ended) {
        return open(settings, servant, log, ended, ProcessEnd.atOnce());
    }

    /**
     * The same, with a handler for errors of the virtual machine.
     *
     * @throws OrderedLogException when its guarantee is not enough for the servant; one line
     */
    public static ReplicatedService open(
            ReplicaSettings settings,
            ServantPort servant,
            OrderedLog log,
            Consumer<OrderedLogException> ended,
            FatalErrors fatal) {
        if (log.guarantee() == OrderedLog.Guarantee.QUASI_TOTAL && !servant.isCommutative()) {
            throw new OrderedLogException(
                    OrderedLogException.Fault.USER,
                    "group " + settings.group() + ": the ordered log of member " + settings.id()
                            + " may violate the order (QUASI_TOTAL), and the service does not say that its operations"
                            + " commute; declare it commutative() if they do, or use order raft");
        }
        if (log.guarantee() == OrderedLog.Guarantee.QUASI_TOTAL
                && settings.nested() == ReplicaSettings.Nested.ORDERED) {
            throw new OrderedLogException(
                    OrderedLogException.Fault.USER,
                    "group " + settings.group() + ": the ordered log of member " + settings.id()
                            + " may violate the order (QUASI_TOTAL), so members would take different results of nested"
                            + " calls; use order raft, or leave out --nested ordered");
        }
        if (settings.executors() > 1 && (OperationAgent.ordersTasks() || servant.hasTimers())) {
            throw new OrderedLogException(
                    OrderedLogException.Fault.USER,
                    "member " + settings.id() + " of group " + settings.group()
                            + " has --execute parallel (amo.execute),"
                            + " which runs several operations at once, and --threads ordered (amo.threads) has one place of"
                            + " the order for each task; remove one of the two");
        }
        if (settings.style() == ReplicaSettings.Style.PASSIVE) {
            checkPassive(settings, servant, log);
        }
        FaultHooks faults = InstalledFaultHooks.INSTALLED;
        RunningReplica replica = new RunningReplica(
                settings, faults.around(settings, servant), faults.around(settings, log), ended, fatal);
        replica.start();
        return faults.around(settings, replica);
    }

    @Override
    public Runnable takeDatagrams(
            ReplicaSettings settings, ReplicatedService service, Function<byte[], OptionalLong> fingerprints) {
        return MemberDatagrams.open(settings, service, fingerprints, ProcessEnd.atOnce())::close;
    }

    private static void checkPassive(ReplicaSettings settings, ServantPort servant, OrderedLog log) {
        Optional<String> obstacle = servant.stateObstacle();
        if (log.guarantee() == OrderedLog.Guarantee.QUASI_TOTAL) {
            obstacle = Optional.of(
                    "its ordered log may violate the order (QUASI_TOTAL), and updates need one; use order raft, or"
                            + " style active");
        } else if (OperationAgent.ordersTasks() || servant.hasTimers()) {
            obstacle = Optional.of(
                    "timers of operations (--threads ordered, amo.threads) would be at the primary alone, and be lost with"
                            + " it; use --threads warn or refuse, or style active");
        }
        obstacle.ifPresent(why -> {
            throw new OrderedLogException(
                    OrderedLogException.Fault.USER,
                    "member " + settings.id() + " of group " + settings.group() + " cannot run in style passive: "
                            + why);
        });
    }
}
