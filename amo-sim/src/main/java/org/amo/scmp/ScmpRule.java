package org.amo.scmp;

import org.amo.sim.Plant;
import org.amo.sim.Planted;

/**
 * Each rule that keeps a message from being accepted twice, a call from being answered wrongly or a new message from being
 * refused, and the planted bug that breaks it: {@code ./amo sim scmp --plant NAME}.
 */
enum ScmpRule implements Planted {
    LATEST_AFTER_STORE(
            "scmp", "latest-before-durable", "latest is raised when its write begins, not when it is durable"),
    STORED_NEVER_FALLS("scmp", "stored-latest-falls", "after a step back of the clock the stored latest goes down"),
    REMOVAL_RAISES_UPPER("scmp", "collect-without-upper", "entries are removed and upper is not raised"),
    RESTART_FROM_STORED("scmp", "restart-at-now-minus-rho", "a restarted server sets upper to its time - rho"),
    RESTART_IS_NO_CREATION(
            "scmp", "restart-as-first-creation", "a restarted server begins like one that never existed"),
    TOO_EARLY_IS_REFUSED("scmp", "no-too-early", "rule 1 is left out: any timestamp ahead is accepted"),
    FULL_REFUSES("scmp", "evict-without-upper", "a full table drops its oldest entry and does not raise upper"),
    EQUAL_IS_DUPLICATE("scmp", "equal-is-new", "a timestamp equal to the bound is taken for new"),
    VOLATILE_RESTART_WAITS("scmp", "restart-without-waiting", "without storage a restarted server accepts at once"),
    OLD_MEANS_RETENTION("scmp", "collect-recent", "entries younger than rho are collected"),
    CLASS_HAS_ITS_UPPER("scmp", "one-upper-for-all", "removing an entry of one class raises the upper of all"),

    REPLY_ACK_HAS_TIMESTAMP(
            "scmp-rpc", "reply-ack-without-timestamp", "a late REPLY-ACK frees the reply of the next call"),
    ANSWER_NEEDS_TIMESTAMP(
            "scmp-rpc", "old-duplicate-answered", "a duplicate is answered though it is of an earlier call"),
    COMPLETION_HAS_TIMESTAMP(
            "scmp-rpc",
            "completion-without-timestamp",
            "the end of an earlier call's execution answers the present one"),
    CLIENT_MATCHES_TIMESTAMP(
            "scmp-rpc", "reply-matched-by-connection", "the client takes any reply on the connection for its call's"),
    COMPUTING_IS_KEPT("scmp-rpc", "collect-computing", "the entry of a call that is being computed is collected"),
    CALL_TIME_IS_OLD_TOO(
            "scmp-rpc", "collect-by-reply-time", "an entry goes by its reply time, and lifts upper beyond it"),
    REFUSAL_LEAVES_NO_TRACE("scmp-rpc", "refusal-leaves-trace", "an overloaded server remembers the call it refused"),
    COPIES_ARE_EQUAL("scmp-rpc", "retransmission-restamped", "a retransmission carries a timestamp of its own"),
    REFUSALS_ARE_LATE(
            "scmp-rpc",
            "refusal-taken-as-now",
            "the client takes the time in a late refusal for the server's time now"),
    NEWER_CORRECTION_STAYS(
            "scmp-rpc",
            "old-refusal-undoes-newer",
            "the refusal of a call stamped before the client's last correction corrects it again");

    private final Plant bug;

    ScmpRule(String protocol, String plant, String description) {
        bug = new Plant(protocol, plant, description);
    }

    @Override
    public Plant bug() {
        return bug;
    }
}
