package org.amo.exon;

import java.util.HashMap;
import java.util.Map;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;
import org.jspecify.annotations.Nullable;

/** Records the outcome of every message, and holds the checks. */
final class ExonLedger {
    static final String TWICE = "delivered twice";
    static final String FALSE_OUTCOME = "an outcome that is not true";
    static final String LOST = "lost";
    static final String STAYS = "records that stay";
    static final String BOUND = "memory without bound";
    static final String SLOW = "a reordering window that stays";
    static final String BROKE = "the core stopped";

    private final SimWorld world;
    private final Map<Long, Message> messages = new HashMap<>();
    private long last;

    /** One message. */
    static final class Message {
        final long number;
        final ExonSimNode from;
        final ExonSimNode to;
        final int fromLife;
        final long deadlineMicros;
        final byte[] body;
        final boolean calm;
        int delivered;

        /** How often the application took it: by its own ledger, if the receiver has a durable inbox. */
        int taken;

        /** Whether it is in the receiver's durable inbox, or was. */
        boolean stored;

        /** Whether the application failed at it. */
        boolean failed;

        @Nullable
        Outcome outcome;

        Message(long number, ExonSimNode from, ExonSimNode to, long deadlineMicros, byte[] body, boolean calm) {
            this.number = number;
            this.from = from;
            this.to = to;
            this.fromLife = from.life();
            this.deadlineMicros = deadlineMicros;
            this.body = body;
            this.calm = calm;
        }
    }

    ExonLedger(SimWorld world) {
        this.world = world;
    }

    long count() {
        return last;
    }

    Message issue(ExonSimNode from, ExonSimNode to, long deadlineMicros, int length, boolean calm) {
        long number = ++last;
        byte[] body = new byte[8 + length];
        for (int i = 0; i < 8; i++) {
            body[i] = (byte) (number >>> (8 * i));
        }
        for (int i = 8; i < body.length; i++) {
            body[i] = (byte) (number * 31 + i);
        }
        Message message = new Message(number, from, to, deadlineMicros, body, calm);
        messages.put(number, message);
        return message;
    }

    Message onDelivered(ExonSimNode from, ExonSimNode at, byte[] body) {
        long number = 0;
        for (int i = 7; i >= 0 && body.length >= 8; i--) {
            number = (number << 8) | (body[i] & 0xFF);
        }
        Message message = messages.get(number);
        if (message == null
                || message.from != from
                || message.to != at
                || !java.util.Arrays.equals(message.body, body)) {
            throw new SimViolationException(FALSE_OUTCOME, at + " got what nobody sent to it, from " + from);
        }
        if (++message.delivered > 1) {
            throw new SimViolationException(TWICE, "m" + number + " from " + from + " to " + at);
        }
        if (message.outcome == Outcome.NOT_SENT) {
            throw new SimViolationException(FALSE_OUTCOME, "m" + number + " was NOT_SENT and is delivered");
        }
        return message;
    }

    /** The application took a message, and did what it asks for. */
    void onTaken(Message message) {
        if (++message.taken > 1) {
            throw new SimViolationException(TWICE, "m" + message.number + " in the ledger of " + message.to);
        }
    }

    void onOutcome(long number, Outcome outcome) {
        Message message = messages.get(number);
        if (message == null || message.outcome != null) {
            throw new SimViolationException(FALSE_OUTCOME, "m" + number + " has a second outcome, " + outcome);
        }
        message.outcome = outcome;
        boolean delivered = message.delivered == 1;
        boolean counts = message.to.hasInbox() ? message.stored : message.taken == 1;
        if (outcome == Outcome.DELIVERED && !counts) {
            throw new SimViolationException(LOST, "m" + number + " is DELIVERED, but " + message.to + " never got it");
        }
        if (outcome == Outcome.NOT_SENT && delivered) {
            throw new SimViolationException(FALSE_OUTCOME, "m" + number + " is NOT_SENT, but was delivered");
        }
        boolean early = world.nowMicros() < message.deadlineMicros;
        boolean excused =
                outcome == Outcome.UNKNOWN && (message.to.life() > 0 || message.to.hasAbandoned() || message.failed);
        if (outcome != Outcome.DELIVERED && early && !excused) {
            throw new SimViolationException(
                    FALSE_OUTCOME, "m" + number + " is " + outcome + " before its deadline, without a cause");
        }
    }

    /** At the end: every message of a life that goes on has its outcome, and those of the healed world arrived. */
    void checkEnd() {
        for (Message message : messages.values()) {
            boolean living = message.from.life() == message.fromLife;
            if (living && message.outcome == null) {
                throw new SimViolationException(
                        LOST, "m" + message.number + " from " + message.from + " to " + message.to + " has no outcome");
            }
            if (message.stored && message.taken != 1) {
                throw new SimViolationException(LOST, "m" + message.number + " stays in the inbox of " + message.to);
            }
            if (message.calm && message.outcome != Outcome.DELIVERED) {
                throw new SimViolationException(
                        LOST, "m" + message.number + " was sent in the healed world and is " + message.outcome);
            }
        }
    }
}
