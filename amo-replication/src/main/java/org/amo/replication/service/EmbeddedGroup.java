package org.amo.replication.service;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.amo.base.ClientId;
import org.amo.base.DaemonThreads;
import org.amo.base.Stable;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ServantPort;
import org.amo.replication.ReplicationProvider;
import org.amo.replication.order.InMemoryLogs;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A whole group in one process, without ports and files: for the tests of a service. Every member has a service object of its
 * own and runs the same protocol as in production; only the ordered log and the connections are in memory. Members can be
 * crashed, cut off and started again, while {@link #client}s call; as in production, calls run while a majority of the members is
 * up and connected. A read that changes the service's state throws. Any thread may use it.
 */
@Stable
public final class EmbeddedGroup implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedGroup.class);
    private static final String NAME = "embedded";

    private final String name;
    private final ReplicaSettings.Nested nested;
    private final Supplier<ServantPort> servants;
    private final ReplicaSettings.Style style;
    private final Optional<Supplier<SnapshotCheck.Checked>> checked;
    private final AtomicReference<@Nullable String> fault = new AtomicReference<>();
    private final List<Member> members;
    private final InMemoryLogs logs;
    private final Map<String, ReplicatedService> running = new LinkedHashMap<>();
    private final List<LocalLinks> links = new CopyOnWriteArrayList<>();
    private final List<AmoClient> clients = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService owner =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.factory("amo-embedded-clients"));

    /** @param checked makes services; the first member checks their snapshots */
    EmbeddedGroup(int size, Supplier<ServantPort> servants, Optional<Supplier<SnapshotCheck.Checked>> checked) {
        this(NAME, size, servants, checked, ReplicaSettings.Nested.REFUSE, ReplicaSettings.Style.ACTIVE);
    }

    private EmbeddedGroup(
            String name,
            int size,
            Supplier<ServantPort> servants,
            Optional<Supplier<SnapshotCheck.Checked>> checked,
            ReplicaSettings.Nested nested,
            ReplicaSettings.Style style) {
        this.name = name;
        this.nested = nested;
        if (size < 1 || size > 9) {
            throw new IllegalArgumentException("an embedded group has 1 to 9 members, not " + size);
        }
        this.logs = new InMemoryLogs(size);
        this.servants = servants;
        this.style = style;
        this.checked = checked;
        // The ports stand for nothing.
        this.members = IntStream.range(0, size)
                .mapToObj(index -> new Member(String.valueOf((char) ('a' + index)), "embedded", 1, 1))
                .toList();
        startAll();
    }

    /** A group of a handler; each member gets one from the supplier. */
    public static EmbeddedGroup ofHandler(int size, Supplier<AmoHandler> handlers) {
        return new EmbeddedGroup(size, () -> servant(handlers.get(), Optional.empty()), Optional.empty());
    }

    /**
     * A group of a service behind an interface; each member, and each start of one, gets a new object from the supplier.
     *
     * <p>The first member checks the service's snapshots, too: after every request another object from the supplier is restored
     * from the state, and runs the next request beside the first one. If their replies or states differ, {@link #awaitAgreement}
     * and {@link #close} throw, and name the field.
     *
     * @throws IllegalArgumentException in one line if the service has a field that no snapshot can hold, or if the supplier gives
     *     one object twice
     */
    public static <T> EmbeddedGroup of(int size, Class<T> type, Supplier<? extends T> services) {
        Supplier<SnapshotCheck.Checked> checked = made(type, services, true);
        requireNewObjects(checked);
        return new EmbeddedGroup(size, () -> checked.get().servant(), Optional.of(checked));
    }

    /**
     * A group of style passive: the leader runs the requests, and the other members apply the updates of its state. The service
     * need not be deterministic.
     *
     * @throws IllegalArgumentException in one line if the service has a field that no update can hold, or if the supplier gives one
     *     object twice
     */
    public static <T> EmbeddedGroup ofPassive(int size, Class<T> type, Supplier<? extends T> services) {
        Supplier<SnapshotCheck.Checked> made = made(type, services, false);
        requireNewObjects(made);
        return new EmbeddedGroup(
                NAME,
                size,
                () -> made.get().servant(),
                Optional.empty(),
                ReplicaSettings.Nested.REFUSE,
                ReplicaSettings.Style.PASSIVE);
    }

    /** The same for a service without snapshots, or with requests that must not run a second time at one member. */
    public static <T> EmbeddedGroup ofWithoutSnapshots(int size, Class<T> type, Supplier<? extends T> services) {
        MethodTable methods = MethodTable.ofService(type);
        return ofHandler(size, () -> new TypedService(methods, services.get()));
    }

    /**
     * A group with a service that may call other groups by their {@link AmoClient}s: one member makes each call for the group
     * ({@link AmoReplica.Builder#orderNestedCalls}). Snapshots are not checked, since the checking would call, too.
     *
     * @param name of the group; another one than that of the called groups, which is "embedded" unless it is given
     */
    public static <T> EmbeddedGroup ofOrderingNestedCalls(
            String name, int size, Class<T> type, Supplier<? extends T> services) {
        MethodTable methods = MethodTable.ofService(type);
        return new EmbeddedGroup(
                name,
                size,
                () -> new HandlerServant(name, new TypedService(methods, services.get()), Optional.empty(), false),
                Optional.empty(),
                ReplicaSettings.Nested.ORDERED,
                ReplicaSettings.Style.ACTIVE);
    }

    /** @param keepsHashOrder whether all members execute */
    private static <T> Supplier<SnapshotCheck.Checked> made(
            Class<T> type, Supplier<? extends T> services, boolean keepsHashOrder) {
        MethodTable methods = MethodTable.ofService(type);
        return () -> {
            T service = services.get();
            AmoState state = service instanceof AmoState own ? own : fields(service, keepsHashOrder);
            return new SnapshotCheck.Checked(
                    service, servant(new TypedService(methods, service), Optional.of(state)), state);
        };
    }

    /** Members that share an object run each request on it several times, and at the same time. */
    private static void requireNewObjects(Supplier<SnapshotCheck.Checked> checked) {
        Object first = checked.get().service();
        if (first == checked.get().service()) {
            throw new IllegalArgumentException("the supplier gives the same "
                    + first.getClass().getName() + " twice; it must make a new one for each member and start");
        }
    }

    private static FieldState fields(Object service, boolean keepsHashOrder) {
        FieldState fields = new FieldState(service, keepsHashOrder);
        fields.obstacle().ifPresent(why -> {
            throw new IllegalArgumentException(why + "; or test it with EmbeddedGroup.ofWithoutSnapshots");
        });
        return fields;
    }

    private static HandlerServant servant(AmoHandler handler, Optional<AmoState> state) {
        Optional<AmoHandler> reads = HandlerServant.readsOf(handler);
        return new HandlerServant(
                NAME,
                handler,
                handler,
                state,
                false,
                state.isEmpty() ? reads : reads.map(each -> new ReadCheck(each, state.get())));
    }

    /** The members' ids: a, b, c … */
    public List<String> members() {
        return members.stream().map(Member::id).toList();
    }

    /** A client with a deadline of 10 s; it ends with the group. */
    public AmoClient client() {
        return client(Duration.ofSeconds(10));
    }

    /** A client that gives its calls that long; it ends with the group. */
    public AmoClient client(Duration deadline) {
        ClientId id = AmoClient.Builder.drawId();
        List<LocalLinks> ways = List.of(new LocalLinks(this, owner, id), new LocalLinks(this, owner, id));
        links.addAll(ways);
        AmoClient client = AmoClient.builder(name)
                .deadline(deadline)
                .insecure()
                .build(
                        id,
                        members(),
                        owner,
                        ways.get(0),
                        Optional.of(ways.get(1)),
                        Optional.empty(),
                        former -> ways.get(0),
                        () -> links.removeAll(ways));
        clients.add(client);
        return client;
    }

    /** The status of a member, as it knows it; empty while it is down. */
    public Optional<ReplicaStatus> status(String member) {
        return service(member).map(ReplicatedService::status);
    }

    /** The member is gone at once, with all that was on its way to it and from it. Does nothing to one that is down. */
    public void crash(String member) {
        Optional<ReplicatedService> gone;
        synchronized (running) {
            gone = Optional.ofNullable(running.remove(check(member)));
        }
        if (gone.isPresent()) {
            int index = members().indexOf(member);
            links.forEach(ways -> ways.crashed(index));
            gone.get().close();
        }
    }

    /**
     * The member loses its way to the others, until {@link #reconnect}: it orders nothing and learns of nothing, also if it is
     * restarted. Clients still reach it. Without a majority of the members no call runs.
     */
    public void cutOff(String member) {
        logs.cutOff(check(member));
    }

    /** The member reaches the others again, and runs what it has missed. */
    public void reconnect(String member) {
        logs.reconnect(check(member));
    }

    /** All members are gone at once, and begin anew together: as after a loss of power. */
    public void restartAll() {
        members().forEach(this::crash);
        startAll();
    }

    /**
     * The member begins anew: its service object runs everything that the group has run. Not for one that is up. Without a majority it
     * waits for two seconds, and then for the others.
     */
    public void restart(String member) {
        if (service(member).isPresent()) {
            throw new IllegalStateException("member " + member + " is up; crash it first");
        }
        start(member);
    }

    /**
     * Waits until all members that are up have run the same requests; at most so long. Returns whether they have.
     *
     * @throws IllegalStateException in one line if the service was different after a snapshot
     */
    public boolean awaitAgreement(Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        do {
            // Members that differ for good would use up the patience.
            checkSnapshots();
            List<ReplicatedService> up;
            synchronized (running) {
                up = new ArrayList<>(running.values());
            }
            List<ReplicaStatus> told =
                    up.stream().map(ReplicatedService::status).toList();
            if (told.stream()
                            .allMatch(
                                    one -> one.executedPosition() == told.get(0).executedPosition()
                                            && one.digest().equals(told.get(0).digest()))
                    && statesAgree(told)) {
                checkSnapshots();
                return true;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        } while (System.nanoTime() < end);
        return false;
    }

    /** Members take digests of their states at the same positions, but not at the same time. */
    private static boolean statesAgree(List<ReplicaStatus> told) {
        Map<String, String> byPosition = new HashMap<>();
        for (ReplicaStatus one : told) {
            String position = one.stateDigest().replaceFirst("@.*", "");
            if (!byPosition
                    .computeIfAbsent(position, first -> one.stateDigest())
                    .equals(one.stateDigest())) {
                return false;
            }
        }
        return true;
    }

    private void checkSnapshots() {
        String found = fault.get();
        if (found != null) {
            throw new IllegalStateException(found);
        }
    }

    /**
     * Ends clients and members.
     *
     * @throws IllegalStateException in one line if the service was different after a snapshot
     */
    @Override
    public void close() {
        clients.forEach(AmoClient::close);
        members().forEach(this::crash);
        logs.close();
        owner.shutdownNow();
        checkSnapshots();
    }

    Optional<ReplicatedService> service(String member) {
        synchronized (running) {
            return Optional.ofNullable(running.get(check(member)));
        }
    }

    /** At once, since the first ones wait for a majority. */
    private void startAll() {
        List<CompletableFuture<Void>> starting = new ArrayList<>();
        for (Member member : members) {
            CompletableFuture<Void> started = new CompletableFuture<>();
            starting.add(started);
            DaemonThreads.start("amo-embedded-start-" + member.id(), () -> {
                try {
                    start(member.id());
                    started.complete(null);
                } catch (RuntimeException | Error e) {
                    started.completeExceptionally(e);
                }
            });
        }
        try {
            starting.forEach(CompletableFuture::join);
        } catch (CompletionException e) {
            close();
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private void start(String member) {
        ReplicaSettings settings = ReplicaSettings.builder(name, member, members)
                .nested(nested)
                .log(ReplicaSettings.Log.MEMORY)
                .data(Path.of("."))
                // The group compares states by itself, and a member that ends would hide the difference from the test.
                .divergence(ReplicaSettings.Divergence.OFF)
                .style(style)
                .build();
        ServantPort servant = checked.isPresent() && member.equals(members().get(0))
                ? new SnapshotCheck(checked.get(), what -> fault.compareAndSet(null, what))
                : servants.get();
        ReplicatedService started = ReplicationProvider.open(
                settings,
                servant,
                logs.member(member),
                why -> LOG.error("member {} ended: {}", member, why.getMessage()),
                // The process is the user's test: only the member ends.
                (name, error) -> LOG.error("{} ends: {}", name, error.toString()));
        synchronized (running) {
            running.put(member, started);
        }
    }

    private String check(String member) {
        if (!members().contains(member)) {
            throw new IllegalArgumentException("no member '" + member + "' among " + members());
        }
        return member;
    }
}
