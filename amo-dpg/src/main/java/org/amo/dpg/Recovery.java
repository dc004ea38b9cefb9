package org.amo.dpg;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Recovers lost messages (section 4.3): LM, the bodies this site asks for, and RM, the bodies others asked it for. */
final class Recovery {
    private static final int MOST_LOST = 64;
    private static final int LEAST_LOST = 8;

    private final SiteContext life;
    private final OrderState knowledge;
    private final Sites sites;
    private final PayloadBuffers bodies;
    private final Map<Tag, Asked> askedFor = new HashMap<>();
    private final Set<Tag> requested = new LinkedHashSet<>();

    private record Asked(long firstMicros, long lastMicros) {}

    Recovery(SiteContext life, OrderState knowledge, Sites sites, PayloadBuffers bodies) {
        this.life = life;
        this.knowledge = knowledge;
        this.sites = sites;
        this.bodies = bodies;
    }

    /** A body came in its place. */
    void onBody(Tag tag, byte[] body) {
        if (bodies.store(tag, body)) {
            askedFor.remove(tag);
        }
    }

    /** A body without its place. It is of no use if no site told of the message: it may be from before the segment. */
    void onRemulticast(Message message) {
        Tag tag = message.tag();
        requested.remove(tag);
        if (knowledge.anchored
                && message.body().length <= life.options.maxBodyBytes()
                && knowledge.mayExist(tag)
                && !tag.equals(Tag.ROOT)
                && (knowledge.graph.contains(tag) || knowledge.order.contains(tag))) {
            onBody(tag, message.body());
        }
    }

    /** Another site asks for a body. */
    void onRequest(Tag tag) {
        if (bodies.get(tag) != null && requested.size() < Math.max(MOST_LOST, life.options.orderingBuffers())) {
            requested.add(tag);
        }
    }

    /** An own message that no site reports was lost, or there is no other site: it gets a place without the medium. */
    void onTime(long nowMicros) {
        long patience = sites.isEmpty() ? life.options.forceMicros() : 2 * life.options.forceMicros();
        patience = life.options.unseenMicros() > 0 ? life.options.unseenMicros() : patience;
        PrecedenceGraph graph = knowledge.graph;
        for (PayloadBuffers.Own each : bodies.own()) {
            Tag tag = each.message().tag();
            if (nowMicros - each.sentMicros() < patience) {
                return;
            }
            if (!knowledge.isIncorporated(tag) && !graph.contains(tag) && graph.addFloating(tag, nowMicros)) {
                requested.add(tag);
            }
        }
    }

    /** When a body is given up that became deliverable then: Deliv_Cycle later, but not before it was asked for as long. */
    long giveUpAtMicros(Tag tag, long deliverableMicros, long nextReportMicros) {
        Asked asked = askedFor.get(tag);
        long from = asked == null ? nextReportMicros : Math.max(deliverableMicros, asked.firstMicros);
        return from + life.options.giveUpMicros();
    }

    /** The body is no longer waited for. */
    void onDelivered(Tag tag) {
        askedFor.remove(tag);
    }

    /** No present site lacks the message. */
    void remove(Tag tag) {
        requested.remove(tag);
    }

    /** LM: the missing bodies, the earliest first; not much more than can be stored. */
    List<Tag> lost(long nowMicros) {
        IncorporatedOrder order = knowledge.order;
        int buffers = life.options.orderingBuffers();
        int room = Math.max(LEAST_LOST, Math.min(MOST_LOST, buffers - bodies.ofOthers()));
        List<Tag> lost = new ArrayList<>();
        List<Tag> missing = order.undelivered();
        missing.addAll(knowledge.graph.vertices());
        for (Tag tag : missing) {
            boolean root = tag.equals(order.latest()) && order.earliest() == null;
            boolean wanted = !root && !order.isDelivered(tag) && !life.delivered.contains(tag);
            if (wanted && bodies.get(tag) == null && lost.size() < room) {
                Asked asked = askedFor.get(tag);
                if (asked == null || nowMicros - asked.lastMicros >= life.options.retrievalMicros()) {
                    askedFor.put(tag, new Asked(asked == null ? nowMicros : asked.firstMicros, nowMicros));
                    lost.add(tag);
                }
            }
        }
        return lost;
    }

    /** RM: as much as a report takes. */
    List<Message> remulticasts() {
        List<Message> messages = new ArrayList<>();
        int bytes = 0;
        for (Tag tag : List.copyOf(requested)) {
            byte[] body = bodies.get(tag);
            if (body == null) {
                requested.remove(tag);
            } else if (messages.isEmpty() || bytes + body.length <= life.options.maxRemulticastBytes()) {
                bytes += body.length;
                messages.add(new Message(tag, body));
                requested.remove(tag);
            }
        }
        life.counters.remulticast += messages.size();
        return messages;
    }
}
