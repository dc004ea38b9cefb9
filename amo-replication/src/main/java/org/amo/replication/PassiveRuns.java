package org.amo.replication;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.amo.core.replica.Execution;
import org.amo.core.replica.ExecutionNotes.Turn;
import org.amo.core.replica.Place;
import org.amo.core.replica.ServantPort;

/**
 * Runs the executions of a member in style passive (docs/decisions/0091-warm-passive.md): as the primary it executes, takes the
 * update of the state behind each run and hands it to the order; as a backup it waits for the accepted outcome and applies its
 * update. A run behind which the servant gives no update is undone: no member has its effects (docs/decisions/0098-large-outcomes.md).
 *
 * <p>The primary is at most {@link #MOST_RUNS} runs ahead of the order. The execution thread calls {@link #run}; any thread calls the
 * other methods.
 */
final class PassiveRuns {
    private static final int MOST_RUNS = 4;
    private static final long MOST_BYTES = 1L << 20;

    /** A run ends behind this, so that all of its replies fit into one entry with the longest one at the end. */
    private static final long MOST_REPLY_BYTES = 1L << 19;

    /**
     * So large a part of its heap may an update take at a member: there are up to three copies of it, and a copy of the next one, beside
     * the servant's state.
     */
    private static final int HEAP_PART = 6;

    /** Of a reason that clients get: the message of a foreign exception may have any length. */
    private static final int MOST_REASON_CHARACTERS = 300;

    /** What an entry has beside a reply. */
    private static final int REPLY_HEAD_BYTES = 8;

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
    private long bytesGathered;
    private boolean primary;
    private boolean taking;
    private Optional<String> undoing = Optional.empty();
    private boolean dropping;
    private boolean stopped;

    private volatile Runnable onRoom = () -> {};
    private volatile long mostUpdateBytes = ServantPort.MAX_UPDATE_BYTES;

    /** Receives the runs of the primary. */
    @FunctionalInterface
    interface Ran {
        void ran(List<Execution> executions, List<byte[]> replies, byte[] update);
    }

    /** Told of failures of this member's servant. */
    interface Unable {
        /**
         * The servant gives no update behind these executions, which the group is to undo. Nothing runs here until it has.
         *
         * @param why the whole reason; the replies have its beginning
         */
        void undone(List<Execution> executions, List<byte[]> replies, String why);

        /**
         * The group has undone them: the servant's state is worth nothing. The member must not go on.
         *
         * @param place of the first one
         * @param why there was no update
         */
        void worthless(Place place, String why);

        /** The servant does not take the update behind this place. The member must not go on. */
        void notApplied(Place place, RuntimeException why);
    }

    /** @param update empty if the state stays as it is */
    private record Accepted(List<Execution> executions, List<byte[]> replies, Optional<byte[]> update) {
        Place first() {
            return executions.get(0).place();
        }

        long bytes() {
            return update.map(bytes -> bytes.length).orElse(0)
                    + replies.stream().mapToLong(reply -> reply.length).sum();
        }
    }

    /**
     * What the servant gave.
     *
     * @param why there is no update
     */
    private record Taken(Optional<byte[]> update, String why) {
        static Taken nothing(String why) {
            return new Taken(Optional.empty(), why);
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

    /** The longest update that this process can hold. */
    static long mostUpdateBytesHere() {
        return Math.min(ServantPort.MAX_UPDATE_BYTES, Runtime.getRuntime().maxMemory() / HEAP_PART);
    }

    /** The group undoes a run with a longer update: some member could not hold it. */
    void limitUpdates(long mostBytes) {
        mostUpdateBytes = mostBytes;
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
        add(new Accepted(executions, replies, Optional.of(update)));
    }

    /** The group has accepted that the next executions are undone. */
    void onUndone(List<Execution> executions, List<byte[]> replies, boolean own) {
        if (own) {
            executed.accept(executions, replies);
            unable.worthless(executions.get(0).place(), whyUndone());
            return;
        }
        add(new Accepted(executions, replies, Optional.empty()));
    }

    private synchronized String whyUndone() {
        return undoing.orElse("");
    }

    private void add(Accepted next) {
        synchronized (this) {
            accepted.add(next);
            bytesAccepted += next.bytes();
            notifyAll();
        }
        // Another member has run what this one holds.
        next.executions.forEach(execution -> gate.letGo(execution.place()));
    }

    /** So many bytes of a large outcome are gathered, which may be accepted later. */
    void onGathered(long bytes) {
        boolean fewer;
        synchronized (this) {
            fewer = bytes < bytesGathered;
            bytesGathered = bytes;
            notifyAll();
        }
        if (fewer) {
            onRoom.run();
        }
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
     * updates need no further delivery. Gathered pieces need one, so they alone do not stop deliveries.
     */
    synchronized boolean hasRoom() {
        boolean few = bytesGathered == 0 ? accepted.size() <= 1 : accepted.isEmpty();
        return few || bytesAccepted + bytesGathered < MOST_WAITING_BYTES || stopped;
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
            taking = false;
            undoing = Optional.empty();
        }
        onRoom.run();
    }

    /** Whether the last run has no update, or none so far: the group may have to undo it. */
    synchronized boolean isWithoutUpdate() {
        return taking || undoing.isPresent();
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
            next.update.ifPresent(servant::applyUpdate);
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

    /** Executes as many as one entry carries the replies of. @return how many */
    private int execute(List<Execution> batch, Function<Execution, byte[]> servantRun) throws InterruptedException {
        List<byte[]> replies = new ArrayList<>(batch.size());
        BitSet skipped = new BitSet();
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
                skipped.set(replies.size());
            } else {
                reply = servantRun.apply(execution);
                gate.ended(place);
            }
            replies.add(reply);
            bytes += reply.length + REPLY_HEAD_BYTES;
            if (bytes >= MOST_REPLY_BYTES) {
                break;
            }
        }
        List<Execution> executions = List.copyOf(batch.subList(0, replies.size()));
        synchronized (this) {
            taking = true;
        }
        Taken taken = takeUpdate();
        if (taken.update.isEmpty()) {
            undo(executions, replies, skipped, taken.why);
            return executions.size();
        }
        byte[] update = taken.update.get();
        synchronized (this) {
            taking = false;
            ahead.add(bytes + update.length);
            bytesAhead += bytes + update.length;
        }
        ran.ran(executions, replies, update);
        return executions.size();
    }

    /** Returns when a snapshot replaces the state. */
    private void undo(List<Execution> executions, List<byte[]> replies, BitSet skipped, String why)
            throws InterruptedException {
        String reason = bounded(why);
        List<byte[]> told = new ArrayList<>(replies.size());
        for (int i = 0; i < replies.size(); i++) {
            told.add(
                    skipped.get(i)
                            ? replies.get(i)
                            : servant.undone(executions.get(i).request(), reason));
        }
        synchronized (this) {
            undoing = Optional.of(reason);
        }
        unable.undone(executions, told, why);
        awaitDrop();
    }

    /** In one line. */
    private static String bounded(String why) {
        String shown = why;
        if (why.length() > MOST_REASON_CHARACTERS) {
            boolean splitsPair = Character.isHighSurrogate(why.charAt(MOST_REASON_CHARACTERS - 1));
            shown = why.substring(0, splitsPair ? MOST_REASON_CHARACTERS - 1 : MOST_REASON_CHARACTERS) + " ...";
        }
        return shown.replaceAll("\\p{Cntrl}+", " ");
    }

    private synchronized void awaitDrop() throws InterruptedException {
        while (!stopped && !dropping) {
            wait();
        }
        if (stopped) {
            throw new InterruptedException("closed");
        }
    }

    private Taken takeUpdate() {
        Optional<byte[]> update;
        try {
            update = servant.takeUpdate();
        } catch (RuntimeException e) {
            return Taken.nothing("the service failed to give an update of its state (" + e + ")");
        } catch (StackOverflowError e) {
            // The request has run. Each primary in turn would meet it here again.
            return Taken.nothing(
                    "the state nests too deep for the stack (" + e + "); start every member with a larger -Xss");
        }
        if (update.isEmpty()) {
            return Taken.nothing(servant.stateObstacle().orElse("the service gives no state, which the backups need"));
        }
        long length = update.get().length;
        long most = mostUpdateBytes;
        return length <= most
                ? new Taken(update, "")
                : Taken.nothing("the update of the state has " + length + " bytes, and the members take at most " + most
                        + ": 1 GiB, or a sixth of the smallest heap (-Xmx) among them");
    }
}
