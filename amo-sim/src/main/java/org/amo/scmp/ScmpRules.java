package org.amo.scmp;

import java.util.EnumSet;
import java.util.Set;

/** The rules in force in a run: all of them, or all but the planted bug's. Immutable. */
public final class ScmpRules {
    public static final ScmpRules ALL = new ScmpRules(EnumSet.noneOf(ScmpRule.class));

    private final EnumSet<ScmpRule> off;

    private ScmpRules(EnumSet<ScmpRule> off) {
        this.off = off;
    }

    /** Every rule but these. */
    public static ScmpRules without(Set<ScmpRule> rules) {
        return rules.isEmpty() ? ALL : new ScmpRules(EnumSet.copyOf(rules));
    }

    public boolean holds(ScmpRule rule) {
        return !off.contains(rule);
    }
}
