package org.amo.replication.service;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.core.client.Attempt;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a client's attempts and acknowledgements leave once its journal has the calls, in the order in which they were told to
 * leave: a call before its first attempt, its end before its acknowledgement. Without a journal they leave at once. The client's
 * thread owns it.
 */
final class NotedCalls {
    private static final Logger LOG = LoggerFactory.getLogger(NotedCalls.class);

    private final Optional<CallJournal> journal;
    private final boolean forced;
    private final List<Waiting> waiting = new ArrayList<>();

    /** The disk did not take the latest records. */
    private boolean isFailing;

    /** @param notLeft run instead, if the disk does not take the records */
    private record Waiting(Runnable leave, Runnable notLeft) {}

    /** @param forced whether records are on disk before an attempt or acknowledgement leaves */
    NotedCalls(Optional<CallJournal> journal, boolean forced) {
        this.journal = journal;
        this.forced = forced;
    }

    /** Whether a call may begin: the disk takes records, as far as is known. Calls would take room in vain otherwise. */
    boolean mayBegin() {
        return !isFailing || write(journal.orElseThrow());
    }

    /** An attempt leaves next, of a call whose outcome the application wants, after a crash of this process, too. */
    void note(Attempt attempt) {
        journal.ifPresent(file -> file.call(attempt.identity(), attempt.body()));
    }

    /** Whether there is a journal, which attempts and acknowledgements wait for. */
    boolean holdsBack() {
        return journal.isPresent();
    }

    /** Runs {@code leave} once the records so far are in the file, at the end of the batch. */
    void leave(Runnable leave, Runnable notLeft) {
        if (journal.isPresent()) {
            waiting.add(new Waiting(leave, notLeft));
        } else {
            leave.run();
        }
    }

    /**
     * The call certainly did not run. A later life must not send it once the application is told so.
     *
     * @return false if no later life knows it
     */
    boolean notExecuted(RequestId id, Optional<Refusal> reason) {
        if (journal.isEmpty()
                || !journal.get().client().equals(id.client())
                || !journal.get().isOpen(id.number())) {
            return false;
        }
        journal.get().notExecuted(id.number(), reason);
        return true;
    }

    /** The number will be acknowledged. */
    void finished(long number) {
        journal.ifPresent(file -> file.finished(number));
    }

    /** Ends a batch. */
    void release() {
        if (journal.isEmpty()) {
            return;
        }
        boolean written = write(journal.get());
        List<Waiting> batch = List.copyOf(waiting);
        waiting.clear();
        for (Waiting each : batch) {
            (written ? each.leave : each.notLeft).run();
        }
    }

    private boolean write(CallJournal file) {
        try {
            file.write();
            if (forced) {
                file.force();
            }
            isFailing = false;
            return true;
        } catch (IOException e) {
            if (!isFailing) {
                isFailing = true;
                LOG.error("cannot write {} ({}); calls are not executed until it can be written", file, e.toString());
            }
            return false;
        }
    }
}
