package org.amo.kv;

import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.amo.base.DaemonThreads;
import org.amo.base.Experimental;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.lease.LeaseCollector;
import org.amo.replication.lease.LeaseService;
import org.amo.replication.service.AmoReplica;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One member of the coordinator: leases, cluster time and the map of tablets, replicated. With the log on disk all of it
 * survives as long as a majority of the members' disks does. Any thread may use it.
 */
@Experimental
public final class KvCoordinator implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KvCoordinator.class);
    private static final long RETRY_MILLIS = 200;

    private final KvSettings settings;
    private final AmoReplica replica;
    private final CoordinatorClient client;
    private final Consumer<OrderedLogException> onEnded;
    private final Thread clock;
    private volatile boolean closed;

    private KvCoordinator(
            KvSettings settings, AmoReplica replica, CoordinatorClient client, Consumer<OrderedLogException> onEnded) {
        this.settings = settings;
        this.replica = replica;
        this.client = client;
        this.onEnded = onEnded;
        this.clock = DaemonThreads.unstarted("amo-kv-clock-" + replica.id(), this::configureAndTick);
    }

    /**
     * Joins the group and serves.
     *
     * @param id which of the coordinators this is
     * @param data for its log
     * @param onEnded told why this member cannot take part any more; its process should end
     * @throws OrderedLogException when it cannot join or listen
     */
    public static KvCoordinator start(
            String id,
            KvAccess access,
            Path data,
            ReplicaSettings.Log log,
            KvSettings settings,
            Consumer<OrderedLogException> onEnded) {
        CoordinatorState state = new CoordinatorState();
        CoordinatorClient client = new CoordinatorClient(access);
        AmoReplica.Builder builder = AmoReplica.builder(KvAccess.GROUP)
                .id(id)
                .members(access.coordinators())
                .data(data)
                .log(log)
                .handler(state)
                .state(state)
                .questions(new LeaseCollector(settings.termMillis(), client.leases()))
                .onEnded(onEnded);
        access.secret().ifPresent(builder::secret);
        access.tls().ifPresent(tls -> builder.memberTls(tls).tls(tls, true));
        if (!access.isProtected()) {
            builder.insecure();
        }
        try {
            KvCoordinator coordinator = new KvCoordinator(settings, builder.start(), client, onEnded);
            coordinator.clock.start();
            return coordinator;
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    /** Whether this member orders the others' requests, as it knows; at most a second old. */
    public boolean leads() {
        return replica.status().leader().equals(replica.id());
    }

    /** Leases expire, and dead servers are noticed, only while requests are ordered: the leader sends some. */
    private void configureAndTick() {
        boolean configured = false;
        long tick = Math.min(LeaseService.tickMillis(settings.termMillis()), settings.deadAfterMillis() / 4);
        while (!closed) {
            try {
                if (!configured) {
                    KvSettings first = client.configure(settings).join();
                    if (!first.equals(settings)) {
                        onEnded.accept(new OrderedLogException(
                                OrderedLogException.Fault.USER,
                                "this cluster was set up with " + first + ", not with " + settings
                                        + "; start the coordinator with those values"));
                        return;
                    }
                    configured = true;
                } else if (leads()) {
                    client.time().join();
                }
            } catch (CompletionException e) {
                LOG.debug("the coordinator's group does not answer", e);
            }
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(configured ? tick : RETRY_MILLIS));
        }
    }

    /** Leaves the others to a majority of them; its log stays. Blocks for some seconds at most. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(clock);
        client.close();
        replica.close();
    }
}
