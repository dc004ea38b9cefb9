package org.amo.core.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;

/**
 * A request that somebody waits for at this replica. Volatile: a crash loses it, and its copies are then never
 * answered.
 */
final class PendingRequest {
    private final Request request;
    private final FinishedNumbers finished;
    private long giveUpAtMillis;
    private final List<Waiter> waiters = new ArrayList<>(1);
    private final List<Submission> rides = new ArrayList<>(1);
    private int submissionsOut;
    private boolean everSubmitted;
    private boolean accepted;
    private boolean closed;
    private Optional<Refusal> heldRefusal = Optional.empty();

    PendingRequest(Request request, FinishedNumbers finished, long giveUpAtMillis) {
        this.request = request;
        this.finished = finished;
        this.giveUpAtMillis = giveUpAtMillis;
    }

    Request request() {
        return request;
    }

    FinishedNumbers finished() {
        return finished;
    }

    List<Waiter> waiters() {
        return waiters;
    }

    /** Somebody joined who will not wait longer than this. */
    void giveUpBy(long atMillis) {
        giveUpAtMillis = Math.min(giveUpAtMillis, atMillis);
    }

    boolean isOverdue(long nowMillis) {
        return nowMillis >= giveUpAtMillis;
    }

    /** Submissions of it that may still be delivered. */
    int submissionsOut() {
        return submissionsOut;
    }

    boolean everSubmitted() {
        return everSubmitted;
    }

    void submittedIn(Submission submission) {
        submissionsOut++;
        everSubmitted = true;
        rides.add(submission);
    }

    /** One of its submissions was delivered here, decided by the leader, or rejected. */
    void submissionEnded() {
        submissionsOut--;
    }

    /** Refused in one submission while another may still be accepted: the next entry need not wait for that one. */
    void holdRefusal(Refusal refusal, Submission submission) {
        heldRefusal = Optional.of(refusal);
        if (rides.remove(submission)) {
            submission.itemAnswered();
        }
    }

    Optional<Refusal> heldRefusal() {
        return heldRefusal;
    }

    /** It runs, or ran: it must not be submitted again, and its reply will come. */
    boolean accepted() {
        return accepted;
    }

    void accept() {
        accepted = true;
    }

    boolean closed() {
        return closed;
    }

    /** Its waiters have been answered. */
    void close() {
        closed = true;
        waiters.clear();
        rides.forEach(Submission::itemAnswered);
        rides.clear();
    }
}
