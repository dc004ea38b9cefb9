package org.amo.core.scmp;

import java.util.EnumSet;
import java.util.Set;

/** The rules in force: all of them, always, outside the simulator. Immutable. */
public final class ScmpRules {
    public static final ScmpRules ALL = new ScmpRules(EnumSet.noneOf(ScmpRule.class));

    private final EnumSet<ScmpRule> off;

    private ScmpRules(EnumSet<ScmpRule> off) {
        this.off = off;
    }

    /** For the simulator: every rule but these. */
    public static ScmpRules without(Set<ScmpRule> rules) {
        return rules.isEmpty() ? ALL : new ScmpRules(EnumSet.copyOf(rules));
    }

    public boolean holds(ScmpRule rule) {
        return !off.contains(rule);
    }
}
