package org.amo.exon;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * BBR's first version, as Linux has it: it paces at the highest rate of ten rounds, keeps twice that times the lowest round trip and three
 * bursts of a millisecond under way, and does not answer loss. Left out: the round of packet conservation after a loss, and the search
 * for policers.
 */
final class BbrFlow extends CompetingFlow {
    private static final double STARTUP_GAIN = 2.89;
    private static final double[] CYCLE = {1.25, 0.75, 1, 1, 1, 1, 1, 1};
    private static final double PACING_MARGIN = 0.99;
    private static final int ROUNDS = 10;
    private static final int LEAST_WINDOW = 4;
    private static final long DELAY_LIFE = 10_000_000;
    private static final long PROBE_DELAY_TIME = 200_000;

    /** The present activity. */
    private enum Phase {
        STARTUP,
        DRAIN,
        PROBE_BANDWIDTH,
        PROBE_DELAY
    }

    private final SplittableRandom random;
    private Phase phase = Phase.STARTUP;
    private final double[] bandwidths = new double[ROUNDS];
    private double bandwidth;
    private int round;
    private long roundEnd;
    private double fullBandwidth;
    private int roundsWithoutGrowth;
    private boolean full;
    private long delayMicros = Long.MAX_VALUE;
    private long delaySeenMicros;
    private long probeEndMicros;
    private int cycle;
    private long cycleStartMicros;
    private boolean lostInCycle;
    private double nextSendMicros;
    private boolean waits;

    BbrFlow(LinkSimulation link, long seed) {
        super(link);
        this.random = new SplittableRandom(seed);
    }

    private double product() {
        return bandwidth * delayMicros / PAYLOAD;
    }

    private double pacingGain() {
        return switch (phase) {
            case STARTUP -> STARTUP_GAIN;
            case DRAIN -> 1 / STARTUP_GAIN;
            case PROBE_BANDWIDTH -> CYCLE[cycle];
            case PROBE_DELAY -> 1;
        };
    }

    private double pacingRate() {
        return bandwidth == 0
                ? STARTUP_GAIN * 10 * PAYLOAD / smoothedRttMicros()
                : pacingGain() * bandwidth * PACING_MARGIN;
    }

    private double window() {
        if (phase == Phase.PROBE_DELAY) {
            return LEAST_WINDOW;
        }
        if (bandwidth == 0) {
            return 10;
        }
        double bursts = 3 * Math.max(2, bandwidth * 1_000 / PAYLOAD);
        return Math.max(LEAST_WINDOW, (full ? 2 : STARTUP_GAIN) * product() + bursts);
    }

    @Override
    void pump() {
        while (inFlight < (int) window() && nextSendMicros <= link.now()) {
            nextSendMicros = Math.max(nextSendMicros, link.now() - 1_000.0) + PAYLOAD / pacingRate();
            transmit();
        }
        if (!waits && inFlight < (int) window()) {
            waits = true;
            link.at((long) Math.ceil(nextSendMicros), () -> {
                waits = false;
                pump();
            });
        }
    }

    @Override
    void onAck(Sent packet) {
        long now = link.now();
        double rate = rate(packet);
        boolean roundEnds = packet.deliveredBefore() >= roundEnd;
        if (roundEnds) {
            roundEnd = delivered;
            round = (round + 1) % ROUNDS;
            bandwidths[round] = 0;
        }
        bandwidths[round] = Math.max(bandwidths[round], rate);
        bandwidth = Arrays.stream(bandwidths).max().orElse(0);
        if (roundEnds && phase == Phase.STARTUP) {
            growOrFull();
        }
        if (phase == Phase.DRAIN && inFlight <= product()) {
            probeBandwidth();
        }
        if (phase == Phase.PROBE_BANDWIDTH) {
            advanceCycle();
        }
        onDelay(now - packet.micros());
    }

    private void growOrFull() {
        if (bandwidth >= 1.25 * fullBandwidth) {
            fullBandwidth = bandwidth;
            roundsWithoutGrowth = 0;
        } else if (++roundsWithoutGrowth >= 3) {
            full = true;
            phase = Phase.DRAIN;
        }
    }

    private void probeBandwidth() {
        phase = Phase.PROBE_BANDWIDTH;
        // Any but the one that drains.
        cycle = (2 + random.nextInt(7)) % 8;
        startCycle();
    }

    private void startCycle() {
        cycleStartMicros = link.now();
        lostInCycle = false;
    }

    private void advanceCycle() {
        boolean over = link.now() - cycleStartMicros > delayMicros;
        if (CYCLE[cycle] > 1) {
            over &= lostInCycle || inFlight >= 1.25 * product();
        } else if (CYCLE[cycle] < 1) {
            over |= inFlight <= product();
        }
        if (over) {
            cycle = (cycle + 1) % CYCLE.length;
            startCycle();
        }
    }

    private void onDelay(long rttMicros) {
        long now = link.now();
        boolean old = now - delaySeenMicros > DELAY_LIFE;
        if (rttMicros <= delayMicros || old) {
            delayMicros = rttMicros;
            delaySeenMicros = now;
        }
        if (old && phase != Phase.PROBE_DELAY) {
            phase = Phase.PROBE_DELAY;
            probeEndMicros = 0;
        }
        if (phase == Phase.PROBE_DELAY) {
            if (probeEndMicros == 0 && inFlight <= LEAST_WINDOW) {
                probeEndMicros = now + PROBE_DELAY_TIME;
            } else if (probeEndMicros > 0 && now >= probeEndMicros) {
                delaySeenMicros = now;
                if (full) {
                    probeBandwidth();
                } else {
                    phase = Phase.STARTUP;
                }
            }
        }
    }

    @Override
    void onLoss(Sent packet) {
        lostInCycle = true;
    }
}
