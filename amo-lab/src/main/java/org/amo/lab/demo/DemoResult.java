package org.amo.lab.demo;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;

/** The demo's result; its fields are those of the contract, and every one of them appears in the JSON. */
@JsonPropertyOrder(alphabetic = false)
record DemoResult(
        long calls,
        long ok,
        long failed,
        long unknown,
        long duplicatesSuppressed,
        long executedTwice,
        long lost,
        boolean statesEqual,
        double failoverMillisMax,
        double throughputPerSecond,
        Latency latencyMicros,
        Cache cache,
        Sack sack,
        List<ReplicaResult> replicas,
        long seed,
        String commit,
        @JsonIgnore List<String> remarks) {

    /** Of answered calls. */
    record Latency(long p50, long p99, long max) {}

    /** The largest of any replica. */
    record Cache(long entriesPeak, long entriesEnd, long bytesPeak, long timeoutOnlyEntriesComputed) {}

    /** The cost of acknowledgements. */
    record Sack(long orderedEntries, long bytes, double shareOfEntriesPercent, double shareOfBytesPercent) {}

    /** One replica at the end, or when it was last heard. */
    record ReplicaResult(String id, boolean killed, boolean restarted, long executed, long position, String digest) {}

    /** A run without an answer shows nothing. */
    @JsonIgnore
    boolean passed() {
        return ok > 0 && executedTwice == 0 && lost == 0 && failed == 0 && unknown == 0 && statesEqual;
    }
}
