package org.amo.core.scmp.rpc;

/**
 * When to send again: smoothed round trip and four deviations (RFC 6298), doubled for each retransmission; calls that
 * were sent twice are no measurement (Karn). One thread owns it.
 */
final class RetryInterval {
    private final RpcClientOptions options;
    private long smoothed;
    private long deviation;
    private boolean measured;

    RetryInterval(RpcClientOptions options) {
        this.options = options;
    }

    void onRoundTrip(long micros) {
        if (!measured) {
            measured = true;
            smoothed = micros;
            deviation = micros / 2;
            return;
        }
        deviation += (Math.abs(micros - smoothed) - deviation) / 4;
        smoothed += (micros - smoothed) / 8;
    }

    long first() {
        long interval = measured ? smoothed + 4 * deviation : options.firstRetryMicros();
        return Math.min(options.maxRetryMicros(), Math.max(options.minRetryMicros(), interval));
    }

    long next(long interval) {
        return Math.min(options.maxRetryMicros(), 2 * interval);
    }
}
