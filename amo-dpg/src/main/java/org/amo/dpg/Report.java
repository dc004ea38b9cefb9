package org.amo.dpg;

import java.util.List;

/**
 * A 'report' PDU (sections 4.1 to 4.5).
 *
 * @param origin of the messages of the site that issued it
 * @param number 1, 2, 3 … of the reports of this origin
 * @param standing whether the site has a place in the common sequence
 * @param clockMicros the site's clock when it issued the report
 * @param messageCycleMicros Message_Cycle of the site
 * @param order messages incorporated there, in order, the newest last: it is L_DELIV. Empty if the site listens
 * @param decided of the order: messages that are not known to have been sent right after the one before them; their place was
 *     decided
 * @param delivered the last message delivered there
 * @param vertices of the site's G that are not incorporated
 * @param arcs among them and from L_DELIV
 * @param lost LM: messages of which the site asks for the bodies
 * @param bodies RM: messages that others asked for
 */
public record Report(
        long origin,
        long number,
        SiteStatus standing,
        long clockMicros,
        long messageCycleMicros,
        List<Tag> order,
        List<Tag> decided,
        Tag delivered,
        List<Tag> vertices,
        List<Arc> arcs,
        List<Tag> lost,
        List<Message> bodies) {

    /** States the role of a site in the group, as its report tells it. */
    public enum SiteStatus {
        /** It has no place in the order, and only says that it is there. */
        LISTENING,
        /** It has a place in the order. */
        PLACED,
        /**
         * It has a place, and since then all others had gone for it; it cannot tell whether they left or it was cut off. Other
         * sites ignore its decisions unless they are alone too.
         */
        ALONE
    }

    public Report {
        order = List.copyOf(order);
        decided = List.copyOf(decided);
        vertices = List.copyOf(vertices);
        arcs = List.copyOf(arcs);
        lost = List.copyOf(lost);
        bodies = List.copyOf(bodies);
        if ((standing == SiteStatus.LISTENING) != order.isEmpty()) {
            throw new IllegalArgumentException("a site that listens has no order, any other has one: " + standing
                    + " with an order of " + order.size());
        }
    }

    /** Whether the site has a place in the common sequence. */
    public boolean anchored() {
        return standing != SiteStatus.LISTENING;
    }

    boolean isAlone() {
        return standing == SiteStatus.ALONE;
    }

    /** L_DELIV of the site that issued it; only if it has a place. */
    public Tag latestDeliverable() {
        return order.get(order.size() - 1);
    }
}
