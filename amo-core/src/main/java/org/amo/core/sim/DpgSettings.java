package org.amo.core.sim;

import java.util.function.Supplier;
import org.amo.core.dpg.ContiguityDetector;
import org.amo.core.dpg.DpgOptions;
import org.amo.core.dpg.OwnMessages;

/**
 * What the sites of a run have in common.
 *
 * @param row medium and detector, in words
 */
record DpgSettings(
        DpgOptions options,
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
