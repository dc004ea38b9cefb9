package org.amo.kv;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.Experimental;
import org.amo.base.RunningOperation;
import org.amo.kv.KvRequest.Kind;
import org.amo.linearizable.lease.LeaseId;
import org.amo.replication.rpc.RpcTransport;

/**
 * Calls a cluster of {@link KvServer}s. Each call that writes runs at most once, despite loss, delays and crashes, and its effect is
 * visible to every call that begins after its answer. It ends with its first result; if its deadline or this client's lease ends first,
 * it ends with a {@link KvUnknownException}. Reads are repeated until they are answered. A call from inside an operation of a replicated
 * service fails at once with a {@link org.amo.base.NestedCallException}, unless that service's members allow it.
 *
 * <p>Any number of threads may share one, and should: a client is a lease. Futures are completed by the client's own
 * thread, which must not be held up. A client that crashed and starts again is another client: calls of the former one that had no
 * answer ran once or not at all.
 */
@Experimental
public final class KvClient implements AutoCloseable {
    /** Calls without a result, at most; further ones are refused. */
    public static final int MAX_WAITING = 100_000;

    /** Bytes of their keys and values, at most: 64 MB, or an eighth of the heap if that is less. */
    public static final long MAX_WAITING_BYTES =
            Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 8);

    private static final long PATIENCE_MILLIS = 5_000;
    private static final byte[] NOTHING = {};

    private final Duration deadline;
    private final RpcTransport transport;
    private final CoordinatorClient coordinator;
    private final KvCalls calls;
    private final AtomicInteger waitingCount = new AtomicInteger();
    private final AtomicLong waitingBytes = new AtomicLong();

    /**
     * Completion records of servers.
     *
     * @param servers that told them
     * @param live that a retry may ask for
     * @param garbage that the cleaners have not removed yet
     */
    public record Records(int servers, long live, long garbage) {
        static final Records NONE = new Records(0, 0, 0);

        Records plus(Records other) {
            return new Records(servers + other.servers, live + other.live, garbage + other.garbage);
        }
    }

    /**
     * Where a server's writes are, beside its own disk.
     *
     * @param server its id
     * @param epoch of its last complete log; it rises when the server begins, and when it replaces a backup. 0 if there was none yet
     * @param backups that have each of its answered writes
     */
    public record Log(String server, long epoch, List<String> backups) {}

    private KvClient(KvAccess access, Duration deadline, Duration again) {
        this.deadline = deadline;
        this.transport = RpcTransport.open("amo-kv-client");
        this.coordinator = new CoordinatorClient(access);
        this.calls = new KvCalls(access, transport, coordinator, again);
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
        KvClient client = new KvClient(access, deadline, again);
        client.transport.loop().execute(client.calls::begin);
        return client;
    }

    /**
     * The object, as the calls left it that were answered before this one began.
     *
     * @throws KvException if no server answers in time
     */
    public KvResult read(byte[] object) {
        return await(readAsync(object));
    }

    /**
     * Puts a value, whether or not the object exists.
     *
     * @throws KvException if the call has no result; a {@link KvUnknownException} if it may have run
     */
    public KvResult write(byte[] object, byte[] value) {
        return await(writeAsync(object, value));
    }

    /**
     * Removes the object.
     *
     * @throws KvException as by {@link #write}
     */
    public KvResult delete(byte[] object) {
        return await(deleteAsync(object));
    }

    /**
     * Puts a value if the object has that version, 0 for none.
     *
     * @throws KvException as by {@link #write}
     */
    public KvResult conditionalWrite(byte[] object, long version, byte[] value) {
        return await(conditionalWriteAsync(object, version, value));
    }

    /**
     * Adds to a number, from 0 if there is no object.
     *
     * @throws KvException as by {@link #write}
     */
    public KvResult increment(byte[] object, long amount) {
        return await(incrementAsync(object, amount));
    }

    /**
     * Runs an operation that the servers' options name, once, on the object.
     *
     * @param operation its name
     * @param argument for it, at most 1 MB
     * @return with the operation's answer as value; FAILED if the server has none of that name, or it threw
     * @throws KvException as by {@link #write}
     */
    public KvResult call(String operation, byte[] object, byte[] argument) {
        return await(callAsync(operation, object, argument));
    }

    /** {@link #read} without waiting. */
    public CompletableFuture<KvResult> readAsync(byte[] object) {
        return submit(KvRequest.of(Kind.READ, object));
    }

    /** {@link #write} without waiting. */
    public CompletableFuture<KvResult> writeAsync(byte[] object, byte[] value) {
        return submit(new KvRequest(Kind.WRITE, object, value, 0));
    }

    /** {@link #delete} without waiting. */
    public CompletableFuture<KvResult> deleteAsync(byte[] object) {
        return submit(KvRequest.of(Kind.DELETE, object));
    }

    /** {@link #conditionalWrite} without waiting. */
    public CompletableFuture<KvResult> conditionalWriteAsync(byte[] object, long version, byte[] value) {
        return submit(new KvRequest(Kind.CONDITIONAL_WRITE, object, value, version));
    }

    /** {@link #increment} without waiting. */
    public CompletableFuture<KvResult> incrementAsync(byte[] object, long amount) {
        return submit(new KvRequest(Kind.INCREMENT, object, NOTHING, amount));
    }

    /** {@link #call} without waiting. */
    public CompletableFuture<KvResult> callAsync(String operation, byte[] object, byte[] argument) {
        return submit(KvRequest.named(operation, object, argument));
    }

    /** Attempts of calls beyond the first. */
    public long resent() {
        return calls.resent();
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
    public List<Log> logs() {
        return await(told(coordinator.logs()));
    }

    /** The completion records of the servers to which this client is connected: those that answer within two seconds. */
    public Records records() {
        return await(CompletableFuture.<Void>completedFuture(null)
                .thenComposeAsync(none -> calls.askForRecords(), transport.loop()));
    }

    private static <T> CompletableFuture<T> told(CompletableFuture<T> answer) {
        return answer.exceptionallyCompose(failed -> CompletableFuture.failedFuture(
                new KvException("the coordinators did not answer: " + failed.getMessage())));
    }

    /** Asks the client's thread for the lease, once there is one. */
    Optional<LeaseId> lease() {
        return await(CompletableFuture.supplyAsync(calls::lease, transport.loop()));
    }

    private CompletableFuture<KvResult> submit(KvRequest request) {
        RunningOperation.checkCall("the key-value service");
        if (calls.isClosed()) {
            return CompletableFuture.failedFuture(new KvException("the client is closed; the call was not sent"));
        }
        long bytes = (long) request.key().length + request.value().length;
        if (!enter(bytes)) {
            return CompletableFuture.failedFuture(new KvException(MAX_WAITING + " calls or " + MAX_WAITING_BYTES
                    + " bytes wait already; the call was not sent. Wait for some of them"));
        }
        KvCall call = new KvCall(request, System.nanoTime() + deadline.toNanos());
        CompletableFuture<KvResult> counted = call.result().whenComplete((result, failed) -> leave(bytes));
        calls.submit(call);
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

    /** Calls that are open end as unknown. Blocks for some seconds at most; not in a stage of a call, which the client's thread runs. */
    @Override
    public void close() {
        if (calls.isClosed()) {
            return;
        }
        calls.refuseMore();
        try {
            if (transport.loop().inEventLoop()) {
                calls.endAll();
            } else {
                CompletableFuture.runAsync(calls::endAll, transport.loop()).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
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
}
