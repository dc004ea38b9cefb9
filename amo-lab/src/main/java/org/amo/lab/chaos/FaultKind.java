package org.amo.lab.chaos;

import java.util.Set;

/** Faults that a run makes in its replicas. */
enum FaultKind {
    /** kill -9, and a restart after a while. */
    KILL("kill"),
    /** kill -9 of all of them within a moment. */
    KILL_ALL("killAll"),
    /** kill -9 of a member of a group that operations of the replicas call. */
    KILL_BEHIND("killBehind"),
    /** The replica that serves the clients ends between the order of a request and its reply. */
    KILL_BEFORE_REPLY("killBeforeReply"),
    /** SIGSTOP for 1 to 30 seconds: a process that neither answers nor breaks its connections. */
    STOP("stop"),
    /** Nothing goes between one replica and the others. Clients may still reach it, or not. */
    PARTITION("partition"),
    /** Messages from one replica to the others are lost; messages from the others to it arrive. */
    ONE_WAY("oneWayPartition"),
    /** 1 to 10 % of the packets that a replica sends are lost. */
    LOSS("packetLoss"),
    /** A replica's wall clock steps by an hour. */
    CLOCK("clockStep"),
    /** A replica's disk has no room left. */
    DISK_FULL("diskFull", FaultFamily.DISK, true),
    /** One bit in a file of a killed replica flips: in its log, its term and vote, its snapshot or its promises. */
    BIT_FLIP("bitFlip", FaultFamily.DISK, false),
    /** One bit in the log of a running replica flips; it is killed afterwards. */
    BIT_FLIP_RUNNING("bitFlipRunning", FaultFamily.DISK, false),
    /** A part of a killed replica's last write is not on its disk. */
    TORN_WRITE("tornWrite", FaultFamily.DISK, false),
    /** A killed replica's last writes are not on its disk, though the disk had confirmed them. */
    LOST_WRITE("lostWrite", FaultFamily.DISK, false),
    /** A replica's disk fails to sync. */
    SYNC_FAILS("failedSync", FaultFamily.DISK, false),
    /** A request takes more memory than a replica has. */
    MEMORY("memory", FaultFamily.MEMORY, false),
    /** A replica with nothing is started and becomes a member. */
    JOIN("join"),
    /** A member, not the newest in particular, is removed and ends for good. */
    LEAVE("leave");

    private final String word;
    private final FaultFamily family;
    private final boolean byDefaultToo;

    FaultKind(String word) {
        this(word, FaultFamily.DEFAULT, true);
    }

    FaultKind(String word, FaultFamily family, boolean byDefaultToo) {
        this.word = word;
        this.family = family;
        this.byDefaultToo = byDefaultToo;
    }

    /** Whether it belongs to one of these. */
    boolean isOf(Set<FaultFamily> asked) {
        return asked.contains(family) || (byDefaultToo && asked.contains(FaultFamily.DEFAULT));
    }

    /** In the result's JSON. */
    String word() {
        return word;
    }
}
