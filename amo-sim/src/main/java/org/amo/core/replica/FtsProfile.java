package org.amo.core.replica;

import org.amo.sim.Faults;

/**
 * The numbers of a fault profile for {@code fts}.
 *
 * @param network between clients and replicas
 * @param disruptionEveryMillis mean time between crashes, pauses, partitions, clock steps and the like; 0 for never
 * @param volatileRestarts probability that a run loses all replicas' state at once, and again that it does so twice
 * @param tightBudgets probability that a run has budgets of a few entries
 * @param badClocks probability that a process starts with a wall clock out of bounds
 * @param otherFingerprints probability that somebody sends another request under a call's id
 * @param slowExecutions probability that an execution takes long
 * @param logMessageLost between members
 * @param logMessageSlow between members
 * @param submissionLost silently
 * @param submissionSlow long enough to be submitted again
 * @param fsyncSlow disks that take their time
 * @param deliverySlow members that learn of a commit late
 * @param joins probability that another process becomes a member, and then perhaps one of the members leaves
 * @param logCut probability that a member forgets the entries that its new snapshot stands for
 */
record FtsProfile(
        Network network,
        long disruptionEveryMillis,
        double volatileRestarts,
        double tightBudgets,
        double badClocks,
        double otherFingerprints,
        double slowExecutions,
        double logMessageLost,
        double logMessageSlow,
        double submissionLost,
        double submissionSlow,
        double fsyncSlow,
        double deliverySlow,
        double joins,
        double logCut) {

    /**
     * @param requestLost with its connection, before it arrives
     * @param replyLost with its connection
     * @param held on its way, up to 2.5 ρ
     * @param slow up to 600 ms
     * @param broken connection seen to break while the request goes on its way
     * @param repeated arrives again, where the way may do that
     */
    record Network(double requestLost, double replyLost, double held, double slow, double broken, double repeated) {}

    static final Network CALM = new Network(0, 0, 0, 0, 0, 0);

    static final Network LOSSY = new Network(0.45, 0.10, 0.05, 0.10, 0.05, 0.15);

    static FtsProfile of(Faults faults) {
        return switch (faults) {
            case NONE -> new FtsProfile(CALM, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
            case DEFAULT ->
                new FtsProfile(
                        new Network(0.03, 0.05, 0.04, 0.05, 0.03, 0.08),
                        2_000,
                        0.4,
                        0.6,
                        0.3,
                        0.02,
                        0.02,
                        0.01,
                        0.02,
                        0.01,
                        0.04,
                        0.005,
                        0.01,
                        0.4,
                        0.5);
            case HARSH ->
                new FtsProfile(
                        new Network(0.10, 0.12, 0.12, 0.15, 0.10, 0.20),
                        800,
                        0.7,
                        0.6,
                        0.5,
                        0.05,
                        0.05,
                        0.05,
                        0.08,
                        0.04,
                        0.06,
                        0.02,
                        0.03,
                        0.6,
                        0.8);
        };
    }
}
