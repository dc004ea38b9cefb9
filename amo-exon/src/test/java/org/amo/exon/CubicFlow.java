package org.amo.exon;

/** Window grows as cubic's does (RFC 9438), and falls by 0.7 on the first loss of a round. */
final class CubicFlow extends CompetingFlow {
    private double window = 10;
    private double most;
    private long epoch;
    private double threshold = Double.MAX_VALUE;
    private long noCutBefore;

    CubicFlow(LinkSimulation link) {
        super(link);
    }

    @Override
    void pump() {
        while (inFlight < (int) window) {
            transmit();
        }
    }

    @Override
    void onAck(Sent packet) {
        if (window < threshold) {
            window += 1;
            return;
        }
        long age = link.now() - epoch;
        double k = Math.cbrt(most * 0.3 / 0.4);
        double target = 0.4 * Math.pow(age / 1e6 - k, 3) + most;
        double friendly = most * 0.7 + 0.529 * age / smoothedRttMicros();
        window += Math.max(0, Math.max(target, friendly) - window) / window;
    }

    @Override
    void onLoss(Sent packet) {
        if (packet.micros() < noCutBefore) {
            return;
        }
        noCutBefore = link.now();
        most = window;
        window = Math.max(2, window * 0.7);
        threshold = window;
        epoch = link.now();
    }
}
