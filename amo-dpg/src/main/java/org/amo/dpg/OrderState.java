package org.amo.dpg;

import java.util.ArrayList;
import java.util.List;

/**
 * Holds a site's knowledge of the common order in one presence spell: the end of the incorporated order, G behind it, and
 * the messages that are past.
 */
final class OrderState {
    private final DpgOptions options;
    private final SpellParts parts;
    /** The origin of this site's tags. */
    final long origin;

    /** Messages that are past: incorporated and removed, or before the segment. */
    final DeliveredTags passed;

    /** What this site's reports have told of its plans. */
    final Consents consents;

    PrecedenceGraph graph;
    IncorporatedOrder order = new IncorporatedOrder();

    /** Whether the site has a place in the order; then the first vertex of G is L_DELIV. */
    boolean anchored;
    /** By the clock: until then other sites may not know that this one has a place, and decide without it. So it forces nothing. */
    long forcesFromMicros = Long.MIN_VALUE;
    /** Likewise: its receptions mark nothing. A sequence of its own has no mark from its root, so there this does not hold. */
    long infersFromMicros = Long.MIN_VALUE;
    /** Positions of the order before it were taken over from another site: other messages before them are not known here. */
    long inheritedEnd;

    private long lastNumber;

    OrderState(DpgOptions options, SpellParts parts, long origin) {
        this.options = options;
        this.parts = parts;
        this.origin = origin;
        this.passed = SiteContext.newTags(options);
        this.consents = new Consents(options);
        this.graph = newGraph();
    }

    /** The others may decide without this site until they hear it: for so long it goes on by their decisions and marks alone. */
    void onlyAdopt(long clockMicros) {
        forcesFromMicros = clockMicros + consents.countMicros();
        infersFromMicros = forcesFromMicros;
    }

    PrecedenceGraph newGraph() {
        return parts.graph(options.maxVertices() + 1);
    }

    /** For the next message of this site. */
    Tag newTag() {
        return new Tag(origin, ++lastNumber);
    }

    /** False if the tag claims to be of this site, which never gave it. */
    boolean mayExist(Tag tag) {
        return tag.origin() != origin || tag.number() <= lastNumber;
    }

    boolean isIncorporated(Tag tag) {
        return order.contains(tag) || passed.contains(tag);
    }

    boolean precedes(Tag x, Tag y) {
        if (isIncorporated(x)) {
            return !isIncorporated(y) || (order.contains(x) && order.positionOf(x) < order.positionOf(y));
        }
        return graph.precedes(x, y);
    }

    boolean isOrderFull() {
        return order.inUse() >= options.maxOrder();
    }

    /** Vertices of G that are not incorporated. */
    int vertices() {
        return graph.size() - (anchored ? 1 : 0);
    }

    /**
     * L_DELIV moves on to a vertex of G of which nothing says any more that something comes before it.
     *
     * @param known that it was sent right after L_DELIV; if not, that was decided
     */
    void advance(Tag next, boolean known, long nowMicros) {
        graph.removeFirst(order.latest());
        order.append(next, known, nowMicros);
    }

    /** Messages that are not incorporated come after L_DELIV, at any place. */
    void attachToRoot() {
        if (!anchored || !graph.mayLackPredecessors()) {
            return;
        }
        Tag root = order.latest();
        List<Arc> arcs = new ArrayList<>();
        for (Tag tag : graph.withoutPredecessor()) {
            if (!tag.equals(root)) {
                arcs.add(Arc.plain(root, tag));
            }
        }
        graph.include(arcs);
    }
}
