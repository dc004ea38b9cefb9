package org.amo.core.sim;

import java.util.function.Supplier;
import org.amo.core.dpg.ContiguityDetector;
import org.amo.core.dpg.DpgCodec;
import org.amo.core.dpg.DpgOptions;
import org.amo.core.dpg.Message;
import org.amo.core.dpg.OwnMessages;
import org.amo.core.dpg.Report;

/** What the sites of a run have in common. */
final class DpgSettings {
    private final DpgOptions options;
    private final OwnMessages ownMessages;
    private final Supplier<ContiguityDetector> detectors;
    private final int receptionBuffers;
    private final long fetchMicros;
    private long inferred;

    DpgSettings(
            DpgOptions options,
            OwnMessages ownMessages,
            Supplier<ContiguityDetector> detectors,
            int receptionBuffers,
            long fetchMicros) {
        this.options = options;
        this.ownMessages = ownMessages;
        this.detectors = detectors;
        this.receptionBuffers = receptionBuffers;
        this.fetchMicros = fetchMicros;
    }

    DpgOptions options() {
        return options;
    }

    OwnMessages ownMessages() {
        return ownMessages;
    }

    ContiguityDetector detector() {
        return detectors.get();
    }

    int receptionBuffers() {
        return receptionBuffers;
    }

    /** How long a site waits for a number or a PDU of the tag sequencer. */
    long patienceMicros() {
        return 4_000;
    }

    long fetchMicros() {
        return fetchMicros;
    }

    void inferred() {
        inferred++;
    }

    /** Inferences of contiguity, all of them checked. */
    long inferences() {
        return inferred;
    }

    int bytes(Message message) {
        return DpgCodec.encode(message).length;
    }

    int bytes(Report report) {
        return DpgCodec.encode(report).length;
    }
}
