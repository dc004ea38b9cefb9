package org.amo.lab.load;

/**
 * The records of clients so far, while they call.
 *
 * @param ok answered calls
 * @param failed calls that failed, or whose outcome is unknown
 * @param repeated answers that can only be explained by an operation that ran more often than it was issued
 * @param missing answers that can only be explained by an operation that was answered and did not stay
 */
public record LoadProgress(long ok, long failed, long repeated, long missing) {
    static final LoadProgress NONE = new LoadProgress(0, 0, 0, 0);

    LoadProgress plus(LoadProgress other) {
        return new LoadProgress(
                ok + other.ok, failed + other.failed, repeated + other.repeated, missing + other.missing);
    }
}
