package org.amo.replication.service;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.amo.base.RunningOperation;
import org.amo.replication.service.ClientReads.PendingRead;

/**
 * The reads of an application ({@link AmoClient#query(byte[])}): beside the order, or as calls where the group finds no read indexes. Any
 * thread.
 *
 * @param reads empty if all are ordered
 * @param executor where stages end
 */
record Queries(AmoClient client, String group, CallPermits room, Optional<ClientReads> reads, Executor executor) {
    byte[] query(byte[] request, CallOptions options) {
        Duration deadline = deadline(request, options);
        if (isOrdered()) {
            return ordered(request, deadline);
        }
        PendingRead read = pending(request, options, deadline);
        Optional<byte[]> result;
        try {
            if (!room.enter(request.length, deadline.toMillis())) {
                throw noRoom();
            }
            try {
                reads.orElseThrow().read(read);
                result = read.outcome().get(deadline.toMillis() + AmoClient.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            } finally {
                room.leave(request.length);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted();
        } catch (TimeoutException e) {
            throw new AmoReadException("the client's own thread does not answer; is the machine overloaded?");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AmoException why) {
                why.fillInStackTrace();
                throw why;
            }
            throw new IllegalStateException("a read of group " + group + " failed", e.getCause());
        }
        return result.isPresent() ? Payloads.open(result.get()) : ordered(request, left(read));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the stage that is returned tells everything
    CompletionStage<byte[]> queryAsync(byte[] request, CallOptions options) {
        Duration deadline = deadline(request, options);
        CompletableFuture<byte[]> stage = new CompletableFuture<>();
        if (isOrdered()) {
            order(request, deadline, stage);
            return stage;
        }
        PendingRead read = pending(request, options, deadline);
        try {
            if (!room.enter(request.length, 0)) {
                stage.completeExceptionally(noRoom());
                return stage;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stage.completeExceptionally(interrupted());
            return stage;
        }
        read.outcome()
                .whenCompleteAsync(
                        (result, why) -> {
                            room.leave(request.length);
                            if (why != null) {
                                stage.completeExceptionally(why);
                            } else if (result.isPresent()) {
                                AmoClient.complete(stage, () -> Payloads.open(result.get()));
                            } else {
                                order(request, left(read), stage);
                            }
                        },
                        executor);
        reads.orElseThrow().read(read);
        return stage;
    }

    private Duration deadline(byte[] request, CallOptions options) {
        Duration deadline = client.deadline(options);
        AmoClient.check(request, deadline);
        return deadline;
    }

    private boolean isOrdered() {
        return reads.isEmpty() || RunningOperation.current().isPresent();
    }

    private PendingRead pending(byte[] request, CallOptions options, Duration deadline) {
        long now = ClientLoop.now();
        long mostAge = options.maxAge().map(Duration::toMillis).orElse(0L);
        if (options.afterOwnCalls()) {
            mostAge = Math.min(mostAge, youngerThanOwnCalls(now));
        }
        return new PendingRead(request, mostAge, now + deadline.toMillis());
    }

    /**
     * An age that leaves out no call whose reply has come here: the read reaches its member later than now, and holds what was answered
     * until so long before. Both clocks are monotonic; they differ by a thousandth at most, and the millisecond is for the rounding. 0, as
     * of a linearizable read, for a reply of this moment.
     */
    private long youngerThanOwnCalls(long now) {
        OptionalLong latest = client.latestReplyMillis();
        if (latest.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long since = now - latest.getAsLong();
        return Math.max(0, since - 1 - since / 1_000);
    }

    private static Duration left(PendingRead read) {
        return Duration.ofMillis(Math.max(1, read.endMillis() - ClientLoop.now()));
    }

    /** A read as a call: its outcome may be unknown, and it has no effect. */
    private byte[] ordered(byte[] request, Duration deadline) {
        try {
            return client.call(request, deadline);
        } catch (AmoUnknownException | AmoNotExecutedException e) {
            throw withoutResult(e);
        }
    }

    /** The same without waiting, for the stage of a read. */
    private void order(byte[] request, Duration deadline, CompletableFuture<byte[]> stage) {
        CompletionStage<byte[]> unused = client.callAsync(request, deadline).whenComplete((reply, why) -> {
            if (why == null) {
                stage.complete(reply);
            } else if (why instanceof AmoUnknownException || why instanceof AmoNotExecutedException) {
                stage.completeExceptionally(withoutResult(why));
            } else {
                stage.completeExceptionally(why);
            }
        });
    }

    private AmoReadException withoutResult(Throwable why) {
        return new AmoReadException("a read of group " + group + " was ordered and has no result: " + why.getMessage());
    }

    private AmoReadException noRoom() {
        return new AmoReadException("this client of group " + group
                + " has too many calls under way; wait for some of them, then read again");
    }

    private AmoReadException interrupted() {
        return new AmoReadException("interrupted in a read of group " + group + "; it may be called again");
    }
}
