package org.amo.exon;

import org.amo.exon.Frame.Token;

/** A node whose shell accepts each message at once, for tests of other rules. */
final class AtReceiptNode extends ExonNode {
    AtReceiptNode(
            NodeId self, long incarnation, long reserved, byte[] secret, ExonOptions options, ExonEffects effects) {
        super(self, incarnation, reserved, secret, options, effects);
    }

    @Override
    ReceiveRecord newReceiveRecord(ExonOptions ofNode, ReceiveBudget budgetOfNode, long from, long incarnation) {
        return new AtReceiptRecord(ofNode, budgetOfNode, from, incarnation);
    }

    /** Its record. */
    static class AtReceiptRecord extends ReceiveRecord {
        AtReceiptRecord(ExonOptions options, ReceiveBudget budget, long from, long incarnation) {
            super(options, budget, from, incarnation);
        }

        @Override
        Verdict onToken(Token token) {
            Verdict verdict = super.onToken(token);
            if (verdict == Verdict.CONSUMED) {
                accept(token.slot());
            }
            return verdict;
        }
    }
}
