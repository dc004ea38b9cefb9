package org.amo.dpg;

import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.amo.sim.rules.RuleSet;

/** A site with planted bugs. It stands in the package of the site, so that the rules need not be open to users. */
final class MutantDpgSite extends DpgSite {
    private final RuleSet<DpgRule> rules;

    private MutantDpgSite(
            RuleSet<DpgRule> rules,
            DpgOptions options,
            LongSupplier origins,
            DpgEffects effects,
            Runnable onForce,
            long nowMicros) {
        super(options, origins, effects, new MutantParts(rules, onForce), nowMicros);
        this.rules = rules;
    }

    /**
     * @param rules in force; if all are, the site is the one that is shipped
     * @param onForce told before the site forces an order by the consent of the others
     */
    public static DpgSite site(
            RuleSet<DpgRule> rules,
            DpgOptions options,
            LongSupplier origins,
            DpgEffects effects,
            Runnable onForce,
            long nowMicros) {
        return rules.allHold()
                ? new DpgSite(options, origins, effects, new WatchedParts(onForce), nowMicros)
                : new MutantDpgSite(rules, options, origins, effects, onForce, nowMicros);
    }

    /** Likewise the reception under a tag sequencer. */
    public static <P> SequencedReception<P> reception(
            RuleSet<DpgRule> rules,
            LongUnaryOperator proof,
            long patienceMicros,
            int window,
            SequencedReception.Receiver<P> receiver) {
        return !rules.holds(DpgRule.GAP_IS_NOT_CONTIGUOUS)
                ? new AcrossGaps<>(proof, patienceMicros, window, receiver)
                : new SequencedReception<>(proof, patienceMicros, window, receiver);
    }

    @Override
    boolean wasAbsent(long gapMicros) {
        return rules.holds(DpgRule.RETURN_RESETS) && super.wasAbsent(gapMicros);
    }

    private static final class AcrossGaps<P> extends SequencedReception<P> {
        AcrossGaps(LongUnaryOperator proof, long patienceMicros, int window, Receiver<P> receiver) {
            super(proof, patienceMicros, window, receiver);
        }

        @Override
        boolean breaksAtGap() {
            return false;
        }
    }
}
