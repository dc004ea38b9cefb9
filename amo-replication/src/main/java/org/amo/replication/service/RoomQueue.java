package org.amo.replication.service;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;

/** Stages that end once a call has room, in the order in which they were asked for. They set no room aside. Any thread. */
final class RoomQueue {
    private final IntPredicate hasRoom;
    private final Executor executor;
    private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();

    /** Looks that are asked for. Above 0 a look is under way, which makes them all. */
    private final AtomicInteger looks = new AtomicInteger();

    private volatile boolean closed;

    private record Waiting(int bytes, CompletableFuture<Void> stage) {}

    /**
     * @param hasRoom whether a request of so many bytes has room now
     * @param executor where stages end
     */
    RoomQueue(IntPredicate hasRoom, Executor executor) {
        this.hasRoom = hasRoom;
        this.executor = executor;
    }

    CompletableFuture<Void> whenRoom(int bytes) {
        CompletableFuture<Void> stage = new CompletableFuture<>();
        if (closed || (waiting.isEmpty() && hasRoom.test(bytes))) {
            stage.complete(null);
            return stage;
        }
        waiting.add(new Waiting(bytes, stage));
        // Room may have been given back before it was in the queue.
        look();
        return stage;
    }

    /** A call has given its room back. */
    void onRoom() {
        if (!waiting.isEmpty()) {
            look();
        }
    }

    /** Ends all stages. */
    void close() {
        closed = true;
        look();
    }

    private void look() {
        if (looks.getAndIncrement() == 0) {
            executor.execute(this::endThoseWithRoom);
        }
    }

    /** Dependent actions run before the next look: what they take is taken then. */
    private void endThoseWithRoom() {
        int made;
        do {
            made = looks.get();
            for (Waiting first = waiting.peek(); first != null && mayGo(first); first = waiting.peek()) {
                waiting.remove();
                first.stage.complete(null);
            }
        } while (looks.addAndGet(-made) != 0);
    }

    private boolean mayGo(Waiting each) {
        return closed || hasRoom.test(each.bytes);
    }
}
