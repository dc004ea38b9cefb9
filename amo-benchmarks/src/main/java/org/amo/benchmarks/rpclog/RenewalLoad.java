package org.amo.benchmarks.rpclog;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.amo.core.order.Member;
import org.amo.core.request.Answer;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.amo.replication.lease.LeaseClient;
import org.amo.replication.rpc.RpcConnection;
import org.amo.replication.rpc.RpcPeer;
import org.amo.replication.rpc.RpcRefusal;
import org.amo.replication.rpc.RpcTransport;

/**
 * Clients that renew their leases at one member, each at a moment of its own: renewals come as irregularly as from
 * independent clients. They share connections, so few renewals come over one: a read, and a write of the answer, for nearly
 * each.
 */
final class RenewalLoad implements AutoCloseable {
    private static final long CONNECT_SECONDS = 60;
    private static final int AT_A_TIME = 50;
    private static final long LAST_ANSWER_MILLIS = 10_000;

    private final RpcTransport transport = RpcTransport.open("bench-renewals");
    private final List<LeaseClient> clients = new ArrayList<>();
    private final Random random = new Random(1);
    private final int leases;

    /** The result of a run. */
    record Result(long sent, long renewed, double seconds) {}

    /** @param leases ids 1 to this are live */
    RenewalLoad(Member member, int connections, int leases) throws IOException, InterruptedException {
        this.leases = leases;
        RpcPeer peer = new RpcPeer(member.host(), member.clientPort(), LeaseNode.GROUP, Optional.empty());
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(CONNECT_SECONDS);
        while (clients.size() < connections) {
            // A few at a time, and again: a machine with other work does not accept a thousand at once.
            List<Connected> opening = new ArrayList<>();
            for (int i = Math.min(AT_A_TIME, connections - clients.size()); i > 0; i--) {
                opening.add(new Connected());
            }
            opening.forEach(each -> each.open(transport, peer));
            for (Connected each : opening) {
                Optional<RpcConnection> connection = each.await(CONNECT_SECONDS);
                connection.ifPresent(there -> clients.add(new LeaseClient(
                        call -> CompletableFuture.failedFuture(new IllegalStateException("only questions")),
                        question -> ask(there, question))));
            }
            if (System.nanoTime() > end) {
                transport.close();
                throw new IOException(clients.size() + " of " + connections + " connections were accepted within "
                        + CONNECT_SECONDS + " s");
            }
        }
    }

    /** In the transport's thread. */
    private static CompletionStage<byte[]> ask(RpcConnection connection, byte[] question) {
        CompletableFuture<byte[]> told = new CompletableFuture<>();
        connection.ask(
                question,
                answer -> answer.ifPresentOrElse(
                        told::complete, () -> told.completeExceptionally(new IOException("no answer"))));
        connection.flush();
        return told;
    }

    /** That many renewals a second, on average, for so long; then all answers. */
    Result run(double perSecond, long millis) throws InterruptedException {
        AtomicLong answered = new AtomicLong();
        AtomicLong renewed = new AtomicLong();
        long start = System.nanoTime();
        long end = start + TimeUnit.MILLISECONDS.toNanos(millis);
        long sent = 0;
        double next = start;
        while (System.nanoTime() < end) {
            long wait = Math.min(end, (long) next) - System.nanoTime();
            if (wait > 0) {
                LockSupport.parkNanos(wait);
                continue;
            }
            int client = random.nextInt(leases);
            transport.loop().execute(() -> {
                CompletableFuture<LeaseAnswer> unused = clients.get(client % clients.size())
                        .renew(new LeaseId(1 + client))
                        .whenComplete((answer, failed) -> {
                            renewed.addAndGet(failed == null && answer.isLive() ? 1 : 0);
                            answered.incrementAndGet();
                        });
            });
            sent++;
            next -= Math.log(1 - random.nextDouble()) * 1e9 / perSecond;
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        long patience = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LAST_ANSWER_MILLIS);
        while (answered.get() < sent && System.nanoTime() < patience) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        return new Result(sent, renewed.get(), seconds);
    }

    @Override
    public void close() {
        transport.close();
    }

    private static final class Connected implements RpcConnection.Listener {
        private final CompletableFuture<RpcConnection> opened = new CompletableFuture<>();
        private final CompletableFuture<Boolean> accepted = new CompletableFuture<>();

        void open(RpcTransport transport, RpcPeer peer) {
            opened.complete(RpcConnection.open(transport, peer, this));
        }

        Optional<RpcConnection> await(long seconds) throws InterruptedException {
            try {
                return accepted.get(seconds, TimeUnit.SECONDS) ? Optional.of(opened.join()) : Optional.empty();
            } catch (ExecutionException | TimeoutException e) {
                return Optional.empty();
            }
        }

        @Override
        public void onConnected(long upperMillis) {
            accepted.complete(true);
        }

        @Override
        public void onAnswer(long copy, Answer answer) {
            // Nothing is called.
        }

        @Override
        public void onDisconnected(RpcRefusal why) {
            accepted.complete(false);
        }
    }
}
