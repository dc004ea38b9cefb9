package org.amo.exon;

import java.util.Arrays;

/**
 * How much may be under way to one node, and how fast (docs/decisions/0031). It models the path by two numbers that loss
 * does not change, the bandwidth (highest delivery rate of ten rounds) and the delay (lowest round-trip time of ten
 * seconds), paces at the one and keeps about twice their product under way, in the manner of BBR. Random loss is no
 * reason to slow down. Loss while a queue stands is: then another flow wants its share, and the window shrinks by 30 %
 * and grows by one datagram a round, as theirs does. It stops to shrink if another flow only takes the room that is made
 * (docs/decisions/0132). One thread owns it; times in microseconds, rates in bytes a microsecond.
 */
final class CongestionControl {
    private static final double STARTUP_GAIN = 2.89;
    private static final double DRAIN_GAIN = 1 / STARTUP_GAIN;
    private static final double WINDOW_GAIN = 2;
    private static final double[] CYCLE = {1.25, 0.75, 1, 1, 1, 1, 1, 1};
    private static final double LEAST_WINDOW = 4;
    private static final int ROUNDS = 10;
    private static final long DELAY_LIFE = 10_000_000;
    private static final long SUSPICION_LIFE = 500_000;
    private static final long PROBE_DELAY_TIME = 100_000;
    private static final double BACK_OFF = 0.7;
    private static final double QUEUE = 1.25;

    /**
     * Datagrams over which loss is judged, or a round of them if that is more. Of fewer the least round-trip time says
     * little and a few losses are chance: a small window would stay small.
     */
    private static final double JUDGED = 64;

    /** Loss that as many judgements in turn saw is the path's. */
    private static final int STEADY = 4;

    /** A cut is in vain if loss comes back before so much of the bytes under way at the cut is under way again. */
    private static final double REGROWN = 0.85;

    /** After so many cuts in vain, one after the other, the next loss is not answered. */
    private static final int IN_VAIN = 3;

    /** After so many judgements, about a second, one more cut tells whether cuts are still in vain. */
    private static final int TRIAL = 64;

    private static final long QUEUE_MICROS = 1_000;

    /** Lumps of acknowledgements count for no more than so long at the path's bandwidth. */
    private static final long LONGEST_LUMP = 50_000;

    private final int datagramBytes;

    /** How late datagrams come that others have overtaken. */
    private long reorderingMicros;

    /** The present activity of the control. */
    enum Phase {
        /** Doubles its rate every round until the bandwidth stops to grow. */
        STARTUP,
        /** Lets the queue run empty that the start made. */
        DRAIN,
        /** Paces at the bandwidth, one round in eight a quarter faster and the next a quarter slower. */
        PROBE_BANDWIDTH,
        /** Keeps little under way, to see the delay without queue. */
        PROBE_DELAY
    }

    private Phase phase = Phase.STARTUP;
    private final double[] bandwidths = new double[ROUNDS];
    private double bandwidth;
    private double fullBandwidth;
    private int roundsWithoutGrowth;
    private long delayMicros = Long.MAX_VALUE;
    private long delaySeenMicros;
    private long probedDelay = Long.MAX_VALUE;
    private boolean suspicious;
    private long phaseEndMicros;
    private int cycle = 2;
    private long cycleStartMicros;

    private long round;
    private boolean roundTellsBandwidth;
    private long roundEndDelivered;
    // Since loss was judged last.
    private long judgedLost;
    private long judgedAcknowledged;
    private long judgedLeastRtt = Long.MAX_VALUE;
    private long judgedMostInFlight;
    private final double[] lastLosses = new double[STEADY];
    private int judgements;
    private final double[] lumps = new double[ROUNDS];
    private int lumpRound;
    private double lump;
    private double lumpBytes;
    private long lumpStartMicros;
    private double usualLoss;
    private double ceiling = Double.MAX_VALUE;
    // Of the last cut.
    private int cutJudgement;
    private double cutInFlight;
    private boolean cutAwaitsLoss;
    private int cutsInVain;

    CongestionControl(int datagramBytes) {
        this.datagramBytes = datagramBytes;
    }

    /**
     * The measurements of an acknowledgement.
     *
     * @param delivered bytes in all, with these
     * @param priorDelivered that number when the newest of the acknowledged tokens left
     * @param rate of delivery since then, or 0 if unknown
     * @param limited whether the sender had nothing more to send at that time
     * @param rttMicros or 0
     * @param acknowledged bytes, newly
     * @param inFlight bytes still under way
     */
    record Sample(
            long delivered,
            long priorDelivered,
            double rate,
            boolean limited,
            long rttMicros,
            long acknowledged,
            long inFlight) {}

    void onAck(Sample sample, long nowMicros) {
        if (sample.rttMicros > 0) {
            onDelay(sample.rttMicros, nowMicros);
        }
        onLump(sample.acknowledged, nowMicros);
        judgedAcknowledged += sample.acknowledged;
        judgedMostInFlight = Math.max(judgedMostInFlight, sample.inFlight + sample.acknowledged);
        // A round in which the sender had less to send, or came late, does not contradict earlier measurements.
        roundTellsBandwidth |= sample.rate > 0 && !sample.limited;
        if (sample.rate > 0 && (!sample.limited || sample.rate > bandwidth)) {
            int slot = (int) (round % ROUNDS);
            bandwidths[slot] = Math.max(bandwidths[slot], sample.rate);
            bandwidth = Math.max(bandwidth, sample.rate);
        }
        if (sample.priorDelivered >= roundEndDelivered && sample.acknowledged > 0) {
            roundEndDelivered = sample.delivered;
            endRound(sample.limited);
        }
        advance(sample, nowMicros);
    }

    void onLoss(long bytes) {
        judgedLost += bytes;
    }

    /** Bytes that counted as lost were late. */
    void onFound(long bytes) {
        judgedLost = Math.max(0, judgedLost - bytes);
    }

    /**
     * Datagrams come so much later than others: the lowest round-trip time is that of the luckiest, and twice the bandwidth times
     * that is less than what is under way if each takes its time. A queue does not reorder, and is not counted.
     */
    void onReordering(long micros) {
        reorderingMicros = micros;
    }

    private void onDelay(long rttMicros, long nowMicros) {
        judgedLeastRtt = Math.min(judgedLeastRtt, rttMicros);
        probedDelay = Math.min(probedDelay, rttMicros);
        if (rttMicros <= delayMicros) {
            if (rttMicros < 0.9 * delayMicros) {
                usualLoss = 0; // it was learnt beside an unnoticed queue
            }
            delayMicros = rttMicros;
            delaySeenMicros = nowMicros;
        }
        long age = nowMicros - delaySeenMicros;
        if (phase == Phase.PROBE_BANDWIDTH && (age > DELAY_LIFE || (suspicious && age > SUSPICION_LIFE))) {
            phase = Phase.PROBE_DELAY;
            phaseEndMicros = nowMicros + Math.max(PROBE_DELAY_TIME, 2 * delayMicros);
            probedDelay = Long.MAX_VALUE;
        }
    }

    /**
     * Measures lumps of acknowledgements: an end that runs late sends or receives them in lumps. The excess of a lump over
     * the bytes that the bandwidth would bring since it began must be under way in addition. Otherwise the window blocks
     * between two lumps, less is delivered, the model takes that for the path's bandwidth, and the window shrinks with it.
     */
    private void onLump(long acknowledged, long nowMicros) {
        double expected = bandwidth * (nowMicros - lumpStartMicros);
        if (lumpBytes <= expected) {
            lumpBytes = 0;
            expected = 0;
            lumpStartMicros = nowMicros;
        }
        lumpBytes += acknowledged;
        lumps[lumpRound] = Math.max(lumps[lumpRound], Math.min(lumpBytes - expected, bandwidth * LONGEST_LUMP));
        lump = Math.max(lump, lumps[lumpRound]);
    }

    private void endRound(boolean limited) {
        if (judgedLost + judgedAcknowledged >= JUDGED * datagramBytes) {
            judgeLoss();
            judgedLost = 0;
            judgedAcknowledged = 0;
            judgedLeastRtt = Long.MAX_VALUE;
            judgedMostInFlight = 0;
        }
        if (phase == Phase.STARTUP && !limited) {
            if (bandwidth >= fullBandwidth * 1.25) {
                fullBandwidth = bandwidth;
                roundsWithoutGrowth = 0;
            } else if (++roundsWithoutGrowth >= 3) {
                phase = Phase.DRAIN;
            }
        }
        if (roundTellsBandwidth) {
            round++;
            bandwidths[(int) (round % ROUNDS)] = 0;
            bandwidth = Arrays.stream(bandwidths).max().orElse(0);
            roundTellsBandwidth = false;
        }
        lumpRound = (lumpRound + 1) % ROUNDS;
        lumps[lumpRound] = 0;
        lump = Arrays.stream(lumps).max().orElse(0);
    }

    /** Loss above the path's usual one, while even the luckiest packet met a queue. */
    private void judgeLoss() {
        double loss = judgedLost / (double) Math.max(1, judgedLost + judgedAcknowledged);
        boolean queue = judgedLeastRtt != Long.MAX_VALUE
                && judgedLeastRtt > Math.max((double) delayMicros * QUEUE, (double) (delayMicros + QUEUE_MICROS));
        // Unusual loss and no queue: perhaps there always was one since this flow began, and the delay is not the
        // path's.
        suspicious = !queue && loss > 2 * usualLoss + 0.01;
        // Of few datagrams on a lossy path it may be more by chance.
        double total = (double) (judgedLost + judgedAcknowledged);
        double chance = 2 * Math.sqrt(usualLoss * total * datagramBytes);
        boolean reacts = judgedLost > (2 * usualLoss + 0.002) * total + chance;
        lastLosses[judgements++ % STEADY] = loss;
        // The delay may be no queue but the lateness of the ends. With a full queue few judgements see losses, on a
        // lossy path all do.
        double steady = Arrays.stream(lastLosses).min().orElse(0);
        if (steady > usualLoss) {
            usualLoss += (steady - usualLoss) / 2;
        }
        if (!queue || loss < usualLoss) {
            usualLoss += (loss - usualLoss) / 16;
        }
        if (!queue) {
            ceiling = ceiling * QUEUE > 4 * product() ? Double.MAX_VALUE : ceiling * QUEUE;
        } else if (reacts) {
            if (phase == Phase.STARTUP) {
                phase = Phase.DRAIN;
            }
            answerLoss();
        } else if (ceiling < Double.MAX_VALUE) {
            ceiling += datagramBytes;
        }
    }

    /**
     * A flow that answers loss makes room when this one does, and loss comes back when both have grown into the room. If loss
     * comes back long before, cut for cut, another flow takes the room and does not answer loss, as BBR's first version does not.
     * Then only the model limits this flow, as it limits the other.
     */
    private void answerLoss() {
        int sinceCut = judgements - cutJudgement;
        // The judgement after a cut still sees what left before the cut.
        if (sinceCut > 1 && cutAwaitsLoss) {
            cutAwaitsLoss = false;
            cutsInVain = judgedMostInFlight < REGROWN * cutInFlight ? cutsInVain + 1 : 0;
        }
        if (cutsInVain >= IN_VAIN && sinceCut > 1 && sinceCut <= TRIAL) {
            ceiling = Double.MAX_VALUE;
            return;
        }
        ceiling = Math.max(LEAST_WINDOW * datagramBytes, Math.min(ceiling, (double) judgedMostInFlight) * BACK_OFF);
        // The memory of a larger window fades: cuts in vain down to a small one are still in vain when that one is
        // regrown.
        cutInFlight = Math.max((double) judgedMostInFlight, REGROWN * cutInFlight);
        cutJudgement = judgements;
        cutAwaitsLoss = true;
    }

    private void advance(Sample sample, long nowMicros) {
        if (phase == Phase.DRAIN && sample.inFlight <= product()) {
            phase = Phase.PROBE_BANDWIDTH;
            cycle = 2;
            cycleStartMicros = nowMicros;
        } else if (phase == Phase.PROBE_DELAY && nowMicros >= phaseEndMicros) {
            delaySeenMicros = nowMicros;
            delayMicros = probedDelay == Long.MAX_VALUE ? delayMicros : probedDelay;
            suspicious = false;
            phase = Phase.PROBE_BANDWIDTH;
            cycle = 2;
            cycleStartMicros = nowMicros;
        } else if (phase == Phase.PROBE_BANDWIDTH) {
            boolean drained = CYCLE[cycle] < 1 && sample.inFlight <= product();
            if (nowMicros - cycleStartMicros > delayMicros || drained) {
                cycle = (cycle + 1) % CYCLE.length;
                cycleStartMicros = nowMicros;
            }
        }
    }

    /** Bandwidth x delay, in bytes; 0 while unknown. */
    private double product() {
        return delayMicros == Long.MAX_VALUE ? 0 : bandwidth * delayMicros;
    }

    /** Most bytes that may be under way. */
    long window() {
        if (product() == 0) {
            return 32L * datagramBytes;
        }
        double gain = phase == Phase.STARTUP ? STARTUP_GAIN : phase == Phase.PROBE_DELAY ? 0.5 : WINDOW_GAIN;
        // Receivers batch acknowledgements, and machines stall: some time's worth of data more than the model.
        double slack =
                phase == Phase.PROBE_DELAY ? 0 : Math.max(3.0 * datagramBytes, Math.max(bandwidth * 2_000, lump));
        double model = phase == Phase.PROBE_DELAY
                ? gain * product()
                : Math.max(gain * product(), product() + bandwidth * reorderingMicros);
        double least = (phase == Phase.STARTUP ? 32.0 : LEAST_WINDOW) * datagramBytes;
        return (long) Math.max(least, Math.min(ceiling, model + slack));
    }

    /** Bytes a microsecond; 0 for no limit. */
    double pacingRate() {
        if (delayMicros == Long.MAX_VALUE) {
            return 0;
        }
        if (bandwidth == 0) {
            return STARTUP_GAIN * 32 * datagramBytes / delayMicros;
        }
        // The least window once a round trip: a rate measured while a machine stood still for a second must not
        // persist.
        double least = (phase == Phase.STARTUP ? 32.0 : LEAST_WINDOW) * datagramBytes / delayMicros;
        double gain =
                switch (phase) {
                    case STARTUP -> STARTUP_GAIN;
                    case DRAIN -> DRAIN_GAIN;
                    case PROBE_BANDWIDTH -> CYCLE[cycle];
                    case PROBE_DELAY -> 1;
                };
        return Math.max(gain * bandwidth, least);
    }

    Phase phase() {
        return phase;
    }

    /** Bytes a microsecond. */
    double bandwidth() {
        return bandwidth;
    }

    /** Lowest round-trip time of the last ten seconds, or 0 while unknown. */
    long delayMicros() {
        return delayMicros == Long.MAX_VALUE ? 0 : delayMicros;
    }
}
