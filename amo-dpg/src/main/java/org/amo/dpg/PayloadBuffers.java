package org.amo.dpg;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Holds the ordering buffers and the sent part of the admission buffers (section 4.3). */
class PayloadBuffers {
    private final SiteContext life;
    private final OrderState knowledge;
    private final Sites sites;
    /** Own messages that were sent and that not all present sites have delivered. Invariant: nothing takes their room. */
    private final Map<Tag, Own> own = new LinkedHashMap<>();
    /** Bodies of others: of messages that are not delivered, and of delivered ones that another site may lack. */
    private final Map<Tag, byte[]> others = new HashMap<>();
    /** Bodies that no site is known to lack, the oldest first, for a site that comes back. They yield to all others. */
    private final Map<Tag, byte[]> left = new LinkedHashMap<>();

    /** Own messages that were sent and not delivered here. */
    private final Set<Tag> inFlight = new HashSet<>();

    /** An own message. */
    record Own(Message message, long sentMicros) {}

    PayloadBuffers(SiteContext life, OrderState knowledge, Sites sites) {
        this.life = life;
        this.knowledge = knowledge;
        this.sites = sites;
    }

    void onSent(Message message, long nowMicros) {
        own.put(message.tag(), new Own(message, nowMicros));
        inFlight.add(message.tag());
    }

    /** Own messages, the oldest first. */
    Collection<Own> own() {
        return Collections.unmodifiableCollection(own.values());
    }

    int ownCount() {
        return own.size();
    }

    int inFlightCount() {
        return inFlight.size();
    }

    int ofOthers() {
        return others.size();
    }

    byte @Nullable [] get(Tag tag) {
        Own mine = own.get(tag);
        byte[] body = mine != null ? mine.message.body() : others.get(tag);
        return body != null ? body : left.get(tag);
    }

    /**
     * Keeps a body that is still of use, if need be in the buffer of another body.
     *
     * @return whether it was of use; then some site has it, even if there was no room here
     */
    boolean store(Tag tag, byte[] body) {
        IncorporatedOrder order = knowledge.order;
        if (get(tag) != null || order.isDelivered(tag) || (knowledge.passed.contains(tag) && !order.contains(tag))) {
            return false;
        }
        if (isFull() && !left.isEmpty()) {
            left.remove(left.keySet().iterator().next());
        }
        if (others.size() >= life.options.orderingBuffers() && !dropKept()) {
            life.overflow();
            Tag victim = successorWithBody(tag);
            if (victim != null) {
                life.counters.seized++;
                others.remove(victim);
            } else if (!isEarliest(tag)) {
                return true;
            }
        }
        others.put(tag, body);
        return true;
    }

    /** E_DELIV passes through without a buffer: its body may be held by sites that wait for bodies held here. */
    boolean isEarliest(Tag tag) {
        return tag.equals(knowledge.order.earliest());
    }

    /** Drops the oldest delivered body that its sender is there to send again. */
    boolean dropKept() {
        for (Tag tag : knowledge.order.kept()) {
            if (sites.isPresent(tag.origin()) && others.remove(tag) != null) {
                life.counters.premature++;
                return true;
            }
        }
        return false;
    }

    /** The last successor that has a buffer: its predecessors are needed earlier. */
    @Nullable
    Tag successorWithBody(Tag tag) {
        Tag victim = null;
        for (Tag each : knowledge.graph.vertices()) {
            if (others.containsKey(each)
                    && knowledge.precedes(tag, each)
                    && (victim == null || knowledge.precedes(victim, each))) {
                victim = each;
            }
        }
        IncorporatedOrder order = knowledge.order;
        if (victim == null && order.contains(tag)) {
            for (Tag each : order.undelivered()) {
                if (order.positionOf(each) > order.positionOf(tag) && others.containsKey(each)) {
                    victim = each;
                }
            }
        }
        return victim;
    }

    /** The message was delivered: a body without a buffer of its own is dropped. */
    void onDelivered(Tag tag) {
        inFlight.remove(tag);
        if (others.size() > life.options.orderingBuffers()) {
            others.remove(tag);
        }
    }

    private boolean isFull() {
        return others.size() + left.size() >= life.options.orderingBuffers();
    }

    /** No present site lacks the message. */
    void leave(Tag tag) {
        byte[] body = get(tag);
        others.remove(tag);
        own.remove(tag);
        inFlight.remove(tag);
        if (body != null && !isFull()) {
            left.put(tag, body);
        }
    }

    /** A site that lacks the message has no place here any more. */
    void forget(Tag tag) {
        left.remove(tag);
    }

    /** Of the bodies heard before the site had a place, only those of messages with a place stay. */
    void onAnchored() {
        IncorporatedOrder order = knowledge.order;
        others.keySet()
                .removeIf(tag -> !knowledge.graph.contains(tag) && (!order.contains(tag) || order.isDelivered(tag)));
    }
}
