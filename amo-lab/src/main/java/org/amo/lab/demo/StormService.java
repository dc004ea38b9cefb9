package org.amo.lab.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.DaemonThreads;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceExecutor;
import org.amo.once.OnceOptions;
import org.amo.testkit.once.InMemoryResultStore;
import org.amo.testkit.once.InMemoryResultStore.Failure;
import org.amo.testkit.once.InMemoryResultStore.Numbers;

/**
 * A service over HTTP that counts the effects of each call in a ledger in memory. A request with an {@code Idempotency-Key} runs through
 * a {@link OnceExecutor}, one without it runs as it comes; the work is the same.
 */
final class StormService implements AutoCloseable {
    private static final int OK = 200;
    private static final String HEADER = "Idempotency-Key";

    private final InMemoryResultStore store = new InMemoryResultStore(Clock.systemUTC());
    private final OnceExecutor<Numbers, Failure> once =
            OnceExecutor.over(store, OnceOptions.builder().build());
    private final AtomicLong plain = new AtomicLong();
    private final AtomicLong replayed = new AtomicLong();
    private final ExecutorService threads;
    private final HttpServer server;

    StormService(int concurrency) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
        threads = Executors.newFixedThreadPool(concurrency, DaemonThreads.factory("amo-storm-service"));
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** How often a call had its effect. */
    long effects(String call) {
        return store.get(call);
    }

    /** Attempts that were answered from a record. */
    long replayed() {
        return replayed.get();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] request = exchange.getRequestBody().readAllBytes();
            String call = exchange.getRequestURI().getPath();
            Optional<String> key =
                    Optional.ofNullable(exchange.getRequestHeaders().getFirst(HEADER));
            // A retry without a key is a request like any other: each has a key of its own.
            OnceExecutor.Reply reply = once.execute(
                    IdempotencyKey.of("", key.orElseGet(() -> "plain " + plain.incrementAndGet())),
                    request,
                    numbers -> {
                        numbers.add(call, 1);
                        return Long.toString(numbers.get(call)).getBytes(StandardCharsets.US_ASCII);
                    });
            if (reply.replayed()) {
                replayed.incrementAndGet();
            }
            exchange.getResponseHeaders().set("Connection", "close");
            exchange.sendResponseHeaders(OK, reply.body().length);
            exchange.getResponseBody().write(reply.body());
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
