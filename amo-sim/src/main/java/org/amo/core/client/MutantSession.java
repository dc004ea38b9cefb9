package org.amo.core.client;

import org.amo.base.ClientId;
import org.amo.core.rules.SafetyRule;
import org.amo.sim.rules.RuleSet;

/** A client session with planted bugs in its calls. It is in the session's package, so that the rules need not be public. */
public class MutantSession extends ClientSession {
    private final RuleSet<SafetyRule> rules;

    /** @param rules that its calls obey */
    public MutantSession(ClientId id, Delivery delivery, RuleSet<SafetyRule> rules) {
        super(id, delivery);
        this.rules = rules;
    }

    /** A number that no call has. */
    protected final long nextNumber() {
        return takeNumber();
    }

    @Override
    public ClientCall begin(boolean oneway, long timeoutMillis, long nowMillis, long wallMillis) {
        return new MutantCall(this, oneway, timeoutMillis, nowMillis, wallMillis);
    }

    /** A call of a session with planted bugs. */
    public static class MutantCall extends ClientCall {
        private final RuleSet<SafetyRule> rules;

        /** Begins as {@link ClientSession#begin} does. */
        public MutantCall(MutantSession session, boolean oneway, long timeoutMillis, long nowMillis, long wallMillis) {
            super(session, oneway, timeoutMillis, nowMillis, wallMillis);
            this.rules = session.rules;
        }

        /**
         * An attempt leaves.
         *
         * @return the way by which the call takes it to leave
         */
        protected Delivery leaving(Delivery way) {
            return way;
        }

        @Override
        final void onCopySent(Delivery way) {
            super.onCopySent(leaving(way));
        }

        @Override
        boolean isAbandonedFinished() {
            return rules.holds(SafetyRule.ABANDONED_IS_FINISHED);
        }

        @Override
        boolean mayStillRun(int unaccounted) {
            return rules.holds(SafetyRule.REFUSAL_NEEDS_ALL_COPIES) && super.mayStillRun(unaccounted);
        }
    }
}
