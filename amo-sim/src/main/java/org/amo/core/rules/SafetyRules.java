package org.amo.core.rules;

import java.util.EnumSet;
import java.util.Set;

/** The rules in force in a run: all of them, or all but the planted bug's. Immutable. */
public final class SafetyRules {
    public static final SafetyRules ALL = new SafetyRules(EnumSet.noneOf(SafetyRule.class));

    private final EnumSet<SafetyRule> off;

    private SafetyRules(EnumSet<SafetyRule> off) {
        this.off = off;
    }

    /** Every rule but these. */
    public static SafetyRules without(Set<SafetyRule> rules) {
        return rules.isEmpty() ? ALL : new SafetyRules(EnumSet.copyOf(rules));
    }

    public boolean holds(SafetyRule rule) {
        return !off.contains(rule);
    }
}
