package org.amo.core.replica;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.reply.RecordMemory;
import org.amo.sim.Faults;

/**
 * Requests that end the members that run them: which, and which members. Some end all, some a few, and some one member
 * while the others run them. Drawn apart from the world, so that runs without them stay unchanged.
 */
final class FtsPoison {
    private static final double RUNS = 0.25;
    private static final double CALLS = 0.01;
    private static final double CALLS_IN_REPLAYS = 0.02;
    private static final int MOST = 3;
    private static final int ALL = -1;
    private static final int NO_MEMBER = -1;

    private static final double POWER_LOSSES = 0.1;
    private static final double KILLS_OF_HOLDERS = 0.8;
    private static final double RELAPSES = 0.5;

    /** Of these members, one runs a request that ends all others, and one returns late. */
    private static final int SMALLEST_GROUP = 3;

    private static final int MAX_ID_BYTES = 64;

    private final SplittableRandom random;
    private final SplittableRandom power;
    private final boolean on;
    private final Mutant mutant;
    private final Kind kind;

    private final Map<Long, Integer> victims = new HashMap<>();

    /** By call: the member that is started again late after its first death. */
    private final Map<Long, Integer> late = new HashMap<>();

    private final Map<Run, Integer> deaths = new HashMap<>();
    private final Set<Run> endedBehind = new HashSet<>();
    private final Set<Promise> promises = new HashSet<>();

    /** By member: the latest request of which it said that it died, until a replay before that request has ended it. */
    private final Map<Integer, Place> relapses = new HashMap<>();

    /** Members that such a replay has ended, and that have not read their notes since. */
    private final Set<Integer> relapsed = new HashSet<>();

    private boolean mayHaveRun;
    private boolean healed;

    /** What such requests do. */
    private enum Kind {
        /** Half of them end all members, the others some, at each execution. */
        PLAIN,
        /**
         * Each spares one member. When that member has run the request, its machine loses power, or its process alone ends. From
         * then on the request ends this member, too.
         */
        SPARING,
        /**
         * Each ends all members twice; then they have the memory for it. One member returns late from its first death. A member
         * that has said that it died is killed now and then, and may die in its replay of an earlier request that it ran before.
         * A member that runs a request that ended others ends behind it. A new member has the memory from the start.
         */
        RELAPSING
    }

    private record Run(long call, int member) {}

    private record Promise(int member, Place place) {}

    /** Planted violations of the protocol. */
    enum Mutant implements FtsPlanted {
        NONE(Kind.PLAIN),
        /** Nothing, with the losses of power of {@link #BELIEVES_OLD_NOTES}: without the bug they break no rule. */
        NONE_WHEN_POWER_IS_CUT(Kind.SPARING),
        /** Nothing, with members that die of several requests, also in replays. */
        NONE_IN_REPLAYS(Kind.RELAPSING),
        /** The same, and members die in their replay before the order has the report on the request behind it. */
        NONE_IN_EARLY_REPLAYS(Kind.RELAPSING),
        @Bug(plant = "skip-by-one-member", is = "a request is skipped once one member has died of it")
        ONE_MEMBER_ALONE(Kind.PLAIN),
        @Bug(
                plant = "skip-of-executed",
                is = "a request is skipped once a majority has died of it, although another member has executed it")
        WITHOUT_THOSE_THAT_EXECUTED_IT(Kind.PLAIN),
        @Bug(
                plant = "blocked-do-not-count",
                is = "members that cannot reach a request do not count for the verdict on it")
        WITHOUT_THOSE_THAT_ARE_BLOCKED(Kind.PLAIN),
        @Bug(
                plant = "state-behind-not-taken",
                is = "a member that holds a request which others executed waits, and takes none of their states")
        TAKES_NO_STATE(Kind.PLAIN),
        @Bug(plant = "executions-forgotten", is = "a restarted member has forgotten its executions")
        FORGETS_WHAT_IT_RAN(Kind.PLAIN),
        @Bug(plant = "old-notes-believed", is = "a member trusts its notes after a loss of power")
        BELIEVES_OLD_NOTES(Kind.SPARING),
        @Bug(
                plant = "partial-run-kept",
                is = "a restarted member keeps the partial effects of the request that ended it")
        KEEPS_PARTIAL_RUN(Kind.PLAIN),
        @Bug(
                plant = "skip-of-what-may-have-run",
                is = "a request is skipped although a member that died of it may have executed it before")
        WITHOUT_THOSE_THAT_MAY_HAVE_RUN_IT(Kind.SPARING),
        @Bug(
                plant = "death-hides-execution",
                is = "a member that executed a request and died of it since reports the deaths alone")
        DEATH_HIDES_RUN(Kind.SPARING),
        @Bug(
                plant = "held-without-memory",
                is = "a member that cannot know what it executed promises not to begin a request")
        HOLDS_WITHOUT_MEMORY(Kind.SPARING),
        @Bug(
                plant = "held-for-ever",
                is = "a held request that must run, and behind which no member has a state, is not let go")
        NEVER_LETS_GO(Kind.SPARING),
        @Bug(
                plant = "promise-lost-by-death",
                is = "a death in another request takes the place of the promise not to begin the one before")
        PROMISE_LOST_BY_DEATH(Kind.RELAPSING),
        @Bug(
                plant = "promise-of-one-process",
                is = "a restarted member begins what the process before promised not to begin")
        PROMISE_OF_ONE_PROCESS(Kind.RELAPSING),
        @Bug(plant = "skip-forgotten", is = "a restarted member begins a request that the group has skipped")
        FORGETS_SKIPS(Kind.RELAPSING),
        @Bug(
                plant = "begun-skip-kept",
                is = "a member that has begun a request goes on with its state when the group skips the request")
        KEEPS_BEGUN(Kind.RELAPSING),
        @Bug(
                plant = "new-member-answers",
                is = "a new member answers from its executions before an entry of its own was delivered")
        NEW_MEMBER_ANSWERS(Kind.RELAPSING),
        @Bug(
                plant = "reports-lost-from-snapshot",
                is = "a snapshot holds neither the reports on requests that ended members nor the skipped requests")
        LOSES_REPORTS(Kind.RELAPSING);

        private final Kind kind;

        Mutant(Kind kind) {
            this.kind = kind;
        }
    }

    FtsPoison(long seed, Faults faults, Mutant mutant) {
        this.random = new SplittableRandom(seed ^ 0x706F_6973_6F6EL);
        this.power = new SplittableRandom(seed ^ 0x706F_7765_72L);
        double chance = mutant == Mutant.NONE ? RUNS : 1;
        this.on = faults != Faults.NONE && random.nextDouble() < chance;
        this.mutant = mutant;
        this.kind = mutant.kind;
    }

    boolean isOn() {
        return on;
    }

    SkipRule rule() {
        return switch (mutant) {
            case ONE_MEMBER_ALONE -> (members, words) -> true;
            case WITHOUT_THOSE_THAT_EXECUTED_IT ->
                (members, words) -> SkipRule.isMajority(members, words, EnumSet.of(Word.DIED));
            case WITHOUT_THOSE_THAT_ARE_BLOCKED ->
                (members, words) -> SkipRule.UNANIMOUS.skips(members, words)
                        && SkipRule.isMajority(members, words, EnumSet.of(Word.DIED));
            case WITHOUT_THOSE_THAT_MAY_HAVE_RUN_IT ->
                (members, words) -> words.keySet().containsAll(members)
                        && !words.containsValue(Word.EXECUTED)
                        && SkipRule.isMajority(members, words, EnumSet.of(Word.DIED));
            default -> SkipRule.UNANIMOUS;
        };
    }

    boolean is(Mutant which) {
        return mutant == which;
    }

    /** A client makes a call. */
    void made(long call) {
        double chance = kind == Kind.RELAPSING ? CALLS_IN_REPLAYS : CALLS;
        if (!on || victims.size() >= MOST || random.nextDouble() >= chance) {
            return;
        }
        victims.put(call, newVictims());
        if (kind == Kind.RELAPSING) {
            late.put(call, random.nextInt(SMALLEST_GROUP));
        }
    }

    private int newVictims() {
        return switch (kind) {
            case PLAIN -> random.nextDouble() < 0.5 ? ALL : 1 + random.nextInt(0x3F);
            case SPARING -> ~(1 << random.nextInt(SMALLEST_GROUP));
            case RELAPSING -> ALL;
        };
    }

    /** Whether an ending process loses its unforced notes. */
    boolean powerFails() {
        return on && !healed && power.nextDouble() < POWER_LOSSES;
    }

    /**
     * Whether the process of a member that has run this call ends now. {@link Kind#SPARING}: with the memory that is left behind that,
     * the call ends this member, too, and all members have died of it, and one has answered it.
     *
     * @param joins whether it is the member that joins while the group runs
     */
    boolean endsBehind(long call, int member, boolean joins) {
        if (healed) {
            return false;
        }
        return switch (kind) {
            case PLAIN -> false;
            case SPARING -> victims.replace(call, ALL) != null;
            // Once, or no member could have it in its state.
            case RELAPSING -> !joins && victims.containsKey(call) && endedBehind.add(new Run(call, member));
        };
    }

    /** Whether its machine loses power then, and not the process alone. */
    boolean losesPowerBehind(long call) {
        return switch (mutant) {
            case DEATH_HIDES_RUN -> false;
            case NONE_WHEN_POWER_IS_CUT -> call % 4 != 0;
            default -> kind == Kind.SPARING;
        };
    }

    /** The group cannot skip a request: a former member, or one without notes, may have executed it. */
    void mayHaveRun() {
        mayHaveRun = true;
    }

    /** Ends losses of power. From now on operators have given members the memory for requests that cannot be skipped. */
    void heal() {
        healed = true;
    }

    /**
     * Whether the member sees the error that ends it, as an overflow of the stack. Not in a run with a planted bug: these are about deaths
     * that alone prove nothing.
     */
    boolean showsItsError(long call) {
        return mutant == Mutant.NONE && call % 2 == 0;
    }

    /**
     * Whether the member that runs this call ends.
     *
     * @param joins whether it is the member that joins while the group runs
     */
    boolean ends(long call, int member, boolean joins) {
        boolean victim = (victims.getOrDefault(call, 0) >> member & 1) != 0;
        if (!victim || (healed && mayHaveRun)) {
            return false;
        }
        if (kind != Kind.RELAPSING) {
            return true;
        }
        return !joins && deaths.merge(new Run(call, member), 1, Integer::sum) <= ExecutionNotes.DEATHS;
    }

    // ------------------------------------------------- deaths in replays

    /** Whether the member that died of this call now is started again late: the verdict waits for its report. */
    boolean returnsLate(long call, int member) {
        return late.getOrDefault(call, NO_MEMBER) == member && deaths.getOrDefault(new Run(call, member), 0) == 1;
    }

    /** Whether a member that ended behind such a call is started again late. */
    boolean returnsLateBehind() {
        return kind == Kind.RELAPSING;
    }

    /** Whether the report of a member that it died has consequences here. */
    boolean heedsReports() {
        return kind == Kind.RELAPSING && on && !healed;
    }

    /** The order has the report of a member that it died. @return whether its process is killed soon */
    boolean killsHolder(int member, Place place) {
        if (!promises.add(new Promise(member, place))) {
            return false;
        }
        relapses.put(member, place);
        return random.nextDouble() < KILLS_OF_HOLDERS;
    }

    /** Whether an execution ends a member that has said that it died of a request behind that one, and that holds this request. */
    boolean relapses(int member, ExecutionNotes notes) {
        if (mutant == Mutant.NONE_IN_EARLY_REPLAYS && heedsReports()) {
            notes.died().stream()
                    .filter(place -> promises.add(new Promise(member, place)))
                    .forEach(place -> relapses.put(member, place));
        }
        Optional<Place> promised = Optional.ofNullable(relapses.get(member))
                .filter(place -> notes.held().contains(place) || notes.died().contains(place));
        if (!heedsReports() || promised.isEmpty() || random.nextDouble() >= RELAPSES) {
            return false;
        }
        relapses.remove(member);
        relapsed.add(member);
        return true;
    }

    // ------------------------------------------------- notes and snapshots with a planted bug

    /**
     * A process has read its notes.
     *
     * @param before those of the process before, as it knew them; empty for the first one
     */
    void misread(int member, Optional<ExecutionNotes> before, ExecutionNotes read) {
        switch (mutant) {
            case PROMISE_LOST_BY_DEATH ->
                before.filter(notes -> relapsed.remove(member))
                        .ifPresent(notes -> notes.died().forEach(read::letGo));
            case PROMISE_OF_ONE_PROCESS ->
                before.ifPresent(notes -> {
                    notes.died().forEach(read::letGo);
                    notes.held().forEach(read::letGo);
                });
            case NEW_MEMBER_ANSWERS -> {
                if (!read.hasTakenPart()) {
                    read.takesPart(0);
                }
            }
            default -> {}
        }
    }

    /** The notes that a process hands to its replica. */
    ExecutionNotes told(ExecutionNotes notes) {
        return mutant == Mutant.DEATH_HIDES_RUN
                ? notes.died().stream()
                        .filter(notes::diedOfWhatRan)
                        .findFirst()
                        .map(FtsPoison::deathsAlone)
                        .orElse(notes)
                : notes;
    }

    private static ExecutionNotes deathsAlone(Place place) {
        ByteBuffer memory = ByteBuffer.allocate(ExecutionNotes.BYTES);
        ExecutionNotes notes = new ExecutionNotes(memory, () -> {}, 0);
        notes.takesPart(0);
        for (int death = 0; death < ExecutionNotes.DEATHS; death++) {
            notes.begin(place);
            notes = new ExecutionNotes(memory, () -> {}, 0);
        }
        return notes;
    }

    /** The records of a snapshot, as a member takes them. */
    byte[] taken(byte[] snapshot) {
        if (mutant != Mutant.LOSES_REPORTS) {
            return snapshot;
        }
        SnapshotCodec.Content content =
                SnapshotCodec.decode(snapshot, () -> new DecisionTable(RecordMemory.heap(0)), SkipRule.UNANIMOUS);
        return SnapshotCodec.encode(new SnapshotCodec.Content(
                content.position(),
                content.executed(),
                content.digest(),
                content.table(),
                withoutReports(content.skipped()),
                content.outcomes(),
                content.level()));
    }

    /** The latest entry of each member stays. */
    private static SkippedRequests withoutReports(SkippedRequests whole) {
        WireWriter written = new WireWriter(256);
        whole.write(written);
        WireReader reader = new WireReader("reports", written.toBytes());
        WireWriter rest = new WireWriter(256);
        rest.u8(reader.u8("version"));
        long members = reader.varint("members heard", 0, reader.remaining());
        rest.varint(members);
        for (long left = members; left > 0; left--) {
            rest.text("member", reader.text("member", MAX_ID_BYTES), MAX_ID_BYTES);
            rest.varint(reader.varint("latest entry", 0, Long.MAX_VALUE));
        }
        rest.varint(0); // open cases
        rest.varint(0); // skipped requests
        return SkippedRequests.read(SkipRule.UNANIMOUS, new WireReader("reports", rest.toBytes()));
    }
}
