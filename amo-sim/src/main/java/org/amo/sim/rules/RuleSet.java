package org.amo.sim.rules;

import java.util.Set;

/**
 * The rules in force in a run: all of them, or all but the planted bug's. Immutable.
 *
 * @param <R> the rules of a protocol
 */
public final class RuleSet<R extends Enum<R>> {
    private final Set<R> off;

    private RuleSet(Set<R> off) {
        this.off = off;
    }

    public static <R extends Enum<R>> RuleSet<R> all() {
        return new RuleSet<R>(Set.of());
    }

    /** Every rule but this. */
    public static <R extends Enum<R>> RuleSet<R> without(R rule) {
        return without(Set.of(rule));
    }

    /** Every rule but these. */
    public static <R extends Enum<R>> RuleSet<R> without(Set<R> rules) {
        return new RuleSet<>(Set.copyOf(rules));
    }

    public boolean holds(R rule) {
        return !off.contains(rule);
    }

    /** Whether no bug is planted: each part is the one that is shipped. */
    public boolean allHold() {
        return off.isEmpty();
    }
}
