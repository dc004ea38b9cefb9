package org.amo.core.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;

/** A request with waiters at this replica. Volatile: a crash loses it, and its attempts are then never answered. */
final class PendingRequest {
    private static final long GRACE_MILLIS = 1_000;

    private final Request request;
    private final Principal principal;
    private final FinishedNumbers finished;
    private long giveUpAtMillis;
    private final List<Waiter> waiters = new ArrayList<>(1);
    private final List<Submission> rides = new ArrayList<>(1);
    private int submissionsOut;
    private boolean accepted;
    private boolean closed;
    private Optional<Answer> heldRefusal = Optional.empty();

    PendingRequest(Request request, Principal principal, FinishedNumbers finished, long giveUpAtMillis) {
        this.request = request;
        this.principal = principal;
        this.finished = finished;
        this.giveUpAtMillis = giveUpAtMillis;
    }

    Request request() {
        return request;
    }

    /** Of the first attempt that came here. */
    Principal principal() {
        return principal;
    }

    FinishedNumbers finished() {
        return finished;
    }

    List<Waiter> waiters() {
        return waiters;
    }

    /** An attempt joined that will not wait longer than this. */
    void giveUpBy(long atMillis) {
        giveUpAtMillis = Math.min(giveUpAtMillis, atMillis);
    }

    /** One that may run gets a little more time: its reply may be on its way. The refusal of another cannot wait. */
    boolean isOverdue(long nowMillis) {
        return nowMillis >= giveUpAtMillis && (!mayRun() || nowMillis - giveUpAtMillis >= GRACE_MILLIS);
    }

    /** Submissions of it that may still be delivered. */
    int submissionsOut() {
        return submissionsOut;
    }

    /** A submission of it was accepted, or may still be delivered, or was delivered without this member seeing it. */
    boolean mayRun() {
        return submissionsOut > 0 || accepted;
    }

    void submittedIn(Submission submission) {
        submissionsOut++;
        rides.add(submission);
    }

    /** One of its submissions was delivered here, decided by the leader, or rejected. */
    void submissionEnded() {
        submissionsOut--;
    }

    /** Refused in one submission while another may still be accepted: the next entry need not wait for that one. */
    void holdRefusal(Answer refusal, Submission submission) {
        heldRefusal = Optional.of(refusal);
        if (rides.remove(submission)) {
            submission.itemAnswered();
        }
    }

    Optional<Answer> heldRefusal() {
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
