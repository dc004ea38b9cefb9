package org.amo.interceptors.server;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.base.CallPath;
import org.amo.base.NestedCall;
import org.amo.base.NestedCallException;
import org.amo.base.NestedCalls;
import org.amo.base.RunningOperation;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Request;

/**
 * The nested calls of the members of a {@link ToyGroup}: the member that comes first to a call sends it, and all take its result.
 */
final class ToyNestedCalls {
    private static final Map<String, ToyNestedCalls> GROUPS = new ConcurrentHashMap<>();

    private final Map<Place, Fact> facts = new ConcurrentHashMap<>();
    private final AtomicInteger sends = new AtomicInteger();
    private volatile boolean everyMemberSends;
    private volatile long deadlineMillis = 20_000;

    private record Place(long position, int number) {}

    private record Fact(Optional<byte[]> identity, Optional<byte[]> result) {}

    static ToyNestedCalls of(String group) {
        return GROUPS.computeIfAbsent(group, name -> new ToyNestedCalls());
    }

    /** Sends of all calls. */
    int sends() {
        return sends.get();
    }

    /** From now on each member sends a call that has an identity again, as if the earlier one had died before it got the result. */
    void everyMemberSends() {
        everyMemberSends = true;
    }

    void deadline(long millis) {
        deadlineMillis = millis;
    }

    ServantPort around(String group, ServantPort servant) {
        return new Member(group, servant);
    }

    private final class Member implements ServantPort, NestedCalls {
        private final RunningOperation operation;
        private final ServantPort servant;
        private long position;
        private int number;
        private CallPath path = CallPath.NONE;
        private Optional<Thread> thread = Optional.empty();

        Member(String group, ServantPort servant) {
            this.operation = new RunningOperation(group, this);
            this.servant = servant;
        }

        @Override
        public byte[] execute(long at, long orderedTimeMillis, Request request) {
            position = at;
            number = 0;
            path = request.path();
            thread = Optional.of(Thread.currentThread());
            return operation.run(() -> servant.execute(at, orderedTimeMillis, request));
        }

        @Override
        public Optional<byte[]> call(NestedCall call) {
            if (thread.filter(Thread.currentThread()::equals).isEmpty()) {
                throw new NestedCallException("another thread called " + call.target());
            }
            Place place = new Place(position, number++);
            Fact known = facts.get(place);
            if (known == null) {
                Optional<byte[]> identity = call.identity();
                known = new Fact(identity, inThread(call, identity));
                facts.put(place, known);
                call.finished();
            } else if (everyMemberSends && known.identity().isPresent()) {
                facts.put(place, new Fact(known.identity(), inThread(call, known.identity())));
            }
            return facts.get(place).result();
        }

        @Override
        public CallPath path() {
            return path;
        }

        private Optional<byte[]> inThread(NestedCall call, Optional<byte[]> identity) {
            sends.incrementAndGet();
            CompletableFuture<Optional<byte[]>> result = new CompletableFuture<>();
            // A thread that is outside of the operation.
            new Thread(
                            null,
                            () -> {
                                try {
                                    result.complete(call.send(identity, deadlineMillis));
                                } catch (Throwable e) {
                                    result.completeExceptionally(e);
                                }
                            },
                            "amo-toy-nested",
                            0,
                            false)
                    .start();
            try {
                return result.get(30, TimeUnit.SECONDS);
            } catch (InterruptedException | TimeoutException | java.util.concurrent.ExecutionException e) {
                throw new IllegalStateException("a nested call did not end", e);
            }
        }
    }
}
