package org.amo.scmp;

import java.util.OptionalLong;
import org.amo.sim.rules.RuleSet;

/** Beginnings of a filter with planted bugs. They stand in the package of the filter, so that the rules need not be open to users. */
final class MutantStartModes extends StartModes {
    private final ScmpOptions options;
    private final RuleSet<ScmpRule> rules;

    private MutantStartModes(ScmpOptions options, RuleSet<ScmpRule> rules) {
        super(options);
        this.options = options;
        this.rules = rules;
    }

    /** Without a planted bug these are the ones that are shipped. */
    public static StartModes of(ScmpOptions options, RuleSet<ScmpRule> rules) {
        return rules.allHold() ? StartModes.of(options) : new MutantStartModes(options, rules);
    }

    @Override
    long[] recoveredUpper(long storedMicros, long nowMicros) {
        if (!rules.holds(ScmpRule.RESTART_IS_NO_CREATION)) {
            return weakest(nowMicros);
        }
        return rules.holds(ScmpRule.RESTART_FROM_STORED)
                ? super.recoveredUpper(storedMicros, nowMicros)
                : minusRetention(nowMicros);
    }

    @Override
    long[] restartedUpper(long nowMicros) {
        if (!rules.holds(ScmpRule.RESTART_IS_NO_CREATION)) {
            return weakest(nowMicros);
        }
        return rules.holds(ScmpRule.VOLATILE_RESTART_WAITS) ? super.restartedUpper(nowMicros) : same(nowMicros);
    }

    @Override
    LatestBound stored(long storedMicros) {
        return new MutantBound(options, rules, storedMicros);
    }

    @Override
    MessageFilter filter(MessageFilter.Keeper keeper, LatestBound latest, long[] upperMicros, long collectFromMicros) {
        return new MutantFilter(options, rules, keeper, latest, upperMicros, collectFromMicros);
    }

    private static final class MutantBound extends LatestBound.Stored {
        private final RuleSet<ScmpRule> rules;
        private long askedMicros = Long.MIN_VALUE;

        MutantBound(ScmpOptions options, RuleSet<ScmpRule> rules, long storedMicros) {
            super(options, storedMicros);
            this.rules = rules;
        }

        @Override
        long latestMicros(long nowMicros) {
            return Math.max(super.latestMicros(nowMicros), askedMicros);
        }

        @Override
        OptionalLong toStore(long nowMicros) {
            OptionalLong value = super.toStore(nowMicros);
            if (value.isPresent() && !rules.holds(ScmpRule.LATEST_AFTER_STORE)) {
                askedMicros = value.getAsLong();
            }
            return value;
        }

        @Override
        long toBeStored(long present, long ahead) {
            return rules.holds(ScmpRule.STORED_NEVER_FALLS) ? super.toBeStored(present, ahead) : ahead;
        }
    }

    private static final class MutantFilter extends MessageFilter {
        private final ScmpOptions options;
        private final RuleSet<ScmpRule> rules;
        private final Keeper keeper;

        MutantFilter(
                ScmpOptions options,
                RuleSet<ScmpRule> rules,
                Keeper keeper,
                LatestBound latest,
                long[] upperMicros,
                long collectFromMicros) {
            super(options, keeper, latest, upperMicros, collectFromMicros);
            this.options = options;
            this.rules = rules;
            this.keeper = keeper;
        }

        @Override
        boolean isTooEarly(long timestampMicros, long nowMicros) {
            return rules.holds(ScmpRule.TOO_EARLY_IS_REFUSED) && super.isTooEarly(timestampMicros, nowMicros);
        }

        @Override
        boolean isNewer(long timestampMicros, long boundMicros) {
            boolean equal = timestampMicros == boundMicros && !rules.holds(ScmpRule.EQUAL_IS_DUPLICATE);
            return equal || super.isNewer(timestampMicros, boundMicros);
        }

        @Override
        public boolean makeRoom(long nowMicros) {
            if (!super.makeRoom(nowMicros) && !rules.holds(ScmpRule.FULL_REFUSES)) {
                evictOldest();
            }
            return super.makeRoom(nowMicros);
        }

        @Override
        boolean isOld(int slot, long nowMicros) {
            return !rules.holds(ScmpRule.OLD_MEANS_RETENTION)
                    || !rules.holds(ScmpRule.CALL_TIME_IS_OLD_TOO)
                    || super.isOld(slot, nowMicros);
        }

        @Override
        void raiseUpper(int retentionClass, long timestampMicros) {
            if (!rules.holds(ScmpRule.REMOVAL_RAISES_UPPER)) {
                return;
            }
            super.raiseUpper(retentionClass, timestampMicros);
            if (!rules.holds(ScmpRule.CLASS_HAS_ITS_UPPER)) {
                for (int each = 0; each < options.retentionMicros().size(); each++) {
                    super.raiseUpper(each, timestampMicros);
                }
            }
        }

        private void evictOldest() {
            int oldest = ConnectionTable.NONE;
            for (int slot = 0; slot < table().slots(); slot++) {
                if (table().isUsed(slot)
                        && (oldest == ConnectionTable.NONE || table().timestamp(slot) < table().timestamp(oldest))) {
                    oldest = slot;
                }
            }
            table().remove(oldest);
            keeper.onForgotten(oldest);
        }
    }
}
