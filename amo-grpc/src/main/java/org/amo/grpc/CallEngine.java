package org.amo.grpc;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.amo.base.ClientId;
import org.amo.core.replica.GroupParameters;
import org.amo.core.replica.ServerLedger;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;

/**
 * Lets each call of a server run at most once, also over crashes. {@link ServerLedger} decides; this class keeps its calls in the order of
 * the notes on disk, and lets attempts of a running call wait.
 *
 * <p>Invariants: (1) The note of a begin is durable before the handler runs. So a call that a restarted server does not know has not run here.
 * (2) The note of a reply is durable before the reply leaves. So a reply that a client has is the one that a restarted server has. (3) A
 * call that is live, does not run and has no reply was interrupted by a crash: the answer is UNKNOWN for as long as the call is live, and STALE later.
 * (4) EXPIRED leaves once the time by which it
 * was decided is reserved on disk. So it stays true after a restart, even with a wall clock that was set back.
 *
 * <p>Any thread may use it.
 */
final class CallEngine implements AutoCloseable {
    private static final long RESERVED_AHEAD_MILLIS = 1_000;

    private final Object lock = new Object();
    private final ServerLedger ledger;
    private final CallLog log;
    private final ClientId server;
    private final Clocks clocks;

    /** The attempts of each call whose handler runs, or whose notes are not durable yet. */
    private final Map<RequestId, List<Attempt>> running = new HashMap<>();

    private long reservedMillis;
    private boolean closed;

    /** One attempt of a call. None of its methods may wait for this engine. */
    interface Attempt {
        Request request();

        /** The party to which the call is charged. */
        Principal principal();

        /** The acknowledgements that came with it. */
        FinishedNumbers finished();

        /** Run the handler; {@link #onExecuted} follows once. */
        void execute();

        /** @param replayed whether the handler ran for another attempt */
        void reply(byte[] reply, boolean replayed, Times times);

        /** This attempt does not run. */
        void refuse(AttemptOutcome outcome, Optional<Budget> budget, Times times);

        /** The server cannot tell, since it is closed or its disk has failed. */
        void fail(boolean mayHaveRun);
    }

    /** The server's time and bound, which each answer tells. */
    record Times(long orderedTimeMillis, long upperMillis) {}

    /** The clocks of this machine, in milliseconds. */
    record Clocks(LongSupplier wall, LongSupplier monotonic) {
        static Clocks system() {
            return new Clocks(System::currentTimeMillis, () -> System.nanoTime() / 1_000_000);
        }
    }

    /**
     * The settings of an engine.
     *
     * @param forced whether notes are forced to disk
     * @param replyBytes of kept replies
     * @param recordBytes of what is kept of clients beside their replies
     * @param parameters of a folder's first server; later ones go on with these
     * @param leastReplacedBytes of records
     * @param disk forces notes
     */
    record Settings(
            boolean forced,
            long replyBytes,
            long recordBytes,
            GroupParameters parameters,
            long leastReplacedBytes,
            CallLog.Disk disk) {}

    /**
     * Goes on with the calls in a folder, or begins there.
     *
     * @param executor runs handlers and answers that waited for the disk
     * @throws IOException if the folder is in use, damaged, or cannot be written
     */
    static CallEngine open(Path folder, Settings settings, Executor executor, Clocks clocks) throws IOException {
        CallFolder files = new CallFolder(folder);
        try {
            return new CallEngine(files, settings, executor, clocks);
        } catch (IOException | RuntimeException e) {
            files.close();
            throw e;
        }
    }

    private CallEngine(CallFolder folder, Settings settings, Executor executor, Clocks clocks) throws IOException {
        this.clocks = clocks;
        long wall = clocks.wall.getAsLong();
        Restart restart = new Restart(settings.replyBytes, settings.recordBytes);
        if (folder.isNew()) {
            SecureRandom random = new SecureRandom();
            restart.head = new CallNote.Head(new ClientId(random.nextLong(), random.nextLong()), 0);
            restart.ledger.start(wall, settings.parameters);
        } else {
            folder.read(restart);
            // A wall clock that was set back meanwhile does not count.
            restart.ledger.advance(Math.max(wall, restart.head.reservedMillis()));
        }
        ledger = restart.ledger;
        ledger.tick(clocks.monotonic.getAsLong()); // the time goes on from here
        server = restart.head.server();
        reservedMillis = ledger.orderedTimeMillis() + RESERVED_AHEAD_MILLIS;
        byte[] state = CallNote.state(new CallNote.Head(server, reservedMillis), ledger);
        log = new CallLog(folder, lock, state, settings.forced, settings.disk, executor, settings.leastReplacedBytes);
    }

    /** Repeats the notes of a former process. */
    private static final class Restart implements CallFolder.Reader {
        final ServerLedger ledger;
        CallNote.Head head = new CallNote.Head(new ClientId(0, 0), 0);

        Restart(long replyBytes, long recordBytes) {
            ledger = new ServerLedger(replyBytes, recordBytes);
        }

        @Override
        public void onState(byte[] state) throws IOException {
            head = CallNote.readState(state, ledger);
        }

        @Override
        public void onRecord(byte[] record) throws IOException {
            head = new CallNote.Head(head.server(), CallNote.repeat(record, ledger, head.reservedMillis()));
        }
    }

    /** The id of the server's files, which stays over restarts. */
    String server() {
        return server.toString();
    }

    /** The times of now, for an answer that decides nothing. */
    Times times() {
        synchronized (lock) {
            ledger.tick(clocks.monotonic.getAsLong());
            return present();
        }
    }

    /** An attempt has arrived as a whole. */
    void onAttempt(Attempt attempt) {
        Optional<Runnable> next;
        synchronized (lock) {
            // Another attempt of the call may have run.
            next = closed || log.isBroken() ? Optional.of(() -> attempt.fail(true)) : judge(attempt);
        }
        next.ifPresent(Runnable::run);
    }

    private Optional<Runnable> judge(Attempt attempt) {
        Request request = attempt.request();
        ClientId client = request.id().client();
        ledger.tick(clocks.monotonic.getAsLong());
        reserve();
        FinishedNumbers news = ledger.news(client, attempt.finished());
        ledger.finished(client, attempt.finished());
        ServerLedger.Ruling ruling = ledger.decide(request, attempt.principal());
        if (ruling == ServerLedger.Ruling.EXECUTE) {
            log.note(CallNote.begun(ledger.orderedTimeMillis(), request, attempt.principal(), attempt.finished()));
        } else if (!news.isEmpty()) {
            log.note(CallNote.acknowledged(ledger.orderedTimeMillis(), client, news));
        }
        replaceLongRecords();
        return switch (ruling) {
            case EXECUTE -> execute(attempt);
            case LIVE -> join(attempt);
            case REFUSED -> refuse(attempt, ledger.refusal());
        };
    }

    private Optional<Runnable> execute(Attempt attempt) {
        List<Attempt> attempts = new ArrayList<>(2);
        attempts.add(attempt);
        running.put(attempt.request().id(), attempts);
        return log.afterwards(() -> {
            if (log.isBroken()) {
                take(attempt.request().id()).forEach(each -> each.fail(false));
            } else {
                attempt.execute();
            }
        });
    }

    private Optional<Runnable> join(Attempt attempt) {
        RequestId id = attempt.request().id();
        List<Attempt> attempts = running.get(id);
        if (attempts != null) {
            attempts.add(attempt);
            return Optional.empty();
        }
        Times times = present();
        return Optional.of(ledger.reply(id)
                .<Runnable>map(reply -> () -> attempt.reply(reply, true, times))
                .orElse(() -> attempt.refuse(AttemptOutcome.UNKNOWN, Optional.empty(), times)));
    }

    private Optional<Runnable> refuse(Attempt attempt, Answer answer) {
        Refusal refusal = answer.refusal().orElseThrow();
        Times times = present();
        // The time by which it was decided may have been reserved just now.
        return log.afterwards(() -> {
            if (log.isBroken()) {
                attempt.fail(true);
            } else {
                attempt.refuse(AttemptOutcome.of(refusal), answer.budget(), times);
            }
        });
    }

    /** The handler has ended for the attempt that was told to execute. */
    void onExecuted(Attempt attempt, byte[] reply) {
        Request request = attempt.request();
        Optional<Runnable> next;
        synchronized (lock) {
            ledger.complete(request, reply);
            if (closed) {
                next = Optional.of(() -> take(request.id()).forEach(each -> each.fail(true)));
            } else {
                log.note(CallNote.ended(request, reply));
                replaceLongRecords();
                next = log.afterwards(() -> answer(attempt, reply));
            }
        }
        next.ifPresent(Runnable::run);
    }

    private void answer(Attempt executed, byte[] reply) {
        List<Attempt> attempts = take(executed.request().id());
        Times times = times();
        for (Attempt each : attempts) {
            if (log.isBroken()) {
                each.fail(true);
            } else {
                each.reply(reply, each != executed, times);
            }
        }
    }

    private List<Attempt> take(RequestId id) {
        synchronized (lock) {
            List<Attempt> attempts = running.remove(id);
            return attempts == null ? List.of() : attempts;
        }
    }

    /** Its connection is gone, and with it the wish for an answer. The handler runs on. */
    void onGone(Attempt attempt) {
        synchronized (lock) {
            List<Attempt> attempts = running.get(attempt.request().id());
            if (attempts != null) {
                attempts.removeIf(each -> each == attempt);
            }
        }
    }

    /** A second or so has passed. */
    void onTick() {
        Optional<Runnable> next;
        synchronized (lock) {
            if (closed || log.isBroken()) {
                return;
            }
            long now = clocks.monotonic.getAsLong();
            ledger.onWallClock(clocks.wall.getAsLong(), now);
            ledger.tick(now);
            // No attempt can join them any more. Their handlers may never end, as gRPC allows for cancelled calls.
            running.entrySet().removeIf(call -> call.getValue().isEmpty() && !ledger.isLive(call.getKey()));
            next = log.afterwards(() -> {}); // acknowledgements, that nothing waited for
        }
        next.ifPresent(Runnable::run);
    }

    private void reserve() {
        if (ledger.orderedTimeMillis() > reservedMillis) {
            reservedMillis = ledger.orderedTimeMillis() + RESERVED_AHEAD_MILLIS;
            log.note(CallNote.time(reservedMillis));
        }
    }

    private void replaceLongRecords() {
        if (log.isLong()) {
            ServerLedger copy = ledger.copy();
            CallNote.Head head = new CallNote.Head(server, reservedMillis);
            log.replace(() -> CallNote.state(head, copy));
        }
    }

    private Times present() {
        return new Times(ledger.orderedTimeMillis(), ledger.upperMillis());
    }

    /** Whether the disk has failed: no call runs any more. */
    boolean isBroken() {
        return log.isBroken();
    }

    /** Live calls, with or without a reply. */
    long entries() {
        synchronized (lock) {
            return ledger.entries();
        }
    }

    /** Calls whose handlers run, as far as an attempt waits for them or may come to do so. */
    int running() {
        synchronized (lock) {
            return running.size();
        }
    }

    /** Attempts that wait for a handler, those of the handlers too. */
    int waiting() {
        synchronized (lock) {
            return running.values().stream().mapToInt(List::size).sum();
        }
    }

    /** Of the kept replies. */
    long replyBytes() {
        synchronized (lock) {
            return ledger.replyBytes();
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (lock) {
            closed = true;
        }
        log.close();
    }
}
