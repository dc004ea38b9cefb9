package org.amo.lab.attack;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * Holds the result of one attack.
 *
 * @param alive all members answer after the attack; none of them ended, unless the attack may end members
 * @param heapPercent of the largest heap that was in use after a full collection under attack, at the member with most
 * @param honestRateRatio answered calls a second of honest clients under attack, compared with those without
 * @param honestP99Ratio the 99th percentile of their latencies, compared in the same way
 * @param statesEqual the members have executed the same positions with the same results
 * @param logLines that all members wrote from the check before the attack, or from its beginning, until the check after it
 * @param passed whether all bars are reached
 * @param after attacks that ran before it against the same group; if there are any and it did not pass, it ran once more against a
 *     group of its own, and that result counts, unless a call ran twice or got lost or states differed
 * @param restarts of members that ended
 * @param executedTwice executions too many, of honest clients and of attackers' calls
 * @param lost answered calls that did not run
 * @param steps connections, messages or rounds of them that the attack made
 * @param refused how many of them the members refused
 * @param attackSeconds how long the attack lasted
 * @param remarks one line each: reasons for a failure, and further notes
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
record AttackResult(
        String name,
        boolean alive,
        double heapPercent,
        double honestRateRatio,
        double honestP99Ratio,
        boolean statesEqual,
        long logLines,
        boolean passed,
        String service,
        List<String> after,
        int restarts,
        long executedTwice,
        long lost,
        long steps,
        long refused,
        double attackSeconds,
        List<String> remarks) {

    /** The bars. */
    static final double MOST_HEAP_PERCENT = 90;

    static final double LEAST_RATE_RATIO = 0.7;
    static final double MOST_P99_RATIO = 5;
    static final long MOST_LOG_LINES = 100;

    AttackResult {
        after = List.copyOf(after);
        remarks = List.copyOf(remarks);
    }

    /** Whether the attack runs once more, against a group of its own. */
    boolean isRunAgain() {
        return !passed && !after.isEmpty();
    }

    /** Whether that run counts in the place of this one: the attacks before it may be the reason. */
    boolean isExcused() {
        return isRunAgain() && !isWrong();
    }

    /** Whether a call ran twice or got lost, or members that answer differ: no attack may be the reason, so no second run excuses it. */
    boolean isWrong() {
        return executedTwice > 0 || lost > 0 || (alive && !statesEqual);
    }

    /** The same, with the attacks before it. */
    AttackResult after(List<String> earlier) {
        return new AttackResult(
                name,
                alive,
                heapPercent,
                honestRateRatio,
                honestP99Ratio,
                statesEqual,
                logLines,
                passed,
                service,
                earlier,
                restarts,
                executedTwice,
                lost,
                steps,
                refused,
                attackSeconds,
                remarks);
    }

    /** Measurements of an attack, before the bars are applied. */
    record Measured(
            boolean alive,
            double heapPercent,
            HonestCalls.Comparison honest,
            boolean statesEqual,
            long logLines,
            int restarts,
            long executedTwice,
            long lost) {

        boolean reachesAllBars() {
            return alive
                    && heapPercent <= MOST_HEAP_PERCENT
                    && honest.rateRatio() >= LEAST_RATE_RATIO
                    && honest.p99Ratio() <= MOST_P99_RATIO
                    && statesEqual
                    && logLines <= MOST_LOG_LINES
                    && executedTwice == 0
                    && lost == 0;
        }
    }

    /** @param complete false if something could not be measured or the attack itself failed: then it has not passed */
    static AttackResult of(
            Attack attack,
            Service service,
            Measured measured,
            boolean complete,
            AttackRate pace,
            double seconds,
            List<String> remarks) {
        return new AttackResult(
                attack.name(),
                measured.alive(),
                rounded(measured.heapPercent()),
                rounded(measured.honest().rateRatio()),
                rounded(measured.honest().p99Ratio()),
                measured.statesEqual(),
                measured.logLines(),
                complete && measured.reachesAllBars(),
                service.toString(),
                List.of(),
                measured.restarts(),
                measured.executedTwice(),
                measured.lost(),
                pace.steps(),
                pace.refused(),
                rounded(seconds),
                remarks);
    }

    /** A run that ended before there was anything to measure. */
    static AttackResult failed(Attack attack, Service service, String why) {
        return of(
                attack,
                service,
                new Measured(false, 0, new HonestCalls.Comparison(0, 0, 0, 0), false, 0, 0, 0, 0),
                false,
                new AttackRate(0),
                0,
                List.of(why));
    }

    private static double rounded(double value) {
        return Math.round(value * 100) / 100.0;
    }
}
