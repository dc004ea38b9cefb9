package org.amo.exon;

import org.amo.exon.Frame.RequestSlots;
import org.amo.exon.Frame.Token;
import org.amo.sim.rules.RuleSet;

/** A node with planted bugs. It stands in the package of the node, so that the rules need not be open to users. */
final class MutantExonNode extends ExonNode {
    private static final long NO_LIMIT = Long.MAX_VALUE / 2;

    private final RuleSet<ExonRule> rules;

    /** @param rules in force */
    public MutantExonNode(
            NodeId self,
            long incarnation,
            long reserved,
            byte[] secret,
            ExonOptions options,
            RuleSet<ExonRule> rules,
            ExonEffects effects) {
        super(self, incarnation, reserved, secret, options, effects);
        this.rules = rules;
    }

    @Override
    SendRecord newSendRecord(ExonOptions ofNode, NodeClock clockOfNode, ExonEffects to) {
        return new MutantSendRecord(ofNode, clockOfNode, to, rules);
    }

    @Override
    ReceiveRecord newReceiveRecord(ExonOptions ofNode, ReceiveBudget budgetOfNode, long from, long incarnation) {
        return !rules.holds(ExonRule.SLOTS_FROM_REQUEST)
                ? new UnionFromOldClock(ofNode, budgetOfNode, from, incarnation)
                : new MutantReceiveRecord(ofNode, budgetOfNode, from, incarnation, rules);
    }

    @Override
    public void onRefused(MessageName delivery, long nowMicros) {
        if (rules.holds(ExonRule.REFUSED_IS_UNKNOWN)) {
            super.onRefused(delivery, nowMicros);
        } else {
            super.onAccepted(delivery, nowMicros);
        }
    }

    @Override
    Reordering newReordering() {
        return rules.holds(ExonRule.WINDOW_SHRINKS) ? super.newReordering() : new NeverShrinks();
    }

    @Override
    boolean isUnknown(Peer peer, Token token) {
        return rules.holds(ExonRule.UNKNOWN_LIFE_IS_TOLD) && super.isUnknown(peer, token);
    }

    @Override
    void acknowledgeGone(Peer peer, Token token) {
        if (rules.holds(ExonRule.ACK_WHENEVER_GONE) || isCurrent(peer, token)) {
            super.acknowledgeGone(peer, token);
        }
    }

    @Override
    void raiseUnknownBelow(long incarnation) {
        if (rules.holds(ExonRule.EVICTION_RAISES_BOUND)) {
            super.raiseUnknownBelow(incarnation);
        }
    }

    private static final class NeverShrinks extends Reordering {
        @Override
        long kept(long beforeMicros, long sinceMicros) {
            return Math.max(beforeMicros, sinceMicros);
        }
    }

    private static final class MutantSendRecord extends SendRecord {
        private final RuleSet<ExonRule> rules;

        MutantSendRecord(ExonOptions options, NodeClock clock, ExonEffects effects, RuleSet<ExonRule> rules) {
            super(options, clock, effects);
            this.rules = rules;
        }

        @Override
        void store(SentToken token) {
            if (!rules.holds(ExonRule.TOKEN_BEFORE_REQUEST)) {
                requestSlots();
            }
            super.store(token);
        }

        @Override
        Outcome outcomeOfLeft() {
            return !rules.holds(ExonRule.SENT_IS_UNKNOWN) ? Outcome.NOT_SENT : super.outcomeOfLeft();
        }

        @Override
        RequestSlots close() {
            return !rules.holds(ExonRule.CLOCK_RAISED_ON_REMOVAL)
                    ? new RequestSlots(sck(), 0, sck(), 0)
                    : super.close();
        }

        @Override
        long incarnationOf(SentToken token) {
            return !rules.holds(ExonRule.TOKEN_KEEPS_INCARNATION) ? rck() : super.incarnationOf(token);
        }
    }

    private static final class MutantReceiveRecord extends ReceiveRecord {
        private final RuleSet<ExonRule> rules;

        MutantReceiveRecord(
                ExonOptions options, ReceiveBudget budget, long from, long incarnation, RuleSet<ExonRule> rules) {
            super(options, budget, from, incarnation);
            this.rules = rules;
        }

        @Override
        Verdict onToken(Token token) {
            Verdict verdict = super.onToken(token);
            if (verdict == Verdict.CONSUMED && !rules.holds(ExonRule.ACCEPTED_BEFORE_ACK)) {
                accept(token.slot());
            }
            return verdict;
        }

        @Override
        boolean empty() {
            return rules.holds(ExonRule.RECORD_STAYS_WHILE_MESSAGES_WAIT)
                    ? super.empty()
                    : openSlots() == 0 && !wants();
        }
    }

    /** Line 56 as printed. */
    private static final class UnionFromOldClock extends ReceiveRecord {
        UnionFromOldClock(ExonOptions options, ReceiveBudget budget, long from, long incarnation) {
            super(options, budget, from, incarnation);
        }

        @Override
        long firstGranted(long own, long from) {
            return own;
        }

        @Override
        long room() {
            return NO_LIMIT;
        }
    }
}
