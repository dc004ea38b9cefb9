package org.amo.scmp;

/**
 * Computes when to retry: smoothed round trip and four deviations (RFC 6298), doubled for each retransmission. Calls that
 * were sent twice give no measurement; until there is one, the next calls wait as long as the last one did (Karn). One
 * thread owns it.
 */
final class RetryInterval {
    private final RpcClientOptions options;
    private long smoothed;
    private long deviation;
    private boolean measured;

    /** The wait of the last retransmission: a server slower than estimated must not get every call twice. */
    private long backedOff;

    RetryInterval(RpcClientOptions options) {
        this.options = options;
    }

    /** Of a call that was sent once. */
    void onRoundTrip(long micros) {
        backedOff = 0;
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
        return Math.min(options.maxRetryMicros(), Math.max(options.minRetryMicros(), Math.max(backedOff, interval)));
    }

    long next(long interval) {
        backedOff = Math.max(backedOff, Math.min(options.maxRetryMicros(), 2 * interval));
        return Math.min(options.maxRetryMicros(), 2 * interval);
    }
}
