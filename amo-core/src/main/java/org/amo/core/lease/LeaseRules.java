package org.amo.core.lease;

import java.util.EnumSet;
import java.util.Set;

/** The rules in force: all of them, always, outside the simulator. Immutable. */
public final class LeaseRules {
    public static final LeaseRules ALL = new LeaseRules(EnumSet.noneOf(LeaseRule.class));

    private final EnumSet<LeaseRule> off;

    private LeaseRules(EnumSet<LeaseRule> off) {
        this.off = off;
    }

    /** For the simulator: every rule but these. */
    public static LeaseRules without(Set<LeaseRule> rules) {
        return rules.isEmpty() ? ALL : new LeaseRules(EnumSet.copyOf(rules));
    }

    public boolean holds(LeaseRule rule) {
        return !off.contains(rule);
    }
}
