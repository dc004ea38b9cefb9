package org.amo.core.client;

import java.util.function.LongSupplier;
import org.amo.base.ClientId;
import org.amo.core.request.RequestId;
import org.amo.core.rules.SafetyRule;
import org.amo.sim.rules.RuleSet;

/** A client session with a planted bug in the attempts that leave without a connection. */
public final class DatagramMutantSession extends MutantSession {
    private final DatagramBug bug;
    private final LongSupplier monotonicMillis;

    /** @param monotonicMillis the clock of the client */
    public DatagramMutantSession(
            ClientId id, Delivery delivery, RuleSet<SafetyRule> rules, DatagramBug bug, LongSupplier monotonicMillis) {
        super(id, delivery, rules);
        this.bug = bug;
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
        void onCopySent(Delivery way) {
            super.onCopySent(bug == DatagramBug.REFUSAL_COUNTS ? Delivery.AT_MOST_ONCE : way);
            if (leftAsDatagram && bug == DatagramBug.NEW_NUMBER) {
                otherNumber = takeNumber();
            }
            if (leftAsDatagram && bug == DatagramBug.NEW_TIMESTAMP) {
                laterMillis = monotonicMillis.getAsLong() - begunMillis;
            }
            leftAsDatagram |= way == Delivery.MAY_REPEAT;
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
