package org.amo.replication.service;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.amo.base.CallPath;
import org.amo.core.client.AttemptedCall;
import org.amo.core.request.Refusal;

/**
 * Asks the group for the outcomes of the calls that former lives of a client left open. Each life is asked for by a client with its
 * id, which sends its requests under their old numbers, and acknowledges them once they are handled. Any thread; one at a time.
 */
final class CallRecovery implements Closeable {
    /** Calls that are sent at a time: what their requests and replies take on the heap stays bounded. */
    private static final int WINDOW = 256;

    private static final int WINDOW_BYTES = 64 << 20;

    /** Each call takes up to a kilobyte more than its bytes, and the last one may be as long as a request can be. */
    private static final int WINDOW_KILOBYTES = 2 * (WINDOW_BYTES >> 10) + WINDOW;

    private static final byte[] NOTHING = {};
    private static final long PATIENCE_MILLIS = 5_000;

    private final ClientIdentity identity;
    private final BiFunction<CallJournal, NotedCalls, ClientLoop> clients;
    private final boolean forced;
    private final long withinMillis;
    private final ReentrantLock turn = new ReentrantLock();
    private volatile Optional<ClientLoop> running = Optional.empty();
    private volatile boolean isClosed;

    /** @param outcome empty if it is known from the journal */
    private record Asked(CallJournal.OpenCall call, byte[] body, Optional<PendingCall> outcome) {}

    /**
     * @param clients opens a client of a former life
     * @param forced as of {@link NotedCalls}
     * @param withinMillis how long a call may take, at least 1
     */
    CallRecovery(
            ClientIdentity identity,
            BiFunction<CallJournal, NotedCalls, ClientLoop> clients,
            boolean forced,
            long withinMillis) {
        this.identity = identity;
        this.clients = clients;
        this.forced = forced;
        this.withinMillis = withinMillis;
    }

    /** As {@link AmoClient#recover}. */
    int recover(Consumer<RecoveredCall> handler) {
        turn.lock();
        try {
            return recoverAll(handler);
        } finally {
            turn.unlock();
        }
    }

    private int recoverAll(Consumer<RecoveredCall> handler) {
        int left = 0;
        for (CallJournal life : identity.former()) {
            try {
                left += recover(life, handler);
                if (life.openCalls().isEmpty()) {
                    identity.recovered(life);
                }
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read or write " + life + ": " + e.getMessage(), e);
            }
        }
        return left;
    }

    private int recover(CallJournal life, Consumer<RecoveredCall> handler) throws IOException {
        ClientLoop client = clients.apply(life, new NotedCalls(Optional.of(life), forced));
        running = Optional.of(client);
        int left = 0;
        try {
            if (isClosed) {
                throw new IllegalStateException("this client is closed");
            }
            CallPermits room = new CallPermits(WINDOW, WINDOW_KILOBYTES);
            Deque<CallJournal.OpenCall> calls = new ArrayDeque<>(life.openCalls());
            while (!calls.isEmpty()) {
                for (Asked each : ask(client, life, calls, room)) {
                    Optional<RecoveredCall> recovered = outcome(each);
                    if (recovered.isEmpty()) {
                        left++;
                    } else {
                        handler.accept(recovered.get());
                        client.finished(each.call.identity());
                    }
                }
            }
        } finally {
            // The journal is this thread's again afterwards.
            ClientLoop.awaitEnd(client.close(), "the client that recovers calls");
        }
        return left;
    }

    /** Sends the next ones. */
    private List<Asked> ask(ClientLoop client, CallJournal life, Deque<CallJournal.OpenCall> calls, CallPermits room)
            throws IOException {
        List<Asked> asked = new ArrayList<>();
        long bytes = 0;
        for (CallJournal.OpenCall next = calls.poll(); next != null; next = calls.poll()) {
            byte[] body = life.body(next);
            asked.add(new Asked(next, body, next.isRefused() ? Optional.empty() : enter(client, next, body, room)));
            bytes += body.length;
            if (asked.size() == WINDOW || bytes >= WINDOW_BYTES) {
                break;
            }
        }
        return asked;
    }

    private Optional<PendingCall> enter(ClientLoop client, CallJournal.OpenCall call, byte[] body, CallPermits room) {
        try {
            if (!room.enter(body.length, withinMillis)) {
                return Optional.empty();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
        PendingCall pending = new PendingCall(
                body, false, ClientLoop.now() + withinMillis, room, Optional.of(call.identity()), CallPath.NONE);
        client.call(pending);
        return Optional.of(pending);
    }

    /** The outcome, in its turn; empty if there is none yet. */
    private Optional<RecoveredCall> outcome(Asked asked) {
        if (asked.call.isRefused()) {
            return Optional.of(failed(
                    asked,
                    new AmoNotExecutedException(
                            "call " + asked.call.identity().id() + " was not executed"
                                    + asked.call.reason().map(why -> ": " + why).orElse(""),
                            asked.call.reason())));
        }
        if (asked.outcome.isEmpty()) {
            return Optional.empty();
        }
        PendingCall pending = asked.outcome.get();
        try {
            byte[] reply = pending.outcome()
                    .get(withinMillis + AttemptedCall.GRACE_MILLIS + PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            return Optional.of(replied(asked, reply));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (ExecutionException e) {
            boolean certain = pending.isUnknownForEver()
                    || (e.getCause() instanceof AmoNotExecutedException refused
                            && refused.reason().equals(Optional.of(Refusal.EXPIRED)));
            return certain && e.getCause() instanceof AmoException why
                    ? Optional.of(failed(asked, why))
                    : Optional.empty();
        }
    }

    private static RecoveredCall replied(Asked asked, byte[] reply) {
        try {
            return new RecoveredCall(asked.call.identity(), asked.body, Payloads.open(reply), Optional.empty());
        } catch (AmoException e) {
            return failed(asked, e);
        }
    }

    private static RecoveredCall failed(Asked asked, AmoException why) {
        return new RecoveredCall(asked.call.identity(), asked.body, NOTHING, Optional.of(why));
    }

    /** A recovery under way ends soon, with the calls that have no outcome left open. */
    @Override
    public void close() {
        isClosed = true;
        running.ifPresent(client -> {
            CompletableFuture<Void> unused = client.close();
        });
        boolean interrupted = Thread.interrupted();
        try {
            if (turn.tryLock(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                try {
                    identity.close();
                } finally {
                    turn.unlock();
                }
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
