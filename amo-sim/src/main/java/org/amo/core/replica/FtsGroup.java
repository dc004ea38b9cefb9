package org.amo.core.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.amo.core.client.Step;
import org.amo.core.request.RequestId;
import org.amo.core.rules.SafetyRule;
import org.amo.sim.SimProcess;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;
import org.amo.sim.rules.RuleSet;

/**
 * One run's world: replicas over an ordered log, clients, and their shared state. A run has three parts: active,
 * with faults; calm, when everything is healed and clients go on; quiet, when no client calls and all must be forgotten.
 */
final class FtsGroup {
    private static final int REPLY_ALLOWANCE = 64;
    private static final int CHARGE = REPLY_ALLOWANCE + 8;
    private static final long SKEW_MILLIS = 100;

    private final SimWorld world;
    private final RuleSet<SafetyRule> rules;
    private final FtsProfile profile;
    private final FtsGreed greed;
    private final FtsPoison poison;
    private final FtsDivergence divergence;
    private final FtsNested nested;
    private final FtsPassive passive;
    private final FtsParallel parallel;
    private final FtsTimers timers;
    private final FtsLedger ledger = new FtsLedger();
    private final FtsNetwork network;
    private final SimRaft raft;
    private final SimRaft.Conditions conditions = new SimRaft.Conditions();
    private final List<String> names = new ArrayList<>();
    private final List<FtsNode> nodes = new ArrayList<>();
    private final List<FtsClient> clients = new ArrayList<>();
    private final List<FtsForeignClient> foreign = new ArrayList<>();
    private final FtsMutant mutant;
    private final Map<String, Map<String, Long>> outcomes = new TreeMap<>();
    private final boolean tight;
    private final boolean starved;
    private final boolean plain;
    private final int foreignClients;

    private long retentionMillis;
    private long lifeMillis;
    private int threads;
    private int life;
    private int spare = -1;

    /** The members behind a position. */
    private final TreeMap<Long, List<String>> membersFrom = new TreeMap<>();

    private long calls;
    private int mostUnfinished;
    private FtsDraws draws = FtsDraws.NONE;
    private final FtsReads reads;
    private final FtsLevels levels;
    private FtsDatagrams datagrams = FtsDatagrams.NONE;
    private FtsIdentities identities = FtsIdentities.NONE;
    private boolean calm;
    private boolean quiet;
    private long lossyUntilMillis;
    private long strictFromMillis = Long.MAX_VALUE;

    /** @param grows whether one more may join */
    FtsGroup(
            SimWorld world,
            RuleSet<SafetyRule> rules,
            FtsMutant mutant,
            FtsProfile profile,
            FtsGreed greed,
            FtsPoison poison,
            FtsDivergence divergence,
            FtsNested nested,
            FtsPassive passive,
            FtsParallel parallel,
            FtsTimers timers,
            FtsReads reads,
            FtsLevels levels,
            int replicas,
            boolean grows) {
        this.world = world;
        this.rules = rules;
        this.mutant = mutant;
        this.profile = profile;
        this.greed = greed;
        this.poison = poison;
        this.divergence = divergence;
        this.nested = nested;
        this.passive = passive;
        this.parallel = parallel;
        this.timers = timers;
        this.reads = reads;
        this.levels = levels;
        ledger.onAnswered((inLife, call, position) -> reads.answered(this, inLife, call, position));
        this.network = new FtsNetwork(this);
        this.raft = new SimRaft(world, conditions);
        this.tight = world.chance(profile.tightBudgets()) && !greed.isOn();
        this.starved = tight && world.chance(0.6);
        this.plain = world.chance(0.4);
        this.foreignClients = (int) world.between(0, 2);
        raft.useReads(reads);
        raft.snapshotsFrom(new SimRaft.SnapshotSource() {
            @Override
            public void bringOn(int member, int leader) {
                node(member).jumpTo(node(leader));
            }

            @Override
            public void lost(int member) {
                node(member).forgetSnapshot();
            }

            @Override
            public void flipped(int member, int bit) {
                node(member).flipSnapshot(bit);
            }
        });
        conditions.deliverEarly = !rules.holds(SafetyRule.MAJORITY_BEFORE_DELIVERY);
        conditions.messageLost = profile.logMessageLost();
        conditions.messageSlow = profile.logMessageSlow();
        conditions.submissionLost = profile.submissionLost();
        conditions.submissionSlow = profile.submissionSlow();
        passive.spoil(conditions);
        conditions.fsyncSlow = profile.fsyncSlow();
        conditions.deliverySlow = profile.deliverySlow();
        addNodes(replicas, grows);
        addClients();
    }

    /** The seeds of entries, if servants draw. */
    void useDraws(FtsDraws seeds) {
        draws = seeds;
    }

    /** The largest time of a member. */
    long timeMillis() {
        return members().stream()
                .mapToLong(node -> node.status().orderedTimeMillis())
                .max()
                .orElse(0);
    }

    /** The ways of the clients' attempts, from before they begin. */
    void useDatagrams(FtsDatagrams ways) {
        datagrams = ways;
    }

    /** Whether Java clients have identities, from before they begin. */
    void useIdentities(FtsIdentities used) {
        identities = used;
    }

    FtsIdentities identities() {
        return identities;
    }

    FtsDatagrams datagrams() {
        return datagrams;
    }

    FtsReads reads() {
        return reads;
    }

    FtsLevels levels() {
        return levels;
    }

    FtsDraws draws() {
        return draws;
    }

    /** The disks under the members' logs. A member that must not go on ends, and is started again soon. */
    void useDisks(SimDisks disks) {
        raft.disks(disks, member -> {
            FtsNode node = node(member);
            node.crash();
            world.after(disks.between(50_000, 1_000_000), () -> {
                if (raft.isMember(member) && !node.process().isUp()) {
                    node.restart();
                }
            });
        });
    }

    SimWorld world() {
        return world;
    }

    RuleSet<SafetyRule> rules() {
        return rules;
    }

    FtsLedger ledger() {
        return ledger;
    }

    FtsPoison poison() {
        return poison;
    }

    FtsDivergence divergence() {
        return divergence;
    }

    FtsNested nested() {
        return nested;
    }

    FtsPassive passive() {
        return passive;
    }

    FtsParallel parallel() {
        return parallel;
    }

    FtsTimers timers() {
        return timers;
    }

    FtsNetwork network() {
        return network;
    }

    FtsGreed greed() {
        return greed;
    }

    SimRaft raft() {
        return raft;
    }

    FtsNode node(int index) {
        return nodes.get(index);
    }

    /** Members, and one that may be or have been one. */
    int size() {
        return names.size();
    }

    List<String> memberNames() {
        List<String> members = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            if (i < nodes.size() ? raft.isMember(i) : i != spare) {
                members.add(names.get(i));
            }
        }
        return members;
    }

    List<FtsNode> members() {
        return nodes.stream().filter(node -> raft.isMember(node.index())).toList();
    }

    /** The one that is no member at the beginning; -1 if there is none. */
    int spare() {
        return spare;
    }

    /** A process with nothing becomes a member. */
    boolean join(int index) {
        if (!raft.change(index, true)) {
            return false;
        }
        membersChanged();
        nodes.get(index).restart();
        return true;
    }

    /** A member ends for good. */
    boolean leave(int index) {
        if (!raft.change(index, false)) {
            return false;
        }
        nodes.get(index).crash();
        membersChanged();
        return true;
    }

    /** Each member learns of the change at that position of the order. */
    private void membersChanged() {
        membersFrom.put((long) raft.committed(), memberNames());
        nodes.stream().filter(node -> node.process().isUp()).forEach(FtsNode::hearOfMembers);
    }

    /** Behind that position of the order. */
    List<String> membersAt(long position) {
        return membersFrom.floorEntry(position).getValue();
    }

    List<FtsClient> clients() {
        return clients;
    }

    /** The longest ρ that the group may have. */
    long retentionMillis() {
        return retentionMillis;
    }

    long lifeMillis() {
        return lifeMillis;
    }

    long skewMillis() {
        return SKEW_MILLIS;
    }

    FtsProfile profile() {
        return profile;
    }

    /** Which life of the group this is; a new one begins when all state was lost. */
    int life() {
        return life;
    }

    void nextLife() {
        life++;
        membersFrom.clear();
        membersFrom.put(0L, memberNames());
    }

    long newCall() {
        calls++;
        if (!calm) {
            poison.made(calls);
            divergence.made(calls);
            nested.made(calls);
            timers.made(calls);
        }
        return calls;
    }

    long calls() {
        return calls;
    }

    /** Counts an outcome, by the delivery that its client could rely on. */
    void callEnded(Step.Kind how, boolean repeats) {
        outcomes.computeIfAbsent(repeats ? "mayRepeat" : "atMostOnce", delivery -> new TreeMap<>())
                .merge(how.name(), 1L, Long::sum);
    }

    Map<String, Map<String, Long>> outcomes() {
        return outcomes;
    }

    FtsMutant mutant() {
        return mutant;
    }

    boolean isCalm() {
        return calm;
    }

    /** Calm, and everything that the active part left has run out. */
    boolean isStrict() {
        return world.nowMillis() >= strictFromMillis;
    }

    boolean isQuiet() {
        return quiet;
    }

    FtsProfile.Network networkFaults() {
        if (calm) {
            return FtsProfile.CALM;
        }
        return world.nowMillis() < lossyUntilMillis ? FtsProfile.LOSSY : profile.network();
    }

    double otherFingerprints() {
        return calm ? 0 : profile.otherFingerprints();
    }

    /** From now on nothing goes wrong; calls that begin after {@code strictFrom} must succeed. */
    void becomeCalm(long strictFrom) {
        calm = true;
        strictFromMillis = strictFrom;
        conditions.messageLost = 0;
        conditions.messageSlow = 0;
        conditions.submissionLost = 0;
        conditions.submissionSlow = 0;
        conditions.fsyncSlow = 0;
        conditions.deliverySlow = 0;
        raft.healDisks();
        poison.heal();
        divergence.heal();
        timers.heal();
    }

    /** For a while connections to all replicas break often. */
    void becomeLossy(long millis) {
        lossyUntilMillis = world.nowMillis() + millis;
    }

    void becomeQuiet() {
        quiet = true;
    }

    boolean mustSucceed(long startedMillis) {
        return !starved && startedMillis >= strictFromMillis;
    }

    /** A foreign client goes by its own wall clock, so the group's time must be near the true one. */
    boolean mustSucceedForeign(long startedMillis) {
        long now = SimProcess.EPOCH_MILLIS + world.nowMillis();
        return mustSucceed(startedMillis)
                && members().stream().allMatch(node -> node.status().orderedTimeMillis() < now + SKEW_MILLIS);
    }

    /** Clients wait long for an attempt; if there is no room, impatient ones would only ever hear UNKNOWN. */
    boolean isPatient() {
        return starved;
    }

    long callTimeoutMillis(boolean oneway) {
        if (calm) {
            return world.between(1_000, 1_500);
        }
        int kind = world.index(100);
        if (oneway || kind < 15) {
            return world.between(10, 100);
        }
        return kind < (starved ? 40 : 70)
                ? world.between(200, 1_000)
                : world.between(retentionMillis / 2, lifeMillis + retentionMillis / 4);
    }

    long foreignTimeoutMillis() {
        return calm ? 900 : world.chance(0.7) ? world.between(300, 1_200) : world.between(1_000, lifeMillis * 9 / 10);
    }

    long executionMicros() {
        if (!calm && world.happens("slowExecution", profile.slowExecutions())) {
            return world.chance(0.1) ? world.between(500_000, 1_500_000) : world.between(10_000, 300_000);
        }
        return world.between(0, 2_000);
    }

    void unfinished(int numbers) {
        mostUnfinished = Math.max(mostUnfinished, numbers);
    }

    /** The number of ranges is bounded by the calls in flight, after any faults. */
    void checkRanges(FtsNode node) {
        if (greed.isOn() && !greed.isWithinBudget(node.status().entries())) {
            throw new SimViolationException(
                    FtsLedger.STARVED,
                    node.process().name() + " has " + node.status().entries() + " live entries, beyond its budgets");
        }
        if (node.maxRanges() > mostUnfinished + 1) {
            throw new SimViolationException(
                    FtsLedger.GROWS,
                    node.process().name() + " keeps " + node.maxRanges() + " ranges of a client; at most "
                            + mostUnfinished + " of its numbers were ever unfinished");
        }
    }

    void sendToPeer(FtsNode from, String to, byte[] message) {
        int target = names.indexOf(to);
        if (!raft.isLinked(from.index(), target) || world.chance(conditions.messageLost)) {
            return;
        }
        long latency = world.chance(conditions.messageSlow) ? world.between(5_000, 500_000) : world.between(50, 1_500);
        FtsNode node = nodes.get(target);
        node.process().after(latency, () -> node.onMessage(from.process().name(), message));
    }

    void start() {
        clients.forEach(FtsClient::start);
        foreign.forEach(FtsForeignClient::start);
        if (greed.isOn()) {
            world.fault("greedyClient");
            new FtsGreedyClient(this, process("g0", false)).start();
        }
        if (plain) {
            new FtsPlainClient(this, process("p0", false)).start();
        }
    }

    /** Whether all members have come as far. Timers fire at any time. */
    boolean isEven() {
        FtsNode one = members().get(0);
        long position = one.status().position();
        return members().stream()
                .allMatch(node -> node.status().position() == position
                        && node.status().executedPosition() == position
                        && node.servant().chain() == one.servant().chain());
    }

    /** At the end, when all is healed and delivered. */
    void checkEnd() {
        levels.checkEnd(this);
        FtsNode one = members().get(0);
        ReplicaStatus first = one.status();
        for (FtsNode node : members()) {
            ReplicaStatus status = node.status();
            String name = node.process().name();
            if (status.position() != first.position()
                    || status.executedPosition() != status.position()
                    || node.servant().chain() != one.servant().chain()) {
                throw new SimViolationException(
                        FtsLedger.DIVERGED,
                        name + " is at position " + status.position() + ", executed " + status.executedPosition() + "; "
                                + first.id() + " at " + first.position() + ", states equal: "
                                + (node.servant().chain() == one.servant().chain()));
            }
            if (node.servant().isTainted()) {
                throw new SimViolationException(FtsLedger.DIVERGED, name + " still has the state of a diverged member");
            }
            ledger.allThere(life, name, node.servant());
            if (status.clients() != 0 || status.entries() != 0 || status.bytes() != 0) {
                throw new SimViolationException(
                        FtsLedger.STAYS,
                        name + " still has " + status.clients() + " clients, " + status.entries() + " entries, "
                                + status.bytes() + " bytes of replies, time "
                                + show(status.orderedTimeMillis()));
            }
            if (node.unanswered() != 0) {
                throw new SimViolationException(
                        FtsLedger.UNANSWERED, node.oldestUnanswered() + " still waits at " + name);
            }
        }
        for (FtsClient client : clients) {
            if (client.finishedRanges() > 1) {
                throw new SimViolationException(
                        FtsLedger.GROWS, client.process().name() + " carries " + client.finishedRanges() + " ranges");
            }
            client.checkRecovered();
        }
    }

    static String show(RequestId id) {
        return Long.toHexString(id.client().high() >>> 48) + "-" + id.number();
    }

    /** Times relative to the beginning of the run. */
    static String show(long millis) {
        return millis < SimProcess.EPOCH_MILLIS / 2 ? "none" : Long.toString(millis - SimProcess.EPOCH_MILLIS);
    }

    SimProcess process(String name, boolean member) {
        double rate = 1 + (world.between(-400, 400) / 1_000_000.0);
        SimProcess process = new SimProcess(world, name, rate);
        process.setWallOffset(world.between(-25, 25));
        if (!member && world.happens("clientClockWrong", profile.badClocks())) {
            process.setWallOffset(wrongOffset());
        }
        return process;
    }

    /** Beyond the skew, up to an hour. */
    long wrongOffset() {
        long size = world.chance(0.3) ? 3_600_000 : world.between(2 * SKEW_MILLIS, 6_000);
        return world.chance(0.5) ? size : -size;
    }

    private void addNodes(int replicas, boolean grows) {
        threads = (int) world.between(1, 3);
        retentionMillis = world.between(2_000, 4_000);
        long[] lives = {2 * retentionMillis, 2 * retentionMillis, retentionMillis, retentionMillis * 6 / 10};
        lifeMillis = lives[world.index(lives.length)];
        int processes = replicas;
        if (grows) {
            spare = processes++;
        }
        int clientBudget = 4;
        GroupParameters.Builder parameters = GroupParameters.builder()
                .skewMillis(SKEW_MILLIS)
                .defaultDeadlineMillis(900)
                .replyAllowanceBytes(REPLY_ALLOWANCE);
        if (tight) {
            world.fault("tightBudgets");
            // Just enough for the live clients; entries of crashed ones take up room for a while.
            int needed = 3 + foreignClients + (plain ? processes : 0);
            parameters
                    .budgetBytes((starved ? world.between(1, 2) : 6 * threads + (plain ? 8 : 2)) * CHARGE)
                    .foreignBudgetBytes(world.between(10, 14) * CHARGE)
                    .maxClients((int) world.between(needed, needed + 1))
                    // The totals are on trial here; shares are where a greedy principal is.
                    .clientShare(GroupParameters.MOST_SHARE)
                    .principalShare(GroupParameters.MOST_SHARE)
                    .maxEntriesPerClient(threads)
                    .maxRangesPerClient((int) world.between(threads + 3, 10));
            clientBudget = 3;
        }
        greed.limit(parameters, CHARGE);
        int different = profile.badClocks() > 0 && world.chance(0.5) ? world.index(replicas) : -1;
        for (int i = 0; i < processes; i++) {
            names.add("r" + i);
        }
        membersFrom.put(0L, memberNames());
        long shorter = retentionMillis - (different >= 0 ? world.between(0, 200) : 0);
        for (int i = 0; i < processes; i++) {
            SimProcess process = process("r" + i, true);
            GroupParameters proposed = parameters
                    .retentionMillis(i == different ? shorter : retentionMillis)
                    .lifeMillis(lifeMillis)
                    .build();
            if (i == different) {
                world.fault("otherParameters");
                GroupParameters.Builder other = GroupParameters.builder()
                        .skewMillis(SKEW_MILLIS)
                        .defaultDeadlineMillis(900)
                        .replyAllowanceBytes(REPLY_ALLOWANCE)
                        .retentionMillis(shorter)
                        .lifeMillis(lifeMillis);
                greed.limit(other, CHARGE);
                if (tight) {
                    other.maxEntriesPerClient(threads + 2);
                }
                proposed = other.build();
            }
            FtsNode node = new FtsNode(this, i, process, proposed);
            nodes.add(node);
            raft.add(process, node, i != spare);
            if (i == spare) {
                node.crash();
            }
        }
        for (int i = 0; i < clientBudget; i++) {
            SimProcess process = process("c" + i, false);
            boolean repeats = world.chance(0.5);
            clients.add(
                    world.chance(0.5)
                            ? new FtsGroupClient(this, process, threads, repeats)
                            : new FtsOrbClient(this, process, threads, repeats));
        }
    }

    private void addClients() {
        for (int i = 0; i < foreignClients; i++) {
            foreign.add(new FtsForeignClient(this, process("f" + i, false)));
        }
    }

    List<FtsForeignClient> foreign() {
        return foreign;
    }
}
