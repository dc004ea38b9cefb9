package org.amo.grpc;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A service that knows nothing of amo: counts how often each request ran. A request {@code hold ...} is answered at {@link #release}, with the
 * state of its context; {@code fail ...} with a status and trailers; {@code throw ...} by an exception; others with their text and the number of the run.
 */
final class CounterService {
    static final Metadata.Key<String> TEXT = Metadata.Key.of("reason", Metadata.ASCII_STRING_MARSHALLER);
    static final Metadata.Key<byte[]> BINARY = Metadata.Key.of("reason-bin", Metadata.BINARY_BYTE_MARSHALLER);

    private final AtomicInteger runs = new AtomicInteger();
    private final Map<String, AtomicInteger> runsOf = new ConcurrentHashMap<>();
    private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
    private volatile Context context = Context.ROOT;

    ServerServiceDefinition definition() {
        return ServerServiceDefinition.builder(Bytes.SERVICE)
                .addMethod(Bytes.ADD, ServerCalls.asyncUnaryCall(this::add))
                .addMethod(Bytes.COUNT, ServerCalls.asyncUnaryCall(this::count))
                .addMethod(Bytes.STREAM, ServerCalls.asyncServerStreamingCall(this::stream))
                .build();
    }

    int runs() {
        return runs.get();
    }

    int runsOf(String request) {
        AtomicInteger of = runsOf.get(request);
        return of == null ? 0 : of.get();
    }

    /** The largest number of runs of any request. */
    int most() {
        return runsOf.values().stream().mapToInt(AtomicInteger::get).max().orElse(0);
    }

    /** Whether the context of the request that was held last is cancelled. */
    boolean isHeldCancelled() {
        return context.isCancelled();
    }

    void release() {
        for (Runnable each = held.poll(); each != null; each = held.poll()) {
            each.run();
        }
    }

    private void add(String request, StreamObserver<String> observer) {
        int run = runs.incrementAndGet();
        runsOf.computeIfAbsent(request, key -> new AtomicInteger()).incrementAndGet();
        if (request.startsWith("throw")) {
            throw new IllegalArgumentException("as the test asks");
        }
        if (request.startsWith("fail")) {
            Metadata trailers = new Metadata();
            trailers.put(TEXT, "run " + run);
            trailers.put(BINARY, new byte[] {0, (byte) run});
            observer.onError(Status.NOT_FOUND.withDescription(request).asRuntimeException(trailers));
        } else if (request.startsWith("hold")) {
            Context of = Context.current();
            context = of;
            held.add(() -> reply(
                    observer,
                    request + " " + run + (of.isCancelled() ? " cancelled" : "")
                            + (of.getDeadline() == null ? " without deadline" : "")));
        } else {
            reply(observer, request + " " + run);
        }
    }

    private void count(String request, StreamObserver<String> observer) {
        reply(observer, "" + runs);
    }

    private void stream(String request, StreamObserver<String> observer) {
        observer.onNext(request + 1);
        observer.onNext(request + 2);
        observer.onCompleted();
    }

    private static void reply(StreamObserver<String> observer, String text) {
        observer.onNext(text);
        observer.onCompleted();
    }
}
