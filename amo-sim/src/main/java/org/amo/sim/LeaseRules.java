package org.amo.sim;

import java.util.EnumSet;
import java.util.Set;

/** The rules in force in a run: all of them, or all but the planted bug's. Immutable. */
final class LeaseRules {
    static final LeaseRules ALL = new LeaseRules(EnumSet.noneOf(LeaseRule.class));

    private final EnumSet<LeaseRule> off;

    private LeaseRules(EnumSet<LeaseRule> off) {
        this.off = off;
    }

    /** Every rule but these. */
    static LeaseRules without(Set<LeaseRule> rules) {
        return rules.isEmpty() ? ALL : new LeaseRules(EnumSet.copyOf(rules));
    }

    boolean holds(LeaseRule rule) {
        return !off.contains(rule);
    }
}
