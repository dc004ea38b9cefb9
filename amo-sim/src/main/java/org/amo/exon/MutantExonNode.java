package org.amo.exon;

import java.util.Set;
import org.amo.exon.Frame.RequestSlots;
import org.amo.exon.Frame.Token;

/** A node with planted bugs. It stands in the package of the node, so that the rules need not be open to users. */
public final class MutantExonNode extends ExonNode {
    private static final long NO_LIMIT = Long.MAX_VALUE / 2;

    private final Set<ExonRule> off;

    /** @param off the rules that are broken */
    public MutantExonNode(
            NodeId self,
            long incarnation,
            long reserved,
            byte[] secret,
            ExonOptions options,
            Set<ExonRule> off,
            ExonEffects effects) {
        super(self, incarnation, reserved, secret, options, effects);
        this.off = Set.copyOf(off);
    }

    @Override
    SendRecord newSendRecord(ExonOptions ofNode, NodeClock clockOfNode, ExonEffects to) {
        return new MutantSendRecord(ofNode, clockOfNode, to, off);
    }

    @Override
    ReceiveRecord newReceiveRecord(ExonOptions ofNode, ReceiveBudget budgetOfNode, long from, long incarnation) {
        return off.contains(ExonRule.SLOTS_FROM_REQUEST)
                ? new UnionFromOldClock(ofNode, budgetOfNode, from, incarnation)
                : super.newReceiveRecord(ofNode, budgetOfNode, from, incarnation);
    }

    @Override
    boolean isUnknown(Peer peer, Token token) {
        return !off.contains(ExonRule.UNKNOWN_LIFE_IS_TOLD) && super.isUnknown(peer, token);
    }

    @Override
    void acknowledgeGone(Peer peer, Token token) {
        if (!off.contains(ExonRule.ACK_WHENEVER_GONE) || isCurrent(peer, token)) {
            super.acknowledgeGone(peer, token);
        }
    }

    @Override
    void raiseUnknownBelow(long incarnation) {
        if (!off.contains(ExonRule.EVICTION_RAISES_BOUND)) {
            super.raiseUnknownBelow(incarnation);
        }
    }

    private static final class MutantSendRecord extends SendRecord {
        private final Set<ExonRule> off;

        MutantSendRecord(ExonOptions options, NodeClock clock, ExonEffects effects, Set<ExonRule> off) {
            super(options, clock, effects);
            this.off = off;
        }

        @Override
        void store(SentToken token) {
            if (off.contains(ExonRule.TOKEN_BEFORE_REQUEST)) {
                requestSlots();
            }
            super.store(token);
        }

        @Override
        Outcome outcomeOfLeft() {
            return off.contains(ExonRule.SENT_IS_UNKNOWN) ? Outcome.NOT_SENT : super.outcomeOfLeft();
        }

        @Override
        RequestSlots close() {
            return off.contains(ExonRule.CLOCK_RAISED_ON_REMOVAL)
                    ? new RequestSlots(sck(), 0, sck(), 0)
                    : super.close();
        }

        @Override
        long incarnationOf(SentToken token) {
            return off.contains(ExonRule.TOKEN_KEEPS_INCARNATION) ? rck() : super.incarnationOf(token);
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
