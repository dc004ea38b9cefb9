package org.amo.benchmarks.order;

/** The stacks that are measured. */
enum OrderStack {
    /** Reliable multicast without total order: the floor. */
    NAKACK("nakack"),
    /** JGroups' SEQUENCER, bare. */
    SEQUENCER("sequencer"),
    /** jgroups-raft as it comes. */
    JGROUPS_RAFT("jgroups-raft unmodified, memory"),
    /** The ordered log over jgroups-raft, one message an entry. */
    RAFT_MEMORY("raft memory"),
    RAFT_FILE("raft file"),
    RAFT_FSYNC("raft fsync"),
    /** A whole replica on top of it. */
    AMO_RAFT_MEMORY("amo over raft memory"),
    AMO_RAFT_FILE("amo over raft file"),
    AMO_RAFT_FSYNC("amo over raft fsync"),
    AMO_SEQUENCER("amo over sequencer"),
    /** Apache Ratis with its retry cache. */
    RATIS("ratis memory");

    private final String title;

    OrderStack(String title) {
        this.title = title;
    }

    /** Whether a request that it refuses completes as others do: it is executed at most once, so its sender must not repeat it. */
    boolean completesRefused() {
        return this == RATIS || name().startsWith("AMO_");
    }

    String title() {
        return title;
    }
}
