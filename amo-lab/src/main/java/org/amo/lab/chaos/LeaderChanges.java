package org.amo.lab.chaos;

/** Counts how often another member leads, as the members report it. One thread owns it. */
final class LeaderChanges {
    private String leader = "";
    private long count;

    /** @param reported the leader by a member's own status; empty while it knows none */
    void see(String reported) {
        if (reported.isEmpty() || reported.equals(leader)) {
            return;
        }
        count += leader.isEmpty() ? 0 : 1;
        leader = reported;
    }

    /** Changes so far. The first leader is none; leaders between two looks are not seen. */
    long count() {
        return count;
    }
}
