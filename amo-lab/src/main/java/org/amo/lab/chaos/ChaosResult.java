package org.amo.lab.chaos;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import java.util.Map;
import org.amo.testkit.check.CheckReport;

/**
 * A run's result; its fields are those of the JSON.
 *
 * @param duration of the load in seconds
 * @param faults how many of each kind were made
 * @param executedTwice executions for which no client has a call
 * @param lost answered calls of which the bank, or a replica that lived to the end, knows nothing
 * @param violations all that broke a rule, these included
 * @param longestGapMillis that a client had no answer
 * @param elections changes of the leader while the load lasted, seen once a second
 * @param repaired damaged places on disks that replicas found and that were whole again
 * @param diverged members that were found diverged, as the replica counts that counted most
 * @param remarks further notes for the reader
 */
@JsonPropertyOrder(alphabetic = false)
record ChaosResult(
        long seed,
        double duration,
        Map<String, Integer> faults,
        long calls,
        long ok,
        long failed,
        long unknown,
        long executedTwice,
        long lost,
        boolean statesEqual,
        long violations,
        double longestGapMillis,
        long elections,
        long repaired,
        long diverged,
        double unknownPercent,
        int replicas,
        String order,
        String log,
        String plant,
        String commit,
        @JsonIgnore CheckReport report,
        @JsonIgnore List<String> remarks) {

    /** Of calls that may end without a definite answer. */
    static final double MOST_UNKNOWN_PERCENT = 5;

    @JsonIgnore
    boolean passed() {
        return violations == 0;
    }
}
