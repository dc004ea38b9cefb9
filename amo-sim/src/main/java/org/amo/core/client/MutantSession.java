package org.amo.core.client;

import org.amo.base.ClientId;
import org.amo.core.rules.SafetyRule;
import org.amo.core.rules.SafetyRules;

/** A client session whose calls have planted bugs. It stands in the package of the session, so that the rules need not be open to users. */
public class MutantSession extends ClientSession {
    private final SafetyRules rules;

    /** @param rules that its calls obey */
    public MutantSession(ClientId id, Delivery delivery, SafetyRules rules) {
        super(id, delivery);
        this.rules = rules;
    }

    @Override
    public ClientCall begin(boolean oneway, long timeoutMillis, long nowMillis, long wallMillis) {
        return new MutantCall(this, oneway, timeoutMillis, nowMillis, wallMillis);
    }

    /** A call of a session with planted bugs. */
    public static class MutantCall extends ClientCall {
        private final SafetyRules rules;

        /** Begins as {@link ClientSession#begin} does. */
        public MutantCall(MutantSession session, boolean oneway, long timeoutMillis, long nowMillis, long wallMillis) {
            super(session, oneway, timeoutMillis, nowMillis, wallMillis);
            this.rules = session.rules;
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
