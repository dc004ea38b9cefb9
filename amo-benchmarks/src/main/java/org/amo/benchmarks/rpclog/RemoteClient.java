package org.amo.benchmarks.rpclog;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.amo.base.ClientId;
import org.amo.core.client.Attempt;
import org.amo.core.request.Answer;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rocksdb.ObjectKey;
import org.amo.linearizable.rocksdb.StoreOutcome;
import org.amo.linearizable.rpclog.RpcHeader;
import org.amo.linearizable.rpclog.RpcTracker;
import org.amo.replication.rpc.RpcConnection;
import org.amo.replication.rpc.RpcPeer;
import org.amo.replication.rpc.RpcRefusal;
import org.amo.replication.rpc.RpcTransport;

/** A client of a {@link StoreNode}, over a connection of its own. Any thread may write; the transport's completes the futures. */
final class RemoteClient implements StoreWrites, RpcConnection.Listener {
    private final RpcTransport transport;
    private final ClientId connectionsId;
    private final RpcTracker tracker;
    private final CompletableFuture<RemoteClient> connected = new CompletableFuture<>();

    // Of the transport's thread.
    private final Map<Long, CompletableFuture<StoreOutcome>> open = new HashMap<>();
    private Optional<RpcConnection> connection = Optional.empty();
    private Optional<IOException> lost = Optional.empty();
    private long copies;

    private RemoteClient(RpcTransport transport, long client) {
        this.transport = transport;
        this.connectionsId = new ClientId(1, client);
        this.tracker = new RpcTracker(new LeaseId(client), RpcTracker.DEFAULT_WINDOW);
    }

    /** @param client its lease: another one for each */
    static CompletableFuture<RemoteClient> connect(RpcTransport transport, RpcPeer peer, long client) {
        RemoteClient made = new RemoteClient(transport, client);
        transport.loop().execute(() -> made.connection = Optional.of(RpcConnection.open(transport, peer, made)));
        return made.connected;
    }

    @Override
    public CompletableFuture<StoreOutcome> regular(ObjectKey key, byte[] value) {
        return send(StoreNode.request(Optional.empty(), key, value));
    }

    @Override
    public CompletableFuture<StoreOutcome> linearizable(ObjectKey key, byte[] value) {
        long number = tracker.take().orElseThrow();
        RpcHeader header = tracker.header(number, AlwaysLive.EXPIRES, ClusterTime.ZERO);
        return send(StoreNode.request(Optional.of(header), key, value))
                .whenComplete((outcome, failed) -> tracker.finish(number));
    }

    private CompletableFuture<StoreOutcome> send(byte[] body) {
        CompletableFuture<StoreOutcome> answer = new CompletableFuture<>();
        transport.loop().execute(() -> {
            if (lost.isPresent()) {
                answer.completeExceptionally(lost.get());
                return;
            }
            long copy = ++copies;
            open.put(copy, answer);
            RequestId id = RequestId.own(connectionsId, copy);
            RpcConnection to = connection.orElseThrow();
            to.send(connectionsId, new Attempt(copy, id, 0, 0, false, FinishedNumbers.NONE, body));
            to.flush();
        });
        return answer;
    }

    /** Writes one after the other until then. The number of answers. */
    CompletableFuture<Long> writeUntil(long endNanos, boolean linearizable, byte[] value) {
        CompletableFuture<Long> count = new CompletableFuture<>();
        transport.loop().execute(() -> next(endNanos, linearizable, value, 0, count));
        return count;
    }

    private void next(long endNanos, boolean linearizable, byte[] value, long done, CompletableFuture<Long> count) {
        if (System.nanoTime() - endNanos >= 0) {
            count.complete(done);
            return;
        }
        ObjectKey key = StoreClient.key(done % InterleavedWrites.KEYS);
        CompletableFuture<Void> unused = (linearizable ? linearizable(key, value) : regular(key, value))
                .handle((outcome, failed) -> {
                    if (failed != null || outcome.status() != StoreOutcome.Status.DONE) {
                        count.completeExceptionally(new IOException("a write was not answered as done"));
                    } else {
                        next(endNanos, linearizable, value, done + 1, count);
                    }
                    return null;
                });
    }

    @Override
    public void onConnected(long upperMillis) {
        connected.complete(this);
    }

    @Override
    public void onAnswer(long copy, Answer answer) {
        Optional.ofNullable(open.remove(copy))
                .ifPresent(each -> each.complete(
                        new StoreOutcome(StoreNode.status(answer.reply()), new byte[0], ClusterTime.ZERO)));
    }

    @Override
    public void onDisconnected(RpcRefusal why) {
        IOException ended = new IOException("the connection to the store ended: " + why.why());
        lost = Optional.of(ended);
        connected.completeExceptionally(ended);
        List<CompletableFuture<StoreOutcome>> unanswered = List.copyOf(open.values());
        open.clear();
        unanswered.forEach(each -> each.completeExceptionally(ended));
    }
}
