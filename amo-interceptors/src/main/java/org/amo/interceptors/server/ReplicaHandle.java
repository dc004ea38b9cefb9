package org.amo.interceptors.server;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.amo.base.DaemonThreads;
import org.amo.base.ProcessExit;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ReplicatedServiceProvider;
import org.amo.core.replica.ServantPort;
import org.amo.interceptors.jacorb.JacorbAccess;
import org.omg.CORBA.INITIALIZE;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replica of one ORB, opened by its first object.
 *
 * <p>It is opened in a thread of its own, since joining may take long (the others are not up yet) while the server's
 * main has more objects to activate and its references to publish. A failure within the first seconds still fails
 * the call that activated the object.
 */
final class ReplicaHandle {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaHandle.class);
    private static final Duration QUICK = Duration.ofSeconds(3);

    /** The members that this process is, as group and id. */
    private static final Set<String> MEMBERS_HERE = ConcurrentHashMap.newKeySet();

    private final JacorbAccess jacorb;
    private final ReplicatedServiceProvider provider;
    private final ReplicaSettings settings;
    private final ServantPort servant;
    private final Optional<Function<byte[], OptionalLong>> fingerprints;
    private final LazyResource<ReplicatedService> service = new LazyResource<>(ReplicatedService::close);
    private final LazyResource<Runnable> datagrams = new LazyResource<>(Runnable::run);
    private volatile Consumer<String> onFailure = why -> {};
    private boolean opened;
    private boolean closed;

    /** @param fingerprints of requests that come in datagrams; empty for a member that takes none */
    ReplicaHandle(
            JacorbAccess jacorb,
            ReplicatedServiceProvider provider,
            ReplicaSettings settings,
            ServantPort servant,
            Optional<Function<byte[], OptionalLong>> fingerprints) {
        this.jacorb = jacorb;
        this.provider = provider;
        this.settings = settings;
        this.servant = servant;
        this.fingerprints = fingerprints;
    }

    /** Told, in one line, that the replica could not be opened, or had to stop. */
    void onFailure(Consumer<String> listener) {
        onFailure = listener;
    }

    /**
     * Opens the replica, once.
     *
     * @throws INITIALIZE when it is known by then that it cannot be opened
     */
    void open() {
        synchronized (this) {
            if (opened) {
                return;
            }
            if (!MEMBERS_HERE.add(member())) {
                throw Failures.tell(
                        jacorb,
                        ProcessExit.USER,
                        new INITIALIZE("amo: another ORB of this process is member " + settings.id() + " of group "
                                + settings.group() + "; activate all replicated objects in one ORB"));
            }
            opened = true;
        }
        DaemonThreads.start("amo-goa-open", this::run);
        try {
            service.get(QUICK.toMillis());
        } catch (TimeoutException e) {
            LOG.info("member {} is still joining group {}", settings.id(), settings.group());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            INITIALIZE failure = new INITIALIZE(message(cause));
            failure.initCause(cause);
            throw failure;
        }
    }

    private String member() {
        return settings.group() + "/" + settings.id();
    }

    private void run() {
        try {
            ReplicatedService replica = provider.open(settings, servant, this::fail);
            takeDatagrams(replica);
            service.opened(replica);
        } catch (RuntimeException | Error e) {
            fail(e);
            service.failed(e);
        }
    }

    private void takeDatagrams(ReplicatedService replica) {
        try {
            fingerprints.ifPresent(those -> datagrams.opened(provider.takeDatagrams(settings, replica, those)));
        } catch (RuntimeException e) {
            replica.close();
            throw e;
        }
    }

    private void fail(Throwable cause) {
        onFailure.accept(message(cause));
        Failures.tell(jacorb, exitCode(cause), new INITIALIZE(message(cause)));
    }

    private static int exitCode(Throwable failure) {
        return failure instanceof OrderedLogException log && log.fault() == OrderedLogException.Fault.USER
                ? ProcessExit.USER
                : ProcessExit.ENVIRONMENT;
    }

    private String message(Throwable cause) {
        return "amo: member " + settings.id() + " cannot take part in group " + settings.group() + ": "
                + cause.getMessage();
    }

    /** The replica, waiting for it at most so long; empty when it is not there. */
    Optional<ReplicatedService> await(Duration patience) {
        try {
            return Optional.of(service.get(patience.toMillis()));
        } catch (TimeoutException | ExecutionException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** The replica if it is open. Does not wait. */
    Optional<ReplicatedService> now() {
        return service.now();
    }

    void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            if (opened) {
                MEMBERS_HERE.remove(member());
            }
        }
        datagrams.close();
        service.close();
    }
}
