package org.amo.observe;

import java.util.List;
import java.util.Optional;
import org.amo.base.observe.Observed;

/**
 * A run whose page also shows a verdict so far and kills members: the demo. Its port takes a POST of {@code /kill}; that of a member
 * changes nothing. Any thread.
 */
public interface Trial extends Observed {

    /**
     * The verdict so far.
     *
     * @param answered calls that were answered
     * @param failed calls that failed, or whose outcome is unknown
     * @param executedTwice answers that only a second execution explains
     * @param lost answers that only a lost execution explains
     * @param events the latest last, one line each
     */
    record Verdict(long answered, long failed, long executedTwice, long lost, List<String> events) {
        public Verdict {
            events = List.copyOf(events);
        }
    }

    /** The verdict so far; does not wait. */
    Verdict verdict();

    /**
     * Kills a member, which the run starts again later. Does not wait.
     *
     * @return the reason why not, in one line; empty if it is killed
     */
    Optional<String> kill(String member);
}
