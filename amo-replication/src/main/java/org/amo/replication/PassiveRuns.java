package org.amo.replication;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.amo.core.replica.Execution;
import org.amo.core.replica.ExecutionNotes.Turn;
import org.amo.core.replica.Place;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Request;

/**
 * Runs the executions of a member in style passive (docs/decisions/0091-warm-passive.md): as the primary it executes, takes the
 * update of the state behind each run and hands it to the order; as a backup it waits for the accepted outcome and applies its
 * update.
 *
 * <p>The primary is at most {@link #MOST_RUNS} runs ahead of the order. The execution thread calls {@link #run}; any thread calls the
 * other methods.
 */
final class PassiveRuns {
    private static final int MOST_RUNS = 4;
    private static final long MOST_BYTES = 1L << 20;

    /** Beyond this a backup has no room for deliveries, if more than one outcome waits. */
    private static final long MOST_WAITING_BYTES = 16L << 20;

    private final ServantPort servant;
    private final ExecutionGate gate;
    private final Ran ran;
    private final BiConsumer<List<Execution>, List<byte[]>> executed;
    private final Unable unable;

    // Guarded by this.
    private final ArrayDeque<Accepted> accepted = new ArrayDeque<>();
    private long bytesAccepted;
    private final ArrayDeque<Long> ahead = new ArrayDeque<>();
    private long bytesAhead;
    private boolean primary;
    private boolean dropping;
    private boolean stopped;

    private volatile Runnable onRoom = () -> {};

    /** Receives the runs of the primary. */
    @FunctionalInterface
    interface Ran {
        void ran(List<Execution> executions, List<byte[]> replies, byte[] update);
    }

    /** Told of failures of this member's servant, in one line each. The member must not go on. */
    interface Unable {
        /** The servant gives no update that an entry could carry. */
        void noUpdate(String why);

        /** The servant does not take the update behind this place. */
        void notApplied(Place place, RuntimeException why);
    }

    private record Accepted(List<Execution> executions, List<byte[]> replies, byte[] update) {
        Place first() {
            return executions.get(0).place();
        }

        long bytes() {
            return update.length
                    + replies.stream().mapToLong(reply -> reply.length).sum();
        }
    }

    private enum Next {
        APPLY,
        EXECUTE,
        DROP
    }

    PassiveRuns(
            ServantPort servant,
            ExecutionGate gate,
            Ran ran,
            BiConsumer<List<Execution>, List<byte[]>> executed,
            Unable unable) {
        this.servant = servant;
        this.gate = gate;
        this.ran = ran;
        this.executed = executed;
        this.unable = unable;
    }

    /** Whether this member executes from here on. */
    synchronized void onPrimary(boolean now) {
        primary = now;
        notifyAll();
    }

    /** The group has accepted the outcome of the next executions. */
    void onAccepted(List<Execution> executions, List<byte[]> replies, byte[] update, boolean own) {
        if (own) {
            settled();
            executed.accept(executions, replies);
            return;
        }
        Accepted next = new Accepted(executions, replies, update);
        synchronized (this) {
            accepted.add(next);
            bytesAccepted += next.bytes();
            notifyAll();
        }
        // Another member has run what this one holds.
        executions.forEach(execution -> gate.letGo(execution.place()));
    }

    private synchronized void settled() {
        bytesAhead -= ahead.remove();
        notifyAll();
    }

    /** @param told called in the thread that applies updates, whenever fewer of them wait */
    void onRoom(Runnable told) {
        onRoom = told;
    }

    /**
     * False while too many updates wait to be applied: a backup that is slow must not pile up the log in memory. The waiting
     * updates need no further delivery.
     */
    synchronized boolean hasRoom() {
        return accepted.size() <= 1 || bytesAccepted < MOST_WAITING_BYTES || stopped;
    }

    /** Returns when there is room. */
    synchronized void awaitRoom() throws InterruptedException {
        while (!hasRoom()) {
            wait();
        }
    }

    /** The executions that were given so far are in the state of a snapshot, which {@link #endDrop} says is in place. */
    synchronized void beginDrop() {
        dropping = true;
        accepted.clear();
        bytesAccepted = 0;
        notifyAll();
    }

    void endDrop() {
        synchronized (this) {
            dropping = false;
            accepted.clear();
            bytesAccepted = 0;
            ahead.clear();
            bytesAhead = 0;
        }
        onRoom.run();
    }

    synchronized boolean isDropping() {
        return dropping;
    }

    synchronized void stop() {
        stopped = true;
        notifyAll();
    }

    /**
     * Returns when these, of one entry, have been executed or their outcomes applied.
     *
     * @param servantRun runs one of them
     */
    void run(List<Execution> batch, Function<Execution, byte[]> servantRun) throws InterruptedException {
        int done = 0;
        while (done < batch.size()) {
            List<Execution> left = batch.subList(done, batch.size());
            switch (await()) {
                case DROP -> {
                    return;
                }
                case APPLY -> done += apply(left.get(0).place());
                case EXECUTE -> done += execute(left, servantRun);
            }
        }
    }

    private synchronized Next await() throws InterruptedException {
        while (true) {
            if (stopped) {
                throw new InterruptedException("closed");
            }
            if (dropping) {
                return Next.DROP;
            }
            if (!accepted.isEmpty()) {
                return Next.APPLY;
            }
            if (primary && ahead.size() < MOST_RUNS && bytesAhead < MOST_BYTES) {
                return Next.EXECUTE;
            }
            wait();
        }
    }

    /** @return how many executions it is the outcome of */
    private int apply(Place expected) throws InterruptedException {
        Accepted next = poll();
        if (!next.first().equals(expected)) {
            // This process has executed its places itself, and is about to end.
            awaitStop();
        }
        try {
            servant.applyUpdate(next.update);
        } catch (RuntimeException e) {
            unable.notApplied(expected, e);
            awaitStop();
        }
        executed.accept(next.executions, next.replies);
        return next.executions.size();
    }

    private Accepted poll() {
        Accepted next;
        synchronized (this) {
            next = accepted.remove();
            bytesAccepted -= next.bytes();
            notifyAll();
        }
        onRoom.run();
        return next;
    }

    private synchronized void awaitStop() throws InterruptedException {
        while (!stopped) {
            wait();
        }
        throw new InterruptedException("closed");
    }

    /** Executes as many as one outcome can carry. @return how many */
    private int execute(List<Execution> batch, Function<Execution, byte[]> servantRun) throws InterruptedException {
        List<byte[]> replies = new ArrayList<>(batch.size());
        long bytes = 0;
        for (Execution execution : batch) {
            Place place = execution.place();
            Turn turn = gate.ask(place);
            if (turn == Turn.WAIT) {
                if (!replies.isEmpty()) {
                    break;
                }
                gate.awaitTurn(place);
                // Meanwhile another member may have become the primary, and may have run it.
                return 0;
            }
            byte[] reply;
            if (turn == Turn.SKIP) {
                reply = servant.skipped(execution.request());
            } else {
                reply = servantRun.apply(execution);
                gate.ended(place);
            }
            replies.add(reply);
            bytes += reply.length;
            if (bytes >= MOST_BYTES) {
                break;
            }
        }
        List<Execution> executions = List.copyOf(batch.subList(0, replies.size()));
        byte[] update = takeUpdate();
        long most = (long) Request.MAX_BODY_BYTES - update.length;
        if (bytes > most) {
            int longest = longest(replies);
            long length = replies.get(longest).length;
            byte[] shorter = servant.replyTooLong(executions.get(longest).request(), length, most);
            replies.set(longest, shorter);
            bytes += shorter.length - length;
        }
        if (bytes > most) {
            unable.noUpdate("the update of its state has " + update.length + " bytes, and an entry of the log holds "
                    + Request.MAX_BODY_BYTES
                    + "; give the service smaller updates, or run all members with --style active");
            awaitStop();
        }
        synchronized (this) {
            ahead.add(bytes + update.length);
            bytesAhead += bytes + update.length;
        }
        ran.ran(executions, replies, update);
        return executions.size();
    }

    private static int longest(List<byte[]> replies) {
        int longest = 0;
        for (int i = 1; i < replies.size(); i++) {
            longest = replies.get(i).length > replies.get(longest).length ? i : longest;
        }
        return longest;
    }

    private byte[] takeUpdate() throws InterruptedException {
        Optional<byte[]> update = Optional.empty();
        try {
            update = servant.takeUpdate();
        } catch (RuntimeException e) {
            unable.noUpdate("its service failed to give an update of its state (" + e
                    + "); correct the service, or use --style active");
            awaitStop();
        }
        if (update.isEmpty()) {
            unable.noUpdate(
                    servant.stateObstacle()
                            .orElse(
                                    "its service gives no state, which the backups need; give it a state, or use --style active"));
            awaitStop();
        }
        return update.orElseThrow();
    }
}
