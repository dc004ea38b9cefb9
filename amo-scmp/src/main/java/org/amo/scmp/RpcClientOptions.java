package org.amo.scmp;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The settings of a client.
 *
 * @param retentionClass of its connections, 0 to 15; the server sets the meaning of a class. Default 0
 * @param firstRetryMicros before the first retransmission, until round trips were measured. Default 200 ms
 * @param minRetryMicros never sooner. Default 20 ms
 * @param maxRetryMicros the pause doubles up to this. Default 2 s
 * @param maxSendMicros how long a call is sent with its arguments; one that is not known to have arrived by then ends
 *     unknown. Must be below ρ - ε - δ of the server, or it may be refused as old. Default 4 minutes, for the paper's ρ of 5
 * @param replyAckDelayMicros how long a reply waits for a next call to acknowledge it. Default 200 ms
 * @param maxOutstanding calls under way at once; more are refused. Default 100,000
 */
public record RpcClientOptions(
        int retentionClass,
        long firstRetryMicros,
        long minRetryMicros,
        long maxRetryMicros,
        long maxSendMicros,
        long replyAckDelayMicros,
        int maxOutstanding) {

    public RpcClientOptions {
        ConnectionId.uid(retentionClass, 0);
        if (minRetryMicros < 1 || firstRetryMicros < minRetryMicros || maxRetryMicros < firstRetryMicros) {
            throw new IllegalArgumentException("0 < minRetry <= firstRetry <= maxRetry is needed: minRetry="
                    + minRetryMicros + " us firstRetry=" + firstRetryMicros + " us maxRetry=" + maxRetryMicros + " us");
        }
        if (maxSendMicros < 1
                || replyAckDelayMicros < 0
                || maxOutstanding < 1
                || maxOutstanding > ConnectionId.UIDS_PER_CLASS) {
            throw new IllegalArgumentException("maxSend must be positive, replyAckDelay not negative, maxOutstanding"
                    + " between 1 and " + ConnectionId.UIDS_PER_CLASS + ": maxSend=" + maxSendMicros
                    + " us replyAckDelay=" + replyAckDelayMicros + " us maxOutstanding=" + maxOutstanding);
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    public static RpcClientOptions defaults() {
        return builder().build();
    }

    /** Collects options; {@link #build} checks them. */
    public static final class Builder {
        private int retentionClass;
        private Duration firstRetry = Duration.ofMillis(200);
        private Duration minRetry = Duration.ofMillis(20);
        private Duration maxRetry = Duration.ofSeconds(2);
        private Duration maxSend = Duration.ofMinutes(4);
        private Duration replyAckDelay = Duration.ofMillis(200);
        private int maxOutstanding = 100_000;

        private Builder() {}

        public Builder retentionClass(int value) {
            retentionClass = value;
            return this;
        }

        public Builder firstRetry(Duration value) {
            firstRetry = value;
            return this;
        }

        public Builder minRetry(Duration value) {
            minRetry = value;
            return this;
        }

        public Builder maxRetry(Duration value) {
            maxRetry = value;
            return this;
        }

        public Builder maxSend(Duration value) {
            maxSend = value;
            return this;
        }

        public Builder replyAckDelay(Duration value) {
            replyAckDelay = value;
            return this;
        }

        public Builder maxOutstanding(int value) {
            maxOutstanding = value;
            return this;
        }

        /** @throws IllegalArgumentException when the values do not fit together, naming them */
        public RpcClientOptions build() {
            return new RpcClientOptions(
                    retentionClass,
                    micros(firstRetry),
                    micros(minRetry),
                    micros(maxRetry),
                    micros(maxSend),
                    micros(replyAckDelay),
                    maxOutstanding);
        }

        private static long micros(Duration value) {
            return TimeUnit.MICROSECONDS.convert(value);
        }
    }
}
