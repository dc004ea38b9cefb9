package org.amo.exon;

import java.util.EnumSet;
import java.util.Set;
import org.amo.sim.Plant;
import org.amo.sim.Planted;
import org.amo.sim.rules.RuleSet;

/**
 * Each rule that keeps a message from being lost or doubled, and the planted bug that breaks it: {@code ./amo sim exon --plant NAME}.
 */
public enum ExonRule implements Planted {
    TOKEN_BEFORE_REQUEST(
            "request-before-token", "lines 30-33 as printed: slots are requested before the token is stored"),
    TOKEN_KEEPS_INCARNATION(
            "token-without-incarnation", "line 90 as printed: a token is sent again under the current rck"),
    CLOCK_RAISED_ON_REMOVAL("clock-stays-on-removal", "line 46 left out: ck is not raised when a send record goes"),
    ACK_WHENEVER_GONE(
            "acknowledge-only-incarnation", "a token is acknowledged only if its incarnation is the current one"),
    SLOTS_FROM_REQUEST("union-from-old-clock", "line 56 as printed: slots are made from the record's old sck on"),
    CLOCK_RESERVED("clock-not-durable", "the node clock is not reserved on disk: a restart uses its values again"),
    UNKNOWN_LIFE_IS_TOLD(
            "acknowledge-former-life", "a token of the receiver's former life is acknowledged like a consumed one"),
    EVICTION_RAISES_BOUND(
            "evict-without-bound", "a record with open slots is forgotten without a bound that refuses its tokens"),
    SENT_IS_UNKNOWN("expired-is-not-sent", "a message that left and reached its deadline is reported NOT_SENT"),
    ACCEPTED_BEFORE_ACK(
            "delivered-when-queued", "a message is acknowledged when it came, not when the application has taken it"),
    WRITTEN_BEFORE_ACK("inbox-after-acknowledgement", "a message is acknowledged before it is in the durable inbox"),
    RECORD_STAYS_WHILE_MESSAGES_WAIT(
            "forgotten-while-it-waits", "a record goes while messages of it wait for the application"),
    REFUSED_IS_UNKNOWN("refused-is-delivered", "a message at which the application failed is acknowledged"),
    WINDOW_SHRINKS("reordering-window-never-shrinks", "the reordering window of a path never shrinks"),
    NO_KEY_OUTLIVES_ITS_NODE(
            "key-reused-after-restart",
            "a node's next life has the keys of the one before, and counts its records anew"),
    RECORDS_OF_FORMER_LIVES_ARE_REFUSED(
            "replay-accepted-after-restart", "a node takes records under the keys of its life before"),
    FORMER_KEYS_STAY(
            "former-keys-dropped-at-rotation", "records that are under way while keys rotate are not taken any more"),
    RECORD_TAKEN_ONCE("record-number-unchecked", "a record that comes again under the keys in use is taken again"),
    FIRST_RECORD_PROVES_THE_PEER(
            "keys-used-at-answer",
            "a node that answers a first message uses the keys before a record shows the other side"),
    ADDRESS_PROVED("address-without-proof", "a node sends to the address from which the newest datagram seems to come");

    private static final Set<ExonRule> OF_ENCRYPTION = EnumSet.range(NO_KEY_OUTLIVES_ITS_NODE, ADDRESS_PROVED);

    private final Plant bug;

    ExonRule(String plant, String description) {
        bug = new Plant("exon", plant, description);
    }

    /** Whether runs with these rules may encrypt: other planted bugs keep the runs that they had without it. */
    static boolean mayEncrypt(RuleSet<ExonRule> rules) {
        return rules.allHold() || !OF_ENCRYPTION.stream().allMatch(rules::holds);
    }

    @Override
    public Plant bug() {
        return bug;
    }
}
