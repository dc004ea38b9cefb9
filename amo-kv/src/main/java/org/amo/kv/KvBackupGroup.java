package org.amo.kv;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.linearizable.rocksdb.BackupGroup;
import org.amo.linearizable.rocksdb.StoreException;
import org.amo.replication.rpc.RpcTransport;

/** The backups of one process of a server: asks the coordinator about them, and connects to each. Any thread may use it. */
final class KvBackupGroup implements BackupGroup, AutoCloseable {
    /** A backup may force a large state before it answers. */
    private static final long ANSWER_MILLIS = 5_000;

    private final String server;
    private final CoordinatorClient coordinator;
    private final RpcTransport transport;
    private final long process;
    private volatile int copies;
    private volatile boolean granted;

    // Of the transport's thread.
    private final Map<String, BackupPlace> places = new HashMap<>();
    private final KvLinks links;
    private final Map<Long, Waiting> waiting = new HashMap<>();
    private long numbers;
    private boolean asksForPlaces;

    /** A request without an answer. */
    private record Waiting(String backup, KvLink link, byte[] request, CompletableFuture<byte[]> answer) {}

    KvBackupGroup(String server, KvAccess access, CoordinatorClient coordinator) {
        this.server = server;
        this.coordinator = coordinator;
        this.transport = RpcTransport.open("amo-kv-backups-" + server);
        this.links = new KvLinks(access, transport, new Links());
        this.process = new SecureRandom().nextLong();
    }

    /** The coordinator's setting, which the server hears with its ranges. */
    void setCopies(int number) {
        copies = number;
    }

    /** Tells this process of the server from others. */
    long process() {
        return process;
    }

    @Override
    public int copies() {
        return copies;
    }

    @Override
    public String server() {
        return server;
    }

    @Override
    public CompletableFuture<Term> newEpoch(String store) {
        return refusable(coordinator.newEpoch(server, store, process, !granted).thenApply(term -> {
            granted = true;
            return term;
        }));
    }

    @Override
    public CompletableFuture<Boolean> complete(long epoch, String store, List<String> backups) {
        return coordinator.complete(server, store, epoch, backups);
    }

    @Override
    public CompletableFuture<List<String>> live() {
        return coordinator.backups().thenApply(all -> {
            transport.loop().execute(() -> all.forEach(each -> places.put(each.id(), each)));
            return all.stream()
                    .filter(each -> each.live() && !each.id().equals(server))
                    .map(BackupPlace::id)
                    .toList();
        });
    }

    /** The coordinator's refusal ends the store. */
    private static <T> CompletableFuture<T> refusable(CompletableFuture<T> answer) {
        return answer.exceptionallyCompose(failed -> {
            Optional<StoreException> rejection = CoordinatorClient.rejection(failed);
            return CompletableFuture.failedFuture(rejection.isPresent() ? rejection.get() : failed);
        });
    }

    @Override
    public CompletableFuture<byte[]> send(String backup, byte[] request) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        transport.loop().execute(() -> sendNow(backup, request, answer));
        return answer;
    }

    // ---- the transport's thread

    private void sendNow(String backup, byte[] request, CompletableFuture<byte[]> answer) {
        BackupPlace place = places.get(backup);
        if (place == null) {
            askForPlaces();
            answer.completeExceptionally(new KvException("the address of backup " + backup + " is not known yet"));
            return;
        }
        KvLink link = links.to(backup, place.host(), place.port());
        long number = ++numbers;
        waiting.put(number, new Waiting(backup, link, request, answer));
        if (link.isConnected()) {
            link.send(number, request);
            link.flush();
        }
        Object unused = transport.loop().schedule(() -> onSilence(number), ANSWER_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void onSilence(long number) {
        Waiting silent = waiting.get(number);
        if (silent != null) {
            silent.link().close();
            end(silent.link(), "backup " + silent.backup() + " does not answer");
        }
    }

    /** All requests of a link fail; the next one connects anew, perhaps at another address. */
    private void end(KvLink link, String why) {
        if (links.remove(link)) {
            askForPlaces();
        }
        List<Waiting> ended = new ArrayList<>();
        waiting.values().removeIf(each -> each.link() == link && ended.add(each));
        ended.forEach(each -> each.answer().completeExceptionally(new KvException(why)));
    }

    private void askForPlaces() {
        if (!asksForPlaces) {
            asksForPlaces = true;
            CompletableFuture<Void> unused = live().handle((all, failed) -> {
                transport.loop().execute(() -> asksForPlaces = false);
                return null;
            });
        }
    }

    private final class Links implements KvLink.Listener {
        @Override
        public void onConnected(KvLink link) {
            waiting.forEach((number, each) -> {
                if (each.link() == link) {
                    link.send(number, each.request());
                }
            });
            link.flush();
        }

        @Override
        public void onReply(KvLink link, long copy, byte[] body) {
            Waiting answered = waiting.remove(copy);
            if (answered != null) {
                answered.answer().complete(body);
            }
        }

        @Override
        public void onBatchEnd() {
            // Nothing is gathered.
        }

        @Override
        public void onGone(KvLink link, String why) {
            end(link, why);
        }
    }

    @Override
    public void close() {
        transport.close();
    }
}
