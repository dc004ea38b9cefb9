package org.amo.core.rules;

import java.util.EnumSet;
import java.util.Set;

/** The rules in force: all of them, always, outside the simulator. Immutable. */
public final class SafetyRules {
    public static final SafetyRules ALL = new SafetyRules(EnumSet.noneOf(SafetyRule.class));

    private final EnumSet<SafetyRule> off;

    private SafetyRules(EnumSet<SafetyRule> off) {
        this.off = off;
    }

    /** For the simulator: every rule but these. */
    public static SafetyRules without(Set<SafetyRule> rules) {
        return rules.isEmpty() ? ALL : new SafetyRules(EnumSet.copyOf(rules));
    }

    public boolean holds(SafetyRule rule) {
        return !off.contains(rule);
    }
}
