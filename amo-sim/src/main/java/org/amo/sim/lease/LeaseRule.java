package org.amo.sim.lease;

import org.amo.sim.Plant;
import org.amo.sim.Planted;

/**
 * Each rule that keeps a linearizable call from running twice, from being lost or from being refused wrongly, and the planted bug
 * that breaks it: {@code ./amo sim lease --plant NAME}.
 */
enum LeaseRule implements Planted {
    ONE_WRITE("two-writes", "object and rpc record are two writes, and a crash can come between"),
    TIME_IS_LEARNED("time-zero-after-recovery", "a restarted server serves with cluster time 0"),
    TIME_IS_LEARNED_ANEW("takeover-with-old-time", "a range is taken over and served with the time known before"),
    AUTHORITY_IS_ASKED("collect-by-local-clock", "clients are forgotten by the server's own clock"),
    RENEWALS_COUNT("collect-without-asking", "a client is forgotten at the end of its lease as this server knows it"),
    ACK_BELOW_UNANSWERED("ack-past-unanswered", "ackId is raised past a call that is not answered"),
    ACK_IS_INCLUSIVE("ack-off-by-one", "the server reads ackId as the number after the last one acknowledged"),
    BOUND_FOLLOWS_EVERY_RANGE("bound-stays-behind", "ackId comes only from records of the range that is recovered"),
    BOUND_BEFORE_REMOVAL("clean-without-bound", "acknowledged records go and nothing on disk remembers their ackId"),
    RUNNING_IS_RETRIED_LATER("copy-runs-beside", "a retry of a call that is being executed is executed, too"),
    EVERY_ANSWER_IS_RECORDED("failed-condition-forgotten", "a condition that failed leaves no rpc record"),
    DURABLE_BEFORE_REPLY("reply-before-durable", "the reply leaves before its write is on disk"),
    TIME_NEVER_FALLS("time-falls-at-failover", "a new leader of the authority begins its time anew"),
    LEASES_SURVIVE("leases-lost-at-failover", "a new leader of the authority knows no lease"),
    RENEWAL_IS_ORDERED("renewal-before-order", "a renewal is confirmed when it was collected, before it is ordered"),
    EACH_RENEWAL_IS_JUDGED(
            "ended-lease-confirmed", "all renewals of an entry are confirmed, those of ended leases too"),
    UNKNOWN_IS_FINAL("retry-under-new-id", "a call whose lease ended is sent again under a new id");

    private final Plant bug;

    LeaseRule(String plant, String description) {
        bug = new Plant("lease", plant, description);
    }

    @Override
    public Plant bug() {
        return bug;
    }
}
