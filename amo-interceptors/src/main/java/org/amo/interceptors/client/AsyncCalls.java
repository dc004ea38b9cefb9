package org.amo.interceptors.client;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.base.DaemonThreads;
import org.amo.base.RunningOperation;

/**
 * Asynchronous calls with all the guarantees of synchronous ones, in place of AMI: JacORB 3.9 tells interceptors nothing
 * about the replies of {@code sendc_} calls, so that these can be neither sent to another member nor acknowledged. Each
 * call here is a synchronous one in a thread of a bounded pool.
 *
 * <p>Any thread may submit. Nothing survives a crash of the client. (Friedman and Hadad ask for asynchronous and multi-threaded
 * clients without limits.)
 */
public final class AsyncCalls implements AutoCloseable {
    private static final long IDLE_SECONDS = 10;
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final ThreadPoolExecutor pool;

    /**
     * @param threads calls at the same time, at least 1
     * @param mostWaiting calls that may wait for a thread, at least 1
     */
    public AsyncCalls(int threads, int mostWaiting) {
        if (threads < 1 || mostWaiting < 1) {
            throw new IllegalArgumentException(
                    "threads and mostWaiting must be at least 1: threads=" + threads + " mostWaiting=" + mostWaiting);
        }
        pool = new ThreadPoolExecutor(
                threads,
                threads,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(mostWaiting),
                body -> DaemonThreads.unstarted("amo-async-call-" + NUMBERS.incrementAndGet(), body));
        pool.allowCoreThreadTimeOut(true);
    }

    /**
     * Makes a call in another thread.
     *
     * @param call one stub call: {@code () -> bank.deposit("a", 1)}
     * @return its result, or the stub's exception. Cancelling it ends the wait only: the call may run
     * @throws RejectedExecutionException when too many wait, or it is closed. Then the call has not been sent
     * @throws org.amo.base.NestedCallException from inside an operation of a replicated service, if its members do not
     *     allow it. Then the call has not been sent
     */
    public <T> CompletableFuture<T> submit(Callable<T> call) {
        RunningOperation.checkCall("a CORBA object by AsyncCalls");
        CompletableFuture<T> result = new CompletableFuture<>();
        pool.execute(() -> {
            try {
                result.complete(call.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    /** Takes no more calls. Those that it has are made; each ends at its deadline at the latest. */
    @Override
    public void close() {
        pool.shutdown();
    }
}
