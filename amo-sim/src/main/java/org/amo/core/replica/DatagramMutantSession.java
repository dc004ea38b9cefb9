package org.amo.core.replica;

import java.util.function.LongSupplier;
import org.amo.base.ClientId;
import org.amo.core.client.ClientCall;
import org.amo.core.client.Delivery;
import org.amo.core.client.MutantSession;
import org.amo.core.request.RequestId;
import org.amo.core.rules.SafetyRule;
import org.amo.sim.rules.RuleSet;

/** A client session with a planted bug in the attempts that leave without a connection. */
final class DatagramMutantSession extends MutantSession {
    private final FtsDatagrams.Mutant mutant;
    private final LongSupplier monotonicMillis;

    /** @param monotonicMillis the clock of the client */
    DatagramMutantSession(
            ClientId id,
            Delivery delivery,
            RuleSet<SafetyRule> rules,
            FtsDatagrams.Mutant mutant,
            LongSupplier monotonicMillis) {
        super(id, delivery, rules);
        this.mutant = mutant;
        this.monotonicMillis = monotonicMillis;
    }

    @Override
    public ClientCall begin(boolean oneway, long timeoutMillis, long nowMillis, long wallMillis) {
        return new BrokenCall(oneway, timeoutMillis, nowMillis, wallMillis);
    }

    private final class BrokenCall extends MutantCall {
        private final long begunMillis;
        private boolean leftAsDatagram;
        private long otherNumber;
        private long laterMillis;

        BrokenCall(boolean oneway, long timeoutMillis, long nowMillis, long wallMillis) {
            super(DatagramMutantSession.this, oneway, timeoutMillis, nowMillis, wallMillis);
            this.begunMillis = nowMillis;
        }

        @Override
        protected Delivery leaving(Delivery way) {
            if (leftAsDatagram && mutant == FtsDatagrams.Mutant.MOVED_ATTEMPT_RENUMBERED) {
                otherNumber = nextNumber();
            }
            if (leftAsDatagram && mutant == FtsDatagrams.Mutant.TIMESTAMP_AT_RETRY) {
                laterMillis = monotonicMillis.getAsLong() - begunMillis;
            }
            leftAsDatagram |= way == Delivery.MAY_REPEAT;
            return mutant == FtsDatagrams.Mutant.DATAGRAM_REFUSAL_COUNTS ? Delivery.AT_MOST_ONCE : way;
        }

        @Override
        public RequestId id() {
            return otherNumber == 0 ? super.id() : RequestId.own(DatagramMutantSession.this.id(), otherNumber);
        }

        @Override
        public long timestampMillis() {
            return super.timestampMillis() + laterMillis;
        }

        @Override
        public long deadlineMillis() {
            return super.deadlineMillis() + laterMillis;
        }
    }
}
