package org.amo.dpg;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import org.amo.sim.rules.RuleSet;
import org.jspecify.annotations.Nullable;

/** The parts of a spell with planted bugs; a part without a broken rule is the shipped one. */
final class MutantParts extends WatchedParts {
    private final RuleSet<DpgRule> rules;

    MutantParts(RuleSet<DpgRule> rules, Runnable onForce) {
        super(onForce);
        this.rules = rules;
    }

    @Override
    PrecedenceGraph graph(int maxVertices) {
        if (!rules.holds(DpgRule.ONLY_MARKS_LINEARISE)) {
            return new InventingGraph(maxVertices);
        }
        return !rules.holds(DpgRule.MARKS_SURVIVE_UNION) ? new UnmarkingGraph(maxVertices) : super.graph(maxVertices);
    }

    @Override
    PayloadBuffers bodies(SiteContext life, OrderState knowledge, Sites sites) {
        return !rules.holds(DpgRule.SUCCESSOR_IS_SEIZED)
                ? new StrictBodies(life, knowledge, sites)
                : super.bodies(life, knowledge, sites);
    }

    @Override
    Reception reception(SiteContext life, OrderState knowledge, Sites sites, Recovery recovery, long inferFromMicros) {
        return !rules.holds(DpgRule.OWN_MESSAGES_SUSPEND)
                ? new HastyReception(life, knowledge, sites, recovery, inferFromMicros)
                : super.reception(life, knowledge, sites, recovery, inferFromMicros);
    }

    @Override
    Incorporation incorporation(SiteContext life, OrderState knowledge, Sites sites) {
        return !rules.holds(DpgRule.CHOSEN_AS_ALL_PLAN)
                ? new HastyIncorporation(life, knowledge, sites)
                : super.incorporation(life, knowledge, sites);
    }

    @Override
    LocalDelivery delivery(
            SiteContext life,
            OrderState knowledge,
            Sites sites,
            PayloadBuffers bodies,
            Recovery recovery,
            Heartbeat heartbeat) {
        return new MutantDelivery(life, knowledge, sites, bodies, recovery, heartbeat, rules);
    }

    @Override
    ReportIntake intake(
            SiteContext life, OrderState knowledge, Sites sites, Reception reception, Incorporation incorporation) {
        return !rules.holds(DpgRule.RETURN_RESETS)
                ? new TrustingIntake(life, knowledge, sites, reception, incorporation)
                : super.intake(life, knowledge, sites, reception, incorporation);
    }

    /** A union keeps none of the other site's marks. */
    private static final class UnmarkingGraph extends PrecedenceGraph {
        UnmarkingGraph(int maxVertices) {
            super(maxVertices);
        }

        @Override
        void union(Collection<Arc> arcs) {
            List<Arc> plain = new ArrayList<>();
            arcs.forEach(arc -> plain.add(Arc.plain(arc.from(), arc.to())));
            super.union(plain);
        }
    }

    /** Each arc counts as marked where a mark contradicts nothing. */
    private static final class InventingGraph extends PrecedenceGraph {
        InventingGraph(int maxVertices) {
            super(maxVertices);
        }

        @Override
        void append(BitSet ends, Tag received, boolean marked) {
            List<Arc> arcs = new ArrayList<>();
            for (int end = ends.nextSetBit(0); end >= 0; end = ends.nextSetBit(end + 1)) {
                arcs.add(new Arc(tag(end), received, marked));
            }
            include(arcs);
        }

        @Override
        void include(Collection<Arc> arcs) {
            List<Arc> invented = new ArrayList<>();
            for (Arc arc : arcs) {
                invented.add(mayFollow(arc.from(), arc.to()) ? Arc.marked(arc.from(), arc.to()) : arc);
            }
            super.include(invented);
        }

        private boolean mayFollow(Tag from, Tag to) {
            return contains(from)
                    && contains(to)
                    && markedAfter(from) == null
                    && arcs().stream().noneMatch(arc -> arc.marked() && arc.to().equals(to));
        }
    }

    /** No message takes the buffer of another. */
    private static final class StrictBodies extends PayloadBuffers {
        StrictBodies(SiteContext life, OrderState knowledge, Sites sites) {
            super(life, knowledge, sites);
        }

        @Override
        boolean isEarliest(Tag tag) {
            return false;
        }

        @Override
        boolean dropKept() {
            return false;
        }

        @Override
        @Nullable
        Tag successorWithBody(Tag tag) {
            return null;
        }
    }

    /** Infers contiguity across own messages that are on their way. */
    private static final class HastyReception extends Reception {
        HastyReception(SiteContext life, OrderState knowledge, Sites sites, Recovery recovery, long inferFromMicros) {
            super(life, knowledge, sites, recovery, inferFromMicros);
        }

        @Override
        boolean mayInfer(Tag from, Tag to, long nowMicros) {
            return true;
        }
    }

    /** Forces an order without the plans of the other sites. */
    private static final class HastyIncorporation extends Incorporation {
        HastyIncorporation(SiteContext life, OrderState knowledge, Sites sites) {
            super(life, knowledge, sites);
        }

        @Override
        boolean mayForce(List<Tag> successors, long nowMicros) {
            return true;
        }
    }

    /** Follows every report, and never begins anew. */
    private static final class TrustingIntake extends ReportIntake {
        TrustingIntake(
                SiteContext life, OrderState knowledge, Sites sites, Reception reception, Incorporation incorporation) {
            super(life, knowledge, sites, reception, incorporation);
        }

        @Override
        boolean parts(IncorporatedOrder order, Report report) {
            return false;
        }

        @Override
        boolean isOnlyItsOwn(Report report) {
            return false;
        }

        @Override
        boolean isAstray(Sites.Site site, Report report, long nowMicros) {
            return false;
        }
    }

    private static final class MutantDelivery extends LocalDelivery {
        private final OrderState knowledge;
        private final RuleSet<DpgRule> rules;

        MutantDelivery(
                SiteContext life,
                OrderState knowledge,
                Sites sites,
                PayloadBuffers bodies,
                Recovery recovery,
                Heartbeat heartbeat,
                RuleSet<DpgRule> rules) {
            super(life, knowledge, sites, bodies, recovery, heartbeat);
            this.knowledge = knowledge;
            this.rules = rules;
        }

        @Override
        void remember(Tag tag, long nowMicros) {
            if (rules.holds(DpgRule.DELIVERED_IS_REMEMBERED)) {
                super.remember(tag, nowMicros);
            }
        }

        @Override
        void rememberPassed(Tag tag, long nowMicros) {
            if (rules.holds(DpgRule.DELIVERED_IS_REMEMBERED)) {
                super.rememberPassed(tag, nowMicros);
            }
        }

        @Override
        void giveUp(Tag tag) {
            if (rules.holds(DpgRule.GIVING_UP_IS_VISIBLE)) {
                super.giveUp(tag);
            }
        }

        @Override
        void removeConcluded(long nowMicros) {
            if (rules.holds(DpgRule.KEPT_UNTIL_ALL_DELIVERED)) {
                super.removeConcluded(nowMicros);
                return;
            }
            long end = knowledge.order.deliveredEnd();
            while (leave(knowledge.order.leaveOldestBelow(end), nowMicros)) {
                // No other site is asked.
            }
        }
    }
}
