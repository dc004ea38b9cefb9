package org.amo.kv;

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
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.kv.KvClient.Records;
import org.amo.kv.TabletMap.Place;
import org.amo.linearizable.lease.LeaseAgent;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rocksdb.StoreOutcome;
import org.amo.linearizable.rpclog.RpcHeader;
import org.amo.linearizable.rpclog.RpcTracker;
import org.amo.net.EventLoops;
import org.amo.replication.lease.LeaseKeeper;
import org.amo.replication.rpc.RpcTransport;

/**
 * The calls of one client on their way: numbers them under its lease, sends each to the server that has its range, and sends it again
 * until it has an answer or its time is over.
 *
 * <p>Invariant: a call with a number is answered once and then acknowledged, or given up as unknown; its number is never used again.
 *
 * <p>The transport's thread owns it. Any thread may {@link #submit}.
 */
final class KvCalls {
    private static final long TICK_MILLIS = 20;
    private static final long LATER_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long ELSEWHERE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long RECORDS_MILLIS = 2_000;
    private static final String CLOSED = "the client was closed; the call was not sent";

    private final RpcTransport transport;
    private final CoordinatorClient coordinator;
    private final LeaseKeeper lease;
    private final KvLinks links;
    private final long againNanos;

    // Of any thread.
    private final ConcurrentLinkedQueue<KvCall> submitted = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean takesIn = new AtomicBoolean();
    private final AtomicLong resent = new AtomicLong();
    private volatile boolean closed;

    // Of the transport's thread.
    private final Deque<KvCall> waiting = new ArrayDeque<>();
    private final Set<KvCall> open = new LinkedHashSet<>();
    private final Map<Long, KvCall> byCopy = new HashMap<>();
    private Optional<RpcTracker> tracker = Optional.empty();
    private List<Place> places = List.of();
    private boolean asksForMap;
    private long copies;

    /** Why a server ended its connection last; empty if none did. */
    private String trouble = "";

    /** @param again after which a call without an answer is sent again */
    KvCalls(KvAccess access, RpcTransport transport, CoordinatorClient coordinator, Duration again) {
        this.transport = transport;
        this.coordinator = coordinator;
        this.againNanos = again.toNanos();
        this.links = new KvLinks(access, transport, new Links());
        this.lease = new LeaseKeeper(
                coordinator.leases(), LeaseKeeper.DEFAULT_DANGER_MILLIS, transport.loop(), new Leases());
    }

    // ---- any thread

    /** The call's future completes later, in the transport's thread. */
    void submit(KvCall call) {
        submitted.add(call);
        if (!takesIn.getAndSet(true) && !EventLoops.execute(transport.loop(), this::takeIn, this::takeIn)) {
            takeIn();
        }
    }

    /** Attempts beyond the first of each call. */
    long resent() {
        return resent.get();
    }

    boolean isClosed() {
        return closed;
    }

    /** From now on calls are refused; {@link #endAll} ends those that are under way. */
    void refuseMore() {
        closed = true;
    }

    // ---- the transport's thread

    void begin() {
        lease.start();
        askForMap();
        tick();
    }

    Optional<LeaseId> lease() {
        return lease.agent().client();
    }

    private void takeIn() {
        // Before the look at the queue: a call that is added later finds the flag down and triggers another run.
        takesIn.set(false);
        boolean ends = closed;
        for (KvCall call = submitted.poll(); call != null; call = submitted.poll()) {
            if (ends) {
                call.fail(new KvException(CLOSED));
            } else if (call.request().isRead()) {
                open.add(call);
                send(call);
            } else {
                waiting.add(call);
            }
        }
        if (!ends) {
            pump();
            links.flush();
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
        Optional<Place> place = placeOf(call);
        if (place.isEmpty()) {
            askForMap();
            return;
        }
        KvLink link =
                links.to(place.get().address(), place.get().host(), place.get().port());
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

    private Optional<Place> placeOf(KvCall call) {
        return places.stream()
                .filter(each -> each.range().contains(KvRequest.TABLE, call.keyHash()))
                .findFirst();
    }

    /** Of all servers that are connected and answer in time. */
    CompletableFuture<Records> askForRecords() {
        List<CompletableFuture<Records>> asked = new ArrayList<>();
        links.connected().forEach(link -> {
            CompletableFuture<Records> told = new CompletableFuture<>();
            asked.add(told.completeOnTimeout(Records.NONE, RECORDS_MILLIS, TimeUnit.MILLISECONDS));
            link.ask(
                    KvRecordsWire.question(),
                    answer -> told.complete(answer.map(KvRecordsWire::decode).orElse(Records.NONE)));
        });
        links.flush();
        CompletableFuture<Records> all = CompletableFuture.completedFuture(Records.NONE);
        for (CompletableFuture<Records> each : asked) {
            all = all.thenCombine(each, Records::plus);
        }
        return all;
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
        failWaiting("the call did not run: " + why);
    }

    private void failWaiting(String why) {
        waiting.forEach(call -> call.fail(new KvException(why)));
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
            call.fail(new KvException(
                    "the call was not sent within its deadline: there was no lease, or no room in its window"));
        }
        pump();
        links.flush();
        Object unused = transport.loop().schedule(this::tick, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Closes a link that was silent for as long as a call waits: the connection may be holding the call up. */
    private void dropSilentLink(KvCall call, long now) {
        if (!byCopy.containsKey(call.lastCopy())) {
            return;
        }
        Optional<KvLink> silent = placeOf(call)
                .flatMap(place -> links.find(place.address()))
                .filter(link -> link.isConnected() && now - link.heardNanos() >= againNanos);
        if (silent.isPresent()) {
            links.remove(silent.get());
            silent.get().close();
        }
    }

    /** Ends a call without another attempt: its outcome is unknown if an attempt may have left. */
    private void giveUp(KvCall call, String why) {
        end(call);
        call.fail(
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
                call.fail(new KvException("the call did not run: its server says MISUSED; if two clients have one"
                        + " lease, such as copies of one machine, open new ones"));
            }
        }
    }

    /** After {@link #refuseMore}. */
    void endAll() {
        lease.close();
        List.copyOf(open).forEach(call -> giveUp(call, "the client was closed"));
        failWaiting(CLOSED);
        links.close();
    }

    private final class Links implements KvLink.Listener {
        @Override
        public void onConnected(KvLink link) {
            if (!links.has(link)) {
                link.close();
                return;
            }
            for (KvCall call : open) {
                if (!byCopy.containsKey(call.lastCopy())) {
                    send(call);
                }
            }
            links.flush();
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
            links.flush();
        }

        @Override
        public void onGone(KvLink link, String why) {
            // Another process may have the address by now, or another server the range.
            if (links.remove(link)) {
                trouble = why;
                askForMap();
                long soon = System.nanoTime() + LATER_NANOS;
                open.forEach(call -> call.againAt(soon));
            }
        }
    }

    private final class Leases implements LeaseKeeper.Listener {
        @Override
        public void onOpened(LeaseId client) {
            tracker = Optional.of(new RpcTracker(client, RpcTracker.DEFAULT_WINDOW));
            pump();
            links.flush();
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
}
