package org.amo.examples.kv;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.amo.base.ClientId;
import org.amo.base.RunningOperation;
import org.amo.examples.kv.CoordinatorClient.Place;
import org.amo.examples.kv.KvRequest.Kind;
import org.amo.linearizable.lease.LeaseAgent;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rocksdb.StoreOutcome;
import org.amo.linearizable.rpclog.RpcHeader;
import org.amo.linearizable.rpclog.RpcTracker;
import org.amo.net.EventLoops;
import org.amo.replication.lease.LeaseKeeper;
import org.amo.replication.rpc.RpcPeer;
import org.amo.replication.rpc.RpcTransport;

/**
 * Calls a cluster of {@link KvServer}s. Each call that writes runs at most once, despite loss, delays and crashes. It
 * ends with its first result; if its deadline or this client's lease ends first, it ends with a
 * {@link KvUnknownException}. Reads are repeated until they are answered. A call from inside an operation of a replicated
 * service fails at once with a {@link org.amo.base.NestedCallException}, unless that service's members allow it.
 *
 * <p>Any number of threads may share one, and should: a client is a lease. Futures are completed by the client's own
 * thread, which must not be held up. A client that crashed and starts again is another client.
 */
public final class KvClient implements AutoCloseable {
    /** Calls without a result, at most; further ones are refused. */
    public static final int MAX_WAITING = 100_000;

    /** Bytes of their keys and values, at most: 64 MB, or an eighth of the heap if that is less. */
    public static final long MAX_WAITING_BYTES =
            Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 8);

    private static final long TICK_MILLIS = 20;
    private static final long LATER_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long ELSEWHERE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long PATIENCE_MILLIS = 5_000;
    private static final long RECORDS_MILLIS = 2_000;

    private final Duration deadline;
    private final long againNanos;
    private final RpcTransport transport;
    private final CoordinatorClient coordinator;
    private final LeaseKeeper lease;
    private final KvAccess access;
    private final ClientId connectionsId;
    private final AtomicInteger waitingCount = new AtomicInteger();
    private final AtomicLong waitingBytes = new AtomicLong();
    private final ConcurrentLinkedQueue<KvCall> submitted = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean takesIn = new AtomicBoolean();
    private final AtomicLong resent = new AtomicLong();
    private volatile boolean closed;

    // Of the transport's thread.
    private final Deque<KvCall> waiting = new ArrayDeque<>();
    private final Set<KvCall> open = new LinkedHashSet<>();
    private final Map<Long, KvCall> byCopy = new HashMap<>();
    private final Map<String, KvLink> links = new HashMap<>();
    private final Links listener = new Links();
    private Optional<RpcTracker> tracker = Optional.empty();
    private List<Place> places = List.of();
    private boolean asksForMap;

    /** Why a server ended its connection last; empty if none did. */
    private String trouble = "";

    private long copies;

    private KvClient(KvAccess access, Duration deadline, Duration again, Duration danger) {
        this.deadline = deadline;
        this.againNanos = again.toNanos();
        this.transport = RpcTransport.open("amo-kv-client");
        this.coordinator = new CoordinatorClient(access);
        this.access = access;
        SecureRandom random = new SecureRandom();
        this.connectionsId = new ClientId(random.nextLong(), random.nextLong());
        this.lease = new LeaseKeeper(coordinator.leases(), danger.toMillis(), transport.loop(), new Lost());
    }

    /** Opens a client with a deadline of 60 s for each call. Waits for nothing. */
    public static KvClient open(KvAccess access) {
        return open(access, Duration.ofSeconds(60), Duration.ofSeconds(1));
    }

    /**
     * Waits for nothing.
     *
     * @param deadline of a call; after it the call is unknown
     * @param again after which a call without an answer is sent again, over another connection if nothing came over this one
     */
    public static KvClient open(KvAccess access, Duration deadline, Duration again) {
        KvClient client = new KvClient(access, deadline, again, Duration.ofMillis(LeaseKeeper.DEFAULT_DANGER_MILLIS));
        client.transport.loop().execute(client::begin);
        return client;
    }

    private void begin() {
        lease.start();
        askForMap();
        tick();
    }

    /** The object, as the calls left it that were answered before this one began. */
    public KvResult read(byte[] object) {
        return await(readAsync(object));
    }

    /** Puts a value, whether or not the object exists. */
    public KvResult write(byte[] object, byte[] value) {
        return await(writeAsync(object, value));
    }

    /** Removes the object. */
    public KvResult delete(byte[] object) {
        return await(deleteAsync(object));
    }

    /** Puts a value if the object has that version, 0 for none. */
    public KvResult conditionalWrite(byte[] object, long version, byte[] value) {
        return await(conditionalWriteAsync(object, version, value));
    }

    /** Adds to a number, from 0 if there is no object. */
    public KvResult increment(byte[] object, long amount) {
        return await(incrementAsync(object, amount));
    }

    /** {@link #read} without waiting. */
    public CompletableFuture<KvResult> readAsync(byte[] object) {
        return call(KvRequest.of(Kind.READ, object));
    }

    /** {@link #write} without waiting. */
    public CompletableFuture<KvResult> writeAsync(byte[] object, byte[] value) {
        return call(new KvRequest(Kind.WRITE, object, value, 0));
    }

    /** {@link #delete} without waiting. */
    public CompletableFuture<KvResult> deleteAsync(byte[] object) {
        return call(KvRequest.of(Kind.DELETE, object));
    }

    /** {@link #conditionalWrite} without waiting. */
    public CompletableFuture<KvResult> conditionalWriteAsync(byte[] object, long version, byte[] value) {
        return call(new KvRequest(Kind.CONDITIONAL_WRITE, object, value, version));
    }

    /** {@link #increment} without waiting. */
    public CompletableFuture<KvResult> incrementAsync(byte[] object, long amount) {
        return call(new KvRequest(Kind.INCREMENT, object, new byte[0], amount));
    }

    /** Attempts of calls beyond the first. */
    public long resent() {
        return resent.get();
    }

    /**
     * Moves a range to another server while it is served: calls wait for some moments, and none fails. Returns when the move has begun.
     *
     * @param range its number, from 0 on
     * @param server the id of a server that runs
     * @return false if the range does not move: it is that server's, or moves already, or one of the servers is not there
     * @throws KvException if the coordinators do not answer; the range may move
     */
    public boolean move(int range, String server) {
        return await(told(coordinator.move(range, server)));
    }

    /**
     * The coordinators' knowledge of the servers' logs at backups; empty in a cluster without backups.
     *
     * @throws KvException if the coordinators do not answer
     */
    public List<KvLog> logs() {
        return await(told(coordinator.logs()));
    }

    /** The completion records of the servers to which this client is connected: those that answer within two seconds. */
    public KvRecords records() {
        return await(CompletableFuture.supplyAsync(this::askForRecords, transport.loop())
                .thenCompose(Function.identity()));
    }

    private static <T> CompletableFuture<T> told(CompletableFuture<T> answer) {
        return answer.exceptionallyCompose(failed -> CompletableFuture.failedFuture(
                new KvException("the coordinators did not answer: " + failed.getMessage())));
    }

    /** Asks the client's thread for the lease, once there is one. */
    Optional<LeaseId> lease() {
        return await(CompletableFuture.supplyAsync(() -> lease.agent().client(), transport.loop()));
    }

    private CompletableFuture<KvResult> call(KvRequest request) {
        RunningOperation.checkCall("the key-value service");
        KvCall call = new KvCall(request, System.nanoTime() + deadline.toNanos());
        long bytes = (long) request.key().length + request.value().length;
        if (closed) {
            return CompletableFuture.failedFuture(new KvException("the client is closed; the call was not sent"));
        }
        if (!enter(bytes)) {
            return CompletableFuture.failedFuture(new KvException(MAX_WAITING + " calls or " + MAX_WAITING_BYTES
                    + " bytes wait already; the call was not sent. Wait for some of them"));
        }
        CompletableFuture<KvResult> counted = call.result().whenComplete((result, failed) -> leave(bytes));
        submitted.add(call);
        if (!takesIn.getAndSet(true) && !EventLoops.execute(transport.loop(), this::takeIn, this::takeIn)) {
            takeIn();
        }
        return counted;
    }

    private boolean enter(long bytes) {
        boolean fewCalls = waitingCount.incrementAndGet() <= MAX_WAITING;
        boolean fewBytes = waitingBytes.addAndGet(bytes) <= MAX_WAITING_BYTES;
        if (!fewCalls || !fewBytes) {
            leave(bytes);
        }
        return fewCalls && fewBytes;
    }

    private void leave(long bytes) {
        waitingCount.decrementAndGet();
        waitingBytes.addAndGet(-bytes);
    }

    private <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(deadline.toMillis() + PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KvUnknownException("interrupted while a call was under way");
        } catch (TimeoutException e) {
            throw new KvUnknownException("the client's own thread does not answer; is the machine overloaded?");
        } catch (ExecutionException | CompletionException e) {
            if (e.getCause() instanceof KvException why) {
                why.fillInStackTrace();
                throw why;
            }
            throw new IllegalStateException("a call failed", e.getCause());
        }
    }

    // ---- the transport's thread

    private void takeIn() {
        // Before the look at the queue: a call that is added later finds the flag down and triggers another run.
        takesIn.set(false);
        boolean ends = closed;
        for (KvCall call = submitted.poll(); call != null; call = submitted.poll()) {
            if (ends) {
                call.result().completeExceptionally(new KvException("the client was closed; the call was not sent"));
            } else if (call.request().isRead()) {
                open.add(call);
                send(call);
            } else {
                waiting.add(call);
            }
        }
        if (!ends) {
            pump();
            flush();
        }
    }

    /** Begins waiting calls, as far as there is a lease and room in its window. */
    private void pump() {
        for (KvCall call = waiting.peek(); call != null && number(call); call = waiting.peek()) {
            waiting.remove();
            open.add(call);
            send(call);
        }
    }

    private boolean number(KvCall call) {
        if (tracker.isEmpty() || !lease.mayCall()) {
            return false;
        }
        OptionalLong taken = tracker.get().take();
        taken.ifPresent(call::number);
        return taken.isPresent();
    }

    /** Sends an attempt if its server is known and connected and the lease is sure to last; else the next tick tries. */
    private void send(KvCall call) {
        long now = System.nanoTime();
        call.againAt(now + LATER_NANOS);
        Optional<Place> place = places.stream()
                .filter(each -> each.range().contains(KvRequest.TABLE, call.keyHash()))
                .findFirst();
        if (place.isEmpty()) {
            askForMap();
            return;
        }
        KvLink link = link(place.get());
        boolean isNumbered = call.number() != KvCall.NO_NUMBER;
        if (!link.isConnected() || (isNumbered && !lease.mayCall())) {
            return;
        }
        byCopy.remove(call.lastCopy());
        long copy = ++copies;
        byCopy.put(copy, call);
        if (call.sent() > 0) {
            resent.incrementAndGet();
        }
        call.onSent(copy);
        call.againAt(now + againNanos);
        LeaseAgent agent = lease.agent();
        Optional<RpcHeader> header = isNumbered
                ? Optional.of(tracker.orElseThrow().header(call.number(), agent.expires(), agent.clusterTime()))
                : Optional.empty();
        link.send(copy, call.request().encode(header));
    }

    private static String address(Place place) {
        return place.host() + ":" + place.port();
    }

    private KvLink link(Place place) {
        KvLink known = links.get(address(place));
        if (known != null) {
            return known;
        }
        KvLink made = new KvLink(connectionsId, listener);
        links.put(address(place), made);
        RpcPeer peer = access.peer(place.host(), place.port());
        // Not now: a connection that fails at once would tell so within this call.
        transport.loop().execute(() -> made.connect(transport, peer));
        return made;
    }

    private CompletableFuture<KvRecords> askForRecords() {
        List<CompletableFuture<KvRecords>> asked = new ArrayList<>();
        links.values().stream().filter(KvLink::isConnected).forEach(link -> {
            CompletableFuture<KvRecords> told = new CompletableFuture<>();
            asked.add(told.completeOnTimeout(KvRecords.NONE, RECORDS_MILLIS, TimeUnit.MILLISECONDS));
            link.ask(
                    KvRecords.question(),
                    answer -> told.complete(answer.map(KvRecords::decode).orElse(KvRecords.NONE)));
        });
        flush();
        CompletableFuture<KvRecords> all = CompletableFuture.completedFuture(KvRecords.NONE);
        for (CompletableFuture<KvRecords> each : asked) {
            all = all.thenCombine(each, KvRecords::plus);
        }
        return all;
    }

    private void flush() {
        links.values().forEach(KvLink::flush);
    }

    private void askForMap() {
        if (asksForMap || closed) {
            return;
        }
        asksForMap = true;
        CompletableFuture<Void> unused = coordinator.map().handle((map, failed) -> {
            transport.loop().execute(() -> {
                asksForMap = false;
                if (failed == null) {
                    places = map.places();
                } else if (places.isEmpty()) {
                    CoordinatorClient.refusal(failed).ifPresent(this::refuseAll);
                }
            });
            return null;
        });
    }

    /** The coordinators refuse this client, which has sent no call to any server. */
    private void refuseAll(String why) {
        List.copyOf(open).forEach(call -> giveUp(call, why));
        waiting.forEach(call -> call.result().completeExceptionally(new KvException("the call did not run: " + why)));
        waiting.clear();
    }

    private void tick() {
        if (closed) {
            return;
        }
        if (places.isEmpty() && !(open.isEmpty() && waiting.isEmpty())) {
            askForMap();
        }
        long now = System.nanoTime();
        for (KvCall call : List.copyOf(open)) {
            if (call.isOver(now)) {
                giveUp(call, "no answer within its deadline" + (trouble.isEmpty() ? "" : " (" + trouble + ")"));
            } else if (call.isDue(now)) {
                if (call.sent() > 0) {
                    dropSilentLink(call, now);
                    askForMap();
                }
                send(call);
            }
        }
        for (KvCall call = waiting.peek(); call != null && call.isOver(now); call = waiting.peek()) {
            waiting.remove();
            call.result()
                    .completeExceptionally(new KvException(
                            "the call was not sent within its deadline: there was no lease, or no room in its window"));
        }
        pump();
        flush();
        Object unused = transport.loop().schedule(this::tick, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Closes a link that was silent for as long as a call waits: the connection may be holding the call up. */
    private void dropSilentLink(KvCall call, long now) {
        if (!byCopy.containsKey(call.lastCopy())) {
            return;
        }
        List<String> silent = new ArrayList<>();
        links.forEach((address, link) -> {
            boolean isHis = places.stream()
                    .anyMatch(each ->
                            address(each).equals(address) && each.range().contains(KvRequest.TABLE, call.keyHash()));
            if (isHis && link.isConnected() && now - link.heardNanos() >= againNanos) {
                silent.add(address);
            }
        });
        for (String address : silent) {
            KvLink link = links.remove(address);
            if (link != null) {
                link.close();
            }
        }
    }

    /** Ends a call without another attempt: its outcome is unknown if an attempt may have left. */
    private void giveUp(KvCall call, String why) {
        end(call);
        call.result()
                .completeExceptionally(
                        call.request().isRead() || call.sent() == 0
                                ? new KvException("the call did not run: " + why)
                                : new KvUnknownException("the call ran once or not at all: " + why));
    }

    private void end(KvCall call) {
        open.remove(call);
        byCopy.remove(call.lastCopy());
        if (call.number() != KvCall.NO_NUMBER) {
            tracker.ifPresent(each -> each.finish(call.number()));
        }
    }

    private void onOutcome(KvCall call, StoreOutcome outcome) {
        lease.agent().onHeard(outcome.clusterTime());
        long now = System.nanoTime();
        switch (outcome.status()) {
            case DONE -> {
                end(call);
                call.result().complete(KvResult.decode(outcome.result()));
                pump();
            }
            case RETRY_LATER -> call.againAt(now + LATER_NANOS);
            case ELSEWHERE -> {
                askForMap();
                call.againAt(now + ELSEWHERE_NANOS);
            }
            case LEASE_EXPIRED -> giveUp(call, "its lease is over");
            case STALE -> giveUp(call, "its server says STALE");
            case MISUSED -> {
                end(call);
                call.result()
                        .completeExceptionally(
                                new KvException("the call did not run: its server says MISUSED; if two clients have one"
                                        + " lease, such as copies of one machine, open new ones"));
            }
        }
    }

    private final class Links implements KvLink.Listener {
        @Override
        public void onConnected(KvLink link) {
            if (!links.containsValue(link)) {
                link.close();
                return;
            }
            for (KvCall call : open) {
                if (!byCopy.containsKey(call.lastCopy())) {
                    send(call);
                }
            }
            flush();
        }

        @Override
        public void onReply(KvLink link, long copy, byte[] body) {
            KvCall call = byCopy.remove(copy);
            if (call != null) {
                onOutcome(call, KvReply.decode(body));
            }
        }

        @Override
        public void onBatchEnd() {
            flush();
        }

        @Override
        public void onGone(KvLink link, String why) {
            // Another process may have the address by now, or another server the range.
            if (links.values().remove(link)) {
                trouble = why;
                askForMap();
                long soon = System.nanoTime() + LATER_NANOS;
                open.forEach(call -> call.againAt(soon));
            }
        }
    }

    private final class Lost implements LeaseKeeper.Listener {
        @Override
        public void onOpened(LeaseId client) {
            tracker = Optional.of(new RpcTracker(client, RpcTracker.DEFAULT_WINDOW));
            pump();
            flush();
        }

        @Override
        public void onLost(LeaseId client) {
            for (KvCall call : List.copyOf(open)) {
                if (call.number() != KvCall.NO_NUMBER) {
                    giveUp(call, "the client's lease is over");
                }
            }
            tracker = Optional.empty();
        }
    }

    /** Calls that are open end as unknown. Blocks for some seconds at most; not in a stage of a call, which the client's thread runs. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (transport.loop().inEventLoop()) {
                endAll();
            } else {
                CompletableFuture.runAsync(this::endAll, transport.loop()).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the kv client did not end", e);
        } finally {
            coordinator.close();
            transport.close();
        }
    }

    private void endAll() {
        lease.close();
        List.copyOf(open).forEach(call -> giveUp(call, "the client was closed"));
        waiting.forEach(call ->
                call.result().completeExceptionally(new KvException("the client was closed; the call was not sent")));
        waiting.clear();
        links.values().forEach(KvLink::close);
    }
}
