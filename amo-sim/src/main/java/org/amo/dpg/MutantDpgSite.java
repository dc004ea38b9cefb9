package org.amo.dpg;

import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/** A site with planted bugs. It stands in the package of the site, so that the rules need not be open to users. */
public final class MutantDpgSite extends DpgSite {
    private final Set<DpgRule> off;

    private MutantDpgSite(
            Set<DpgRule> off, DpgOptions options, LongSupplier origins, DpgEffects effects, long nowMicros) {
        super(options, origins, effects, new MutantParts(off), nowMicros);
        this.off = off;
    }

    /** @param off the rules that are broken; without any the site is the one that is shipped */
    public static DpgSite site(
            Set<DpgRule> off, DpgOptions options, LongSupplier origins, DpgEffects effects, long nowMicros) {
        return off.isEmpty()
                ? new DpgSite(options, origins, effects, nowMicros)
                : new MutantDpgSite(off, options, origins, effects, nowMicros);
    }

    /** Likewise the reception under a tag sequencer. */
    public static <P> SequencedReception<P> reception(
            Set<DpgRule> off,
            LongUnaryOperator proof,
            long patienceMicros,
            int window,
            SequencedReception.Receiver<P> receiver) {
        return off.contains(DpgRule.GAP_IS_NOT_CONTIGUOUS)
                ? new AcrossGaps<>(proof, patienceMicros, window, receiver)
                : new SequencedReception<>(proof, patienceMicros, window, receiver);
    }

    @Override
    boolean wasAbsent(long gapMicros) {
        return !off.contains(DpgRule.RETURN_RESETS) && super.wasAbsent(gapMicros);
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
