package org.amo.dpg;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The ordering buffers and what is sent of the admission buffers (section 4.3). */
class Bodies {
    private final Life life;
    private final Knowledge knowledge;
    private final Sites sites;
    /** Own messages that were sent and that not all present sites have delivered. Invariant: nothing takes their room. */
    private final Map<Tag, Own> own = new LinkedHashMap<>();
    /** Bodies of others: of messages that are not delivered, and of delivered ones that another site may lack. */
    private final Map<Tag, byte[]> others = new HashMap<>();
    /** Bodies that nobody is known to lack, the oldest first, for a site that comes back. They yield to all others. */
    private final Map<Tag, byte[]> left = new LinkedHashMap<>();

    /** Own messages that were sent and not delivered here. */
    private final Set<Tag> inFlight = new HashSet<>();

    /** An own message. */
    record Own(Message message, long sentMicros) {}

    Bodies(Life life, Knowledge knowledge, Sites sites) {
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
     * Keeps a body that is still of use, if need be in the buffer of another.
     *
     * @return whether it was of use; then there is somebody who has it, even if there was no room
     */
    boolean store(Tag tag, byte[] body) {
        IncorporatedOrder order = knowledge.order;
        if (get(tag) != null || order.isDelivered(tag) || (knowledge.passed.contains(tag) && !order.contains(tag))) {
            return false;
        }
        if (isFull() && !left.isEmpty()) {
            left.remove(left.keySet().iterator().next());
        }
        if (others.size() >= life.options.orderingBuffers && !dropKept()) {
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

    /** E_DELIV passes through without a buffer: what it waits for may be held by sites that wait for what is held here. */
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

    /** The last successor that has a buffer: what comes before it is needed earlier. */
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

    /** It was delivered: what had no buffer of its own goes. */
    void onDelivered(Tag tag) {
        inFlight.remove(tag);
        if (others.size() > life.options.orderingBuffers) {
            others.remove(tag);
        }
    }

    private boolean isFull() {
        return others.size() + left.size() >= life.options.orderingBuffers;
    }

    /** No present site lacks it. */
    void leave(Tag tag) {
        byte[] body = get(tag);
        others.remove(tag);
        own.remove(tag);
        inFlight.remove(tag);
        if (body != null && !isFull()) {
            left.put(tag, body);
        }
    }

    /** Who lacks it has no place here any more. */
    void forget(Tag tag) {
        left.remove(tag);
    }

    /** Of what was heard before the site had a place, only that stays which has one. */
    void onAnchored() {
        IncorporatedOrder order = knowledge.order;
        others.keySet()
                .removeIf(tag -> !knowledge.graph.contains(tag) && (!order.contains(tag) || order.isDelivered(tag)));
    }
}
