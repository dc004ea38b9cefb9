package org.amo.dpg.udp;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.amo.base.wire.Secrets;
import org.amo.dpg.DpgOptions;

/**
 * The settings on which a site and its tag sequencers have to agree, for any transport.
 *
 * <p>The secret of the group seals the datagrams between its sites and makes its tags recognisable; the secret of the
 * sequencers seals tags and numbers, and is shared by all groups that use them. A sequencer needs only the second: it cannot
 * read messages.
 *
 * @param secret shared by all sites
 * @param sequencerSecret the sequencers' own secret, when they serve several groups. Default: the group's
 * @param sequencers how many sequencers there are to turn to, 1 to 256: one that numbers, asked first, and those that take
 *     over. Default 1
 * @param core limits and times of the protocol. Default: {@link #coreFor} 8 sites
 * @param patienceMicros how long a site waits for a PDU with a known number, or for a number. Default 100 ms: giving one up
 *     costs the group more than the wait, unless many are lost
 * @param repeatMicros after how long a tag is sent again for the first time. Default 20 ms
 * @param silenceMicros after how long without any number another sequencer is asked. Default 200 ms
 * @param window most PDUs, and most numbers, that wait for their counterpart. Default 2,048
 * @param maxDatagramBytes largest datagram; one larger than the network's MTU is sent in fragments. Default 65,507
 */
public record DpgNodeOptions(
        byte[] secret,
        byte[] sequencerSecret,
        int sequencers,
        DpgOptions core,
        long patienceMicros,
        long repeatMicros,
        long silenceMicros,
        int window,
        int maxDatagramBytes) {
    private static final long UNSEEN_MICROS = 4_000_000;
    private static final int MOST_VERTICES = 1_024;
    private static final int MOST_ORDER = 4_096;
    private static final int LEAST_TOLD = 32;
    /** Messages that a site sends until a site that has gone counts as absent. */
    private static final int KEPT = 2_048;

    /** @throws IllegalArgumentException naming the setting that does not fit the others */
    public DpgNodeOptions {
        secret = Secrets.check(secret, "the secret of the sites").clone();
        sequencerSecret =
                Secrets.check(sequencerSecret, "the secret of the sequencers").clone();
        if (sequencers < 1 || sequencers > SequencerNode.MOST) {
            throw new IllegalArgumentException("sequencers must be 1 to " + SequencerNode.MOST + ": " + sequencers);
        }
        if (patienceMicros < 1 || window < 1 || repeatMicros < 1 || silenceMicros <= 2 * repeatMicros) {
            throw new IllegalArgumentException("patience, window and repeat must be positive, and silence outlast two"
                    + " repeats: patience=" + patienceMicros + " window=" + window + " repeat="
                    + repeatMicros
                    + " silence=" + silenceMicros);
        }
        if (maxDatagramBytes > 65_507 || core.maxBodyBytes() > maxDatagramBytes - DpgFrames.MOST_AROUND_PDU) {
            throw new IllegalArgumentException("a message must fit into a datagram: maxBodyBytes="
                    + core.maxBodyBytes() + " maxDatagramBytes=" + maxDatagramBytes + ", of which "
                    + DpgFrames.MOST_AROUND_PDU + " are the envelope; lower the one or raise the other (to 65507)");
        }
    }

    /** @param secret shared by all sites and sequencers, 16 bytes or more */
    public static Builder builder(String secret) {
        return new Builder(secret);
    }

    /**
     * Times and buffers for a group of so many sites. All sites report in turn, so that each hears of each once a round; a
     * step that needs to hear of all lasts some rounds. For a larger group the times are too short, for a smaller one longer
     * than need be. A site is absent after a second or five rounds of silence, whichever is longer: a shorter time would
     * make a garbage-collection pause an absence.
     *
     * @param sites that are present at a time at most, 1 to 256
     */
    public static DpgOptions.Builder coreFor(int sites) {
        if (sites < 1 || sites > 256) {
            throw new IllegalArgumentException("sites must be 1 to 256: " + sites);
        }
        long report = 16_000;
        long round = Math.max(60_000, sites * (report + report / 8));
        // All messages that all sites have on the network must fit into a socket's buffer.
        int admission = Math.max(16, Math.min(128, 512 / sites));
        return DpgOptions.builder()
                .buffers(2_048, admission)
                .keptBuffers(KEPT)
                .graph(MOST_VERTICES, MOST_ORDER, LEAST_TOLD)
                .reportMicros(report)
                .deliveryMicros(3 * round, Math.max(2_000_000, 15 * round))
                .retrievalMicros(round)
                // Tags are sent until they are numbered: an own message is not lost before the sequencer is.
                .unseenMicros(UNSEEN_MICROS)
                .absence(Math.max(1_000_000, 5 * round), Math.max(4, Math.min(sites, 8)))
                .flowControl(1, 50_000, 50, 5_000);
    }

    @Override
    public byte[] secret() {
        return secret.clone();
    }

    @Override
    public byte[] sequencerSecret() {
        return sequencerSecret.clone();
    }

    /** Longest message that {@link DpgNode#submit} takes, in bytes. */
    public int maxMessageBytes() {
        return core.maxBodyBytes();
    }

    /** Collects options; {@link #build} checks them. */
    public static final class Builder {
        private final byte[] secret;
        private byte[] sequencerSecret;
        private int sequencers = 1;
        private DpgOptions core = coreFor(8).build();
        private long patienceMicros = 100_000;
        private long repeatMicros = 20_000;
        private long silenceMicros = 200_000;
        private int window = 2_048;
        private int maxDatagramBytes = 65_507;

        private Builder(String secret) {
            this.secret = secret.getBytes(StandardCharsets.UTF_8);
            this.sequencerSecret = this.secret;
        }

        public Builder sequencerSecret(String value) {
            sequencerSecret = value.getBytes(StandardCharsets.UTF_8);
            return this;
        }

        public Builder sequencers(int count) {
            sequencers = count;
            return this;
        }

        public Builder core(DpgOptions value) {
            core = value;
            return this;
        }

        public Builder patience(Duration value) {
            patienceMicros = micros(value);
            return this;
        }

        /** Until a tag is sent again for the first time, and until another sequencer is asked. */
        public Builder sequencerPatience(Duration repeat, Duration silence) {
            repeatMicros = micros(repeat);
            silenceMicros = micros(silence);
            return this;
        }

        public Builder window(int pdus) {
            window = pdus;
            return this;
        }

        public Builder maxDatagramBytes(int bytes) {
            maxDatagramBytes = bytes;
            return this;
        }

        private static long micros(Duration duration) {
            return duration.toNanos() / 1_000;
        }

        /** @throws IllegalArgumentException naming the setting that does not fit the others */
        public DpgNodeOptions build() {
            return new DpgNodeOptions(
                    secret,
                    sequencerSecret,
                    sequencers,
                    core,
                    patienceMicros,
                    repeatMicros,
                    silenceMicros,
                    window,
                    maxDatagramBytes);
        }
    }
}
