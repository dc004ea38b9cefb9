package org.amo.dpg;

/** Message_Cycle (section 4.5): the least time between two 'message' PDUs of this site. */
final class FlowControl {
    private final DpgOptions options;
    private long cycleMicros;
    private long lowerAtMicros;
    private long nextMicros;

    FlowControl(DpgOptions options, long nowMicros) {
        this.options = options;
        this.cycleMicros = options.leastMessageMicros();
        this.lowerAtMicros = nowMicros + options.flowControlMicros();
        this.nextMicros = nowMicros;
    }

    long cycleMicros() {
        return cycleMicros;
    }

    void onOverflow() {
        cycleMicros = Math.min(options.mostMessageMicros(), cycleMicros + options.deltaMicros());
    }

    void onReport(long theirs) {
        cycleMicros = Math.min(options.mostMessageMicros(), Math.max(cycleMicros, theirs));
    }

    void onTime(long nowMicros) {
        if (nowMicros >= lowerAtMicros) {
            long periods = 1 + (nowMicros - lowerAtMicros) / options.flowControlMicros();
            cycleMicros = Math.max(
                    options.leastMessageMicros(), cycleMicros - Math.min(periods, 1_000_000) * options.deltaMicros());
            lowerAtMicros += periods * options.flowControlMicros();
        }
    }

    long nextMicros() {
        return nextMicros;
    }

    void onSent(long nowMicros) {
        nextMicros = nowMicros + cycleMicros;
    }
}
