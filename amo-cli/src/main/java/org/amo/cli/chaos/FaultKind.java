package org.amo.cli.chaos;

/** What a run does to its replicas. */
enum FaultKind {
    /** kill -9, and a restart after a while. */
    KILL("kill"),
    /** kill -9 of all of them within a moment. */
    KILL_ALL("killAll"),
    /** The replica that serves the clients ends between the order of a request and its reply. */
    KILL_BEFORE_REPLY("killBeforeReply"),
    /** SIGSTOP for 1 to 30 seconds: a process that neither answers nor breaks its connections. */
    STOP("stop"),
    /** Nothing goes between one replica and the others. Clients may still reach it, or not. */
    PARTITION("partition"),
    /** What one replica sends does not arrive at the others; what they send to it does. */
    ONE_WAY("oneWayPartition"),
    /** 1 to 10 % of the packets that a replica sends are lost. */
    LOSS("packetLoss"),
    /** A replica's wall clock steps by an hour. */
    CLOCK("clockStep"),
    /** A replica's disk has no room left. */
    DISK_FULL("diskFull"),
    /** A replica with nothing is started and becomes a member. */
    JOIN("join"),
    /** A member, not the newest in particular, is removed and ends for good. */
    LEAVE("leave");

    private final String word;

    FaultKind(String word) {
        this.word = word;
    }

    /** In the result's JSON. */
    String word() {
        return word;
    }
}
