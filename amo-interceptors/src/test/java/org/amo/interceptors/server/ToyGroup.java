package org.amo.interceptors.server;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.ClientId;
import org.amo.core.order.GroupMembers;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;

/**
 * An order in one thread: each request runs at every member in turn, once for each id, and a member that joins late
 * runs all of the log first. No bounds, no forgetting, no failures.
 */
final class ToyGroup {
    private static final Map<String, ToyGroup> GROUPS = new ConcurrentHashMap<>();

    /** One executed request and what each member replied. */
    record Entry(Request request, Map<String, byte[]> replies) {}

    private final ExecutorService order = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "amo-toy-order");
        thread.setDaemon(true);
        return thread;
    });
    private final Map<String, ServantPort> members = new LinkedHashMap<>();
    private final List<Entry> log = new CopyOnWriteArrayList<>();
    private final Map<RequestId, Entry> byId = new HashMap<>();
    private final AtomicLong plainNumbers = new AtomicLong();
    private final List<FinishedNumbers> finished = new CopyOnWriteArrayList<>();
    private final List<RequestId> submitted = new CopyOnWriteArrayList<>();
    private final AtomicLong plainCalls = new AtomicLong();
    private final List<Principal> senders = new CopyOnWriteArrayList<>();
    private final AtomicLong blocking = new AtomicLong();
    private final AtomicLong taken = new AtomicLong();
    private volatile boolean mute;
    private volatile boolean skipping;
    private volatile Optional<Answer> instead = Optional.empty();
    private volatile Optional<GroupMembers> told = Optional.empty();

    static ToyGroup named(String group) {
        return GROUPS.computeIfAbsent(group, name -> new ToyGroup());
    }

    /** All executed requests, in order. */
    List<Entry> log() {
        return new ArrayList<>(log);
    }

    /** The keys of a request at a member now. */
    Set<Object> keys(String member, Request request) throws Exception {
        return order.submit(() -> members.get(member).keys(request)).get();
    }

    /** The state that a member gives for a snapshot now. */
    Optional<byte[]> state(String member) throws Exception {
        return order.submit(() -> members.get(member).takeState()).get();
    }

    boolean hasStateDigest(String member) throws Exception {
        return order.submit(() -> members.get(member).hasStateDigest()).get();
    }

    /** Ids of the copies that came with one. */
    List<RequestId> submitted() {
        return submitted;
    }

    /** All that clients acknowledged. */
    List<FinishedNumbers> finished() {
        return finished;
    }

    /** Requests that came in one of JacORB's request threads, which waits for the answer. */
    long blocking() {
        return blocking.get();
    }

    /** Requests that came in the thread that reads the connection. */
    long taken() {
        return taken.get();
    }

    /** Of all requests, in order of arrival. */
    List<Principal> senders() {
        return senders;
    }

    long plainCalls() {
        return plainCalls.get();
    }

    /** The members that it says it has, from now on; empty if they never change. */
    void members(Optional<GroupMembers> value) {
        told = value;
    }

    /** From now on every copy gets this answer and nothing is executed; empty ends it. */
    void answerInstead(Optional<Answer> answer) {
        instead = answer;
    }

    /** From now on copies are forgotten: not executed, not answered. */
    void mute(boolean value) {
        mute = value;
    }

    /** From now on new requests count as such that ended members: each is ordered and skipped. */
    void skip(boolean value) {
        skipping = value;
    }

    /** Orders a body as a member of another mind might, past every check of a door; what each member replied. */
    Entry order(byte[] body) throws Exception {
        return order.submit(() -> {
                    RequestId id = RequestId.own(new ClientId(1, 1), plainNumbers.incrementAndGet());
                    Entry entry = new Entry(new Request(id, 1_000, 61_000, 0, false, body), new ConcurrentHashMap<>());
                    long position = log.size() + 1L;
                    members.forEach((member, servant) ->
                            entry.replies().put(member, servant.execute(position, 1_000 + position, entry.request())));
                    log.add(entry);
                    return entry;
                })
                .get();
    }

    ReplicatedService join(String id, ServantPort servant) {
        order.execute(() -> {
            for (int i = 0; i < log.size(); i++) {
                Entry entry = log.get(i);
                entry.replies().put(id, servant.execute(i + 1, 1_000L + i, entry.request()));
            }
            members.put(id, servant);
        });
        return new Replica(id);
    }

    private final class Replica implements ReplicatedService {
        private final String id;

        Replica(String id) {
            this.id = id;
        }

        @Override
        public void submit(Request request, FinishedNumbers acknowledged, AnswerListener listener) {
            submitted.add(request.id());
            way().incrementAndGet();
            finished.add(acknowledged);
            order.execute(() -> run(request, listener));
        }

        @Override
        public void submitAll(List<Arrival> copies) {
            copies.forEach(copy -> senders.add(copy.principal()));
            ReplicatedService.super.submitAll(copies);
        }

        private AtomicLong way() {
            return Thread.currentThread().getName().startsWith("RequestProcessor") ? blocking : taken;
        }

        @Override
        public void submitPlain(
                byte[] body, long fingerprint, boolean oneway, Principal principal, AnswerListener listener) {
            plainCalls.incrementAndGet();
            senders.add(principal);
            way().incrementAndGet();
            RequestId own = RequestId.own(new ClientId(0, id.hashCode()), plainNumbers.incrementAndGet());
            order.execute(() -> run(new Request(own, 1_000, 61_000, fingerprint, oneway, body), listener));
        }

        private void run(Request request, AnswerListener listener) {
            if (mute) {
                return;
            }
            if (instead.isPresent()) {
                listener.onAnswer(instead.get());
                return;
            }
            Entry entry = byId.get(request.id());
            if (entry == null) {
                entry = new Entry(request, new ConcurrentHashMap<>());
                long position = log.size() + 1L;
                for (Map.Entry<String, ServantPort> member : members.entrySet()) {
                    ServantPort servant = member.getValue();
                    byte[] reply =
                            skipping ? servant.skipped(request) : servant.execute(position, 1_000 + position, request);
                    entry.replies().put(member.getKey(), reply);
                }
                byId.put(request.id(), entry);
                log.add(entry);
            }
            listener.onAnswer(Answer.reply(entry.replies().get(id), 1_000 + log.size(), 500));
        }

        @Override
        public void acknowledge(ClientId client, FinishedNumbers acknowledged) {
            finished.add(acknowledged);
        }

        @Override
        public Optional<GroupMembers> members() {
            return told;
        }

        @Override
        public ReplicaStatus status() {
            // The toy keeps no figures.
            return new ReplicaStatus(
                    id, "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Map.of(), Map.of(), 0, Map.of(), Map.of(),
                    0, 0, 0, 0, 0, 0, 0, "", "", "", 0, 0, 0, 0, 0, "", "active", "", 1, Map.of(), Map.of());
        }

        @Override
        public void close() {
            order.execute(() -> members.remove(id));
        }
    }
}
