package org.amo.core.replica;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.amo.sim.Plant;
import org.amo.sim.Planted;
import org.amo.sim.SimViolationException;

/**
 * Members of several builds in the simulation, which are exchanged one after the other and now and then go back: the feature level of the
 * group, and planted bugs of its rules (docs/decisions/0149-feature-level.md). A member writes entries of the highest level that its group
 * allows. Drawn apart from the world, so that other runs stay as they are.
 */
final class FtsLevels {
    static final FtsLevels NONE = new FtsLevels(0, false, Mutant.NONE);

    private static final double RUNS = 0.25;

    /** From the oldest to the newest. */
    private static final List<FeatureLevels> BUILDS =
            List.of(new FeatureLevels(1, 1), new FeatureLevels(1, 2), new FeatureLevels(1, 3));

    private static final int NEWEST = BUILDS.size() - 1;
    private static final double GOES_BACK = 0.2;
    private static final long MOST_PAUSE_MICROS = 1_500_000;
    private static final double ORDERED_AGAIN = 0.6;
    private static final long LATEST_MICROS = 6_000_000;

    /** A leader goes by words of the last 5 s, which may have been long on their way, or have waited while it stood still. */
    private static final long OLD_WORDS_MICROS = 15_000_000;

    private final SplittableRandom random;
    private final boolean on;
    private final Mutant mutant;

    /** Of each member, where it is not the oldest one. */
    private final Map<Integer, Integer> builds = new HashMap<>();

    /** Of the latest process of a member. */
    private final Map<Integer, FeatureLevels> latest = new HashMap<>();

    /** When a member came back with a build for lower levels, and the highest one of before. */
    private final Map<Integer, Map<Integer, Long>> leftAtMicros = new HashMap<>();

    /** Behind positions of this life of the group. */
    private final TreeMap<Long, Integer> levels = new TreeMap<>();

    private int levelsOfLife;

    /** Planted violations of the rules for feature levels. */
    enum Mutant implements Planted {
        NONE("", ""),
        RAISED_BY_MAJORITY("raised-by-majority", "a group is raised to a level as soon as a majority speaks it"),
        UNSPOKEN_LEVEL("unspoken-level", "a member goes on at a level that its build does not speak"),
        SNAPSHOT_WITHOUT_LEVEL("snapshot-without-level", "a snapshot does not carry the level of the group"),
        LEVEL_LOWERED("level-lowered", "a raise to a lower level that comes late lowers the group's");

        private final Plant bug;

        Mutant(String plant, String description) {
            bug = new Plant("fts", plant, description);
        }

        @Override
        public Plant bug() {
            return bug;
        }
    }

    private FtsLevels(long seed, boolean on, Mutant mutant) {
        this.random = new SplittableRandom(seed ^ 0x6C65_7665_6C73L);
        this.on = on;
        this.mutant = mutant;
    }

    /** @param without whether the run has one build but with a mutant of levels */
    static FtsLevels of(long seed, Mutant mutant, boolean without) {
        boolean chosen = new SplittableRandom(seed ^ 0x6C65_7665_6CL).nextDouble() < RUNS;
        return new FtsLevels(seed, mutant != Mutant.NONE || (chosen && !without), mutant);
    }

    boolean isOn() {
        return on;
    }

    boolean isBroken() {
        return mutant != Mutant.NONE;
    }

    /** Settings that members tell each other, with the level that they speak. */
    Map<String, String> settings() {
        return on ? Map.of("--style (amo.style)", "active") : Map.of();
    }

    /** Of the build that a member's next process has. */
    FeatureLevels spokenBy(int member) {
        return on ? BUILDS.get(build(member)) : FeatureLevels.OF_BUILD;
    }

    private int build(int member) {
        return builds.getOrDefault(member, 0);
    }

    GroupLevel level(FeatureLevels spoken, ReplicaEffects effects) {
        if (!on) {
            return new GroupLevel(spoken, effects);
        }
        return new GroupLevel(spoken, effects) {
            @Override
            int needed() {
                return now();
            }

            @Override
            boolean speaks(int of) {
                return super.speaks(of) || mutant == Mutant.UNSPOKEN_LEVEL;
            }

            @Override
            int raised(int to) {
                return mutant == Mutant.LEVEL_LOWERED && to > 0 ? to : super.raised(to);
            }

            @Override
            int inSnapshot() {
                return mutant == Mutant.SNAPSHOT_WITHOUT_LEVEL ? FeatureLevels.FIRST : super.inSnapshot();
            }

            @Override
            OptionalInt common(List<OptionalInt> told) {
                return mutant == Mutant.RAISED_BY_MAJORITY ? ofMajority(told) : super.common(told);
            }
        };
    }

    private static OptionalInt ofMajority(List<OptionalInt> told) {
        return told.stream()
                .mapToInt(each -> each.orElse(0))
                .sorted()
                .skip((told.size() - 1) / 2)
                .filter(level -> level > 0)
                .findFirst();
    }

    // ------------------------------------------------- exchanges

    /** Exchanges the builds of the members, one after the other. */
    void start(FtsGroup group) {
        if (on) {
            next(group, 1);
        }
    }

    private void next(FtsGroup group, int target) {
        group.world().after(random.nextLong(1, MOST_PAUSE_MICROS), () -> {
            if (group.isCalm()) {
                return;
            }
            List<Integer> behind = new ArrayList<>();
            List<Integer> there = new ArrayList<>();
            for (int i = 0; i < group.size(); i++) {
                (build(i) < target ? behind : there).add(i);
            }
            boolean back = !there.isEmpty() && random.nextDouble() < GOES_BACK;
            List<Integer> from = back ? there : behind;
            if (!from.isEmpty()) {
                exchange(group, from.get(random.nextInt(from.size())), back ? target - 1 : target);
            }
            next(group, behind.isEmpty() && !back ? Math.min(NEWEST, target + 1) : target);
        });
    }

    private void exchange(FtsGroup group, int member, int build) {
        FtsNode node = group.node(member);
        group.world().fault(build < build(member) ? "downgrade" : "upgrade");
        group.world().trace(() -> "levels: " + node.process().name() + " gets a build for " + BUILDS.get(build));
        boolean runs = node.process().isUp();
        if (runs) {
            node.crash();
        }
        builds.put(member, build);
        if (runs) {
            group.world().after(random.nextLong(50_000, 500_000), () -> {
                if (group.raft().isMember(member) && !node.process().isUp()) {
                    node.restart();
                }
            });
        }
    }

    /** An operator gives the member the build that its line asks for, for its next start. */
    void onNotSpoken(FtsGroup group, int member, int level) {
        group.world().fault("levelNotSpoken");
        builds.put(member, Math.max(build(member), level - 1));
    }

    /** The upgrade is completed. Members that are down get the newest build, too. */
    void heal(FtsGroup group) {
        for (int i = 0; on && i < group.size(); i++) {
            if (build(i) < NEWEST && group.node(i).process().isUp()) {
                group.node(i).crash();
            }
            builds.put(i, NEWEST);
        }
    }

    // ------------------------------------------------- the order of a raise

    /** A member submits an entry. */
    void submitted(FtsGroup group, FtsNode from, List<String> members, OrderedEntry entry, Runnable again) {
        if (entry.raise() == 0) {
            return;
        }
        group.world().fault("levelRaise");
        for (int i = 0; i < group.size(); i++) {
            if (members.contains(group.node(i).process().name()) && !hasSpoken(group, i, entry.raise())) {
                throw new SimViolationException(
                        FtsLedger.UNSPOKEN,
                        from.process().name() + " raises the group to level " + entry.raise() + ", and "
                                + group.node(i).process().name() + " does not speak it");
            }
        }
        if (random.nextDouble() < ORDERED_AGAIN) {
            from.process().after(random.nextLong(1, LATEST_MICROS), again);
        }
    }

    /** A process of this member begins, and speaks these levels. */
    void begins(FtsGroup group, int member, FeatureLevels spoken) {
        FeatureLevels before = latest.getOrDefault(member, spoken);
        latest.put(member, spoken);
        for (int level = spoken.highest() + 1; level <= before.highest(); level++) {
            leftAtMicros
                    .computeIfAbsent(member, first -> new HashMap<>())
                    .put(level, group.world().nowMicros());
        }
    }

    private boolean hasSpoken(FtsGroup group, int member, int level) {
        if (latest.getOrDefault(member, BUILDS.get(0)).speaks(level)) {
            return true;
        }
        long left = leftAtMicros.getOrDefault(member, Map.of()).getOrDefault(level, Long.MIN_VALUE / 2);
        return group.world().nowMicros() - left < OLD_WORDS_MICROS;
    }

    // ------------------------------------------------- checks

    /** A member has applied the order up to a position, and its group has that level there. */
    void check(FtsGroup group, FtsNode node, FeatureLevels spoken, long position, int level) {
        if (!on) {
            return;
        }
        if (levelsOfLife != group.life()) {
            levels.clear();
            levelsOfLife = group.life();
        }
        if (level > spoken.highest()) {
            throw new SimViolationException(
                    FtsLedger.UNSPOKEN,
                    node.process().name() + " goes on behind position " + position + " at level " + level
                            + ", and its build speaks up to " + spoken.highest());
        }
        Integer known = levels.putIfAbsent(position, level);
        Map.Entry<Long, Integer> before = levels.lowerEntry(position);
        Map.Entry<Long, Integer> behind = levels.higherEntry(position);
        if ((known != null && known != level)
                || (before != null && before.getValue() > level)
                || (behind != null && behind.getValue() < level)) {
            throw new SimViolationException(
                    FtsLedger.UNEQUAL_LEVELS,
                    node.process().name() + " is at level " + level + " behind position " + position + "; known: "
                            + before + ", " + known + ", " + behind);
        }
    }

    /** At the end all members have run the newest build for a while. */
    void checkEnd(FtsGroup group) {
        int newest = BUILDS.get(NEWEST).highest();
        for (FtsNode node : group.members()) {
            if (on && node.status().featureLevel() != newest) {
                throw new SimViolationException(
                        FtsLedger.UNEQUAL_LEVELS,
                        node.process().name() + " is at level " + node.status().featureLevel()
                                + " at the end, and all members speak " + newest);
            }
        }
    }
}
