package org.amo.dpg;

import java.util.function.Supplier;
import org.amo.sim.rules.RuleSet;

/**
 * Settings that the sites of a run share.
 *
 * @param rules in force
 * @param row medium and detector, in words
 */
record DpgSettings(
        DpgOptions options,
        RuleSet<DpgRule> rules,
        OwnMessages ownMessages,
        Supplier<ContiguityDetector> detectors,
        int receptionBuffers,
        long fetchMicros,
        String row) {
    ContiguityDetector detector() {
        return detectors.get();
    }

    /** How long a site waits for a number or a PDU of the tag sequencer. */
    long patienceMicros() {
        return 4_000;
    }
}
