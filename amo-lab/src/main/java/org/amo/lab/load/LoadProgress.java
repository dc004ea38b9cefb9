package org.amo.lab.load;

import java.util.List;
import org.amo.observe.Trial;

/**
 * The records of clients so far, while they call.
 *
 * @param calls that have ended
 * @param ok answered calls
 * @param failed calls that failed, or whose outcome is unknown
 * @param repeated answers that can only be explained by an operation that ran more often than it was issued
 * @param missing answers that can only be explained by an operation that was answered and did not stay
 */
record LoadProgress(long calls, long ok, long failed, long repeated, long missing) {
    static final LoadProgress NONE = new LoadProgress(0, 0, 0, 0, 0);

    private static final int WORDS = 5;

    static LoadProgress of(LoadThread load) {
        return new LoadProgress(
                load.calls(), load.ok(), load.failed() + load.unknown(), load.repeated(), load.missing());
    }

    LoadProgress plus(LoadProgress other) {
        return new LoadProgress(
                calls + other.calls,
                ok + other.ok,
                failed + other.failed,
                repeated + other.repeated,
                missing + other.missing);
    }

    /** The same as a verdict, with these events of the run. */
    Trial.Verdict verdict(List<String> events) {
        return new Trial.Verdict(ok, failed, repeated, missing, events);
    }

    /** The words that {@link #parse} reads. */
    String words() {
        return calls + " " + ok + " " + failed + " " + repeated + " " + missing;
    }

    static LoadProgress parse(String words) {
        String[] numbers = words.split(" ", WORDS);
        return new LoadProgress(
                Long.parseLong(numbers[0]),
                Long.parseLong(numbers[1]),
                Long.parseLong(numbers[2]),
                Long.parseLong(numbers[3]),
                Long.parseLong(numbers[4]));
    }
}
