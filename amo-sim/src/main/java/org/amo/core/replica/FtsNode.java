package org.amo.core.replica;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.amo.base.ClientId;
import org.amo.core.order.LogListener;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicatedService.AnswerListener;
import org.amo.core.replica.ReplicatedService.Arrival;
import org.amo.core.reply.RecordMemory;
import org.amo.core.reply.ReplyStore;
import org.amo.core.reply.RowPages;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.rules.SafetyRule;
import org.amo.core.sack.FinishedNumbers;
import org.amo.sim.SimProcess;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;

/** The shell of one replica in virtual time: a process, a disk with a snapshot, a servant, and the core unchanged. */
final class FtsNode implements ReplicaEffects, LogListener {
    private static final long TICK_MICROS = 50_000;

    /** In the notes of executions (docs/wire/execution-notes.md). */
    private static final int CHECKSUM_OF_LATEST_END = 1_040;

    private final FtsGroup group;
    private final SimWorld world;
    private final int index;
    private final SimProcess process;
    private final GroupParameters proposed;

    private Replica replica;
    private List<String> members = List.of();
    private FeatureLevels spoken = FeatureLevels.OF_BUILD;
    private FtsServant servant;
    private GroupParameters parameters;
    private final ArrayDeque<Execution> executions = new ArrayDeque<>();
    private final FtsRuns runs = new FtsRuns(this);
    private final FtsLanes lanes;
    /** Entries whose timers have not had their turn. */
    private final ArrayDeque<Reached> reached = new ArrayDeque<>();
    /** Of the next timer at the first of them. */
    private int turn;

    private boolean executing;
    private boolean holds;
    /** The request at the head of the queue, while its operation makes nested calls and behind them. */
    private Optional<NestedRun> nestedRun = Optional.empty();

    private final List<Runnable> untold = new ArrayList<>();
    private final Set<FtsCopy> open = new LinkedHashSet<>();
    private long digestedPosition;
    private long nextSnapshotMillis;
    private long admitsFromMillis;
    private Optional<Snapshot> snapshot = Optional.empty();
    private Optional<SnapshotCut> cut = Optional.empty();
    private Optional<FtsServant> servantAtCut = Optional.empty();
    private ByteBuffer notesOnDisk = ByteBuffer.allocate(ExecutionNotes.BYTES);
    private ByteBuffer forcedNotes = notesOnDisk;
    private long boot;
    private ExecutionNotes notes;
    /** The verdicts that this process has delivered. */
    private final Set<Place> skippedHere = new HashSet<>();

    /** Its state is worth nothing: this process takes no further entry. */
    private boolean ends;

    private Optional<Snapshot> rescue = Optional.empty();
    private Optional<Execution> diedOf = Optional.empty();
    private final TreeSet<Long> statesAsked = new TreeSet<>();
    /** A complete snapshot on which no majority has agreed yet. */
    private Optional<Snapshot> unconfirmed = Optional.empty();
    /** On disk: the mark of the last verdict on this member, 0 if it is trusted. */
    private long divergedAt;

    private boolean foundDiverged;
    private List<String> majority = List.of();

    /** Reads that wait for the executions up to a position. */
    private final List<Behind> behind = new ArrayList<>();

    private record Behind(ReplicatedService.Read read, long position) {}

    /** State that survives a crash of the process, taken at one position. */
    private record Snapshot(SimRaft.Prefix prefix, byte[] table, FtsServant servant) {}

    private record Reached(long position, long orderedTimeMillis) {}

    /** An operation with nested calls. */
    private record NestedRun(Execution execution, int calls, List<Optional<byte[]>> results) {
        boolean isComplete() {
            return results.size() == calls;
        }
    }

    FtsNode(FtsGroup group, int index, SimProcess process, GroupParameters proposed) {
        this.group = group;
        this.world = group.world();
        this.index = index;
        this.process = process;
        this.proposed = proposed;
        this.parameters = proposed;
        this.servant = new FtsServant(group.parallel().keys());
        this.lanes = new FtsLanes(this, group.parallel());
        this.notes = readNotes(Optional.empty());
        this.replica = newReplica();
        tellNotes();
        scheduleTick();
    }

    SimProcess process() {
        return process;
    }

    ReplicaStatus status() {
        return replica.status();
    }

    /** As a member tells it to connecting clients. */
    long upperMillis() {
        return replica.started() ? replica.status().upperMillis() : Answer.NO_BOUND;
    }

    /** Whether the server's ORB lets requests through to the replica; it does not while it starts. */
    boolean admits() {
        return world.nowMillis() >= admitsFromMillis;
    }

    FtsServant servant() {
        return servant;
    }

    int maxRanges() {
        return replica.maxRanges();
    }

    /** Copies that arrived and were not answered. */
    int unanswered() {
        return open.size();
    }

    String oldestUnanswered() {
        return open.iterator().next().label();
    }

    void onCopy(Request request, FinishedNumbers finished, FtsCopy copy) {
        onCopy(FtsGreed.HONEST, request, finished, copy);
    }

    void onCopy(Principal sender, Request request, FinishedNumbers finished, FtsCopy copy) {
        arrived(copy);
        AnswerListener heard = sender.equals(FtsGreed.HONEST) ? watched(copy) : copy;
        replica.onCopies(List.of(new Arrival(request, finished, sender, heard)), process.monotonicMillis());
        settled();
    }

    /** An attempt of an honest client: a greedy client never takes its share. */
    private AnswerListener watched(FtsCopy copy) {
        return !group.greed().isOn()
                ? copy
                : answer -> {
                    if (answer.budget().isPresent() && !answer.budget().get().isLocal()) {
                        throw new SimViolationException(
                                FtsLedger.STARVED,
                                copy.label() + " is refused for "
                                        + answer.budget().get() + " at " + process.name());
                    }
                    copy.onAnswer(answer);
                };
    }

    /** FT_REQUEST of another ORB: its timestamp follows from its expiration time and the group's ρ. */
    void onForeignCopy(ClientId client, long retentionId, long expirationMillis, long call, FtsCopy copy) {
        onForeignCopy(FtsGreed.HONEST, client, retentionId, expirationMillis, call, copy);
    }

    void onForeignCopy(
            Principal sender, ClientId client, long retentionId, long expirationMillis, long call, FtsCopy copy) {
        Request request = new Request(
                new RequestId(RequestId.Space.FOREIGN, client, retentionId),
                expirationMillis - parameters.retentionMillis(),
                expirationMillis,
                call,
                false,
                FtsServant.body(call));
        onCopy(sender, request, FinishedNumbers.NONE, copy);
    }

    void onPlainCall(long call, FtsCopy copy) {
        arrived(copy);
        replica.onPlainCall(
                FtsServant.body(call), call, false, FtsGreed.HONEST, watched(copy), process.monotonicMillis());
        settled();
    }

    void onRead(ReplicatedService.Read read) {
        replica.reads().onRead(read, process.monotonicMillis());
    }

    @Override
    public void askReadIndex(long question) {
        group.raft().askReadIndex(index, question);
    }

    @Override
    public void onReadIndex(long question, long position) {
        replica.reads().onIndex(question, position, process.monotonicMillis());
    }

    @Override
    public void onNoReadIndex(long question) {
        replica.reads().onNoIndex(question, process.monotonicMillis());
    }

    @Override
    public void runReads(List<ReplicatedService.Read> reads, long position, long orderedTimeMillis) {
        boolean early = group.reads().mutant() == FtsReads.Mutant.BEFORE_EXECUTION;
        reads.forEach(read -> behind.add(new Behind(read, early ? 0 : position)));
        process.after(0, this::runBehind);
    }

    private void runBehind() {
        behind.removeIf(each -> {
            boolean ready = replica.executedPosition() >= each.position;
            if (ready) {
                group.reads().check(group, each.read, servant, replica.executedPosition());
                each.read.listener().accept(ReplicatedService.ReadAnswer.result(each.position, new byte[0]));
            }
            return ready;
        });
    }

    void onFinished(ClientId client, FinishedNumbers finished) {
        replica.onFinished(client, finished, process.monotonicMillis());
        settled();
    }

    void crash() {
        process.crash();
        group.raft().onCrash(index);
        for (FtsCopy copy : open) {
            if (world.chance(0.6)) {
                copy.toClient(world.between(100, 20_000), copy::lose);
            }
        }
        if (group.poison().powerFails()) {
            losePower();
        }
        open.clear();
        executions.clear();
        runs.restarted();
        lanes.restarted();
        forgetTimers();
        executing = false;
        holds = false;
        nestedRun = Optional.empty();
        cut = Optional.empty();
        unconfirmed = Optional.empty();
        statesAsked.clear();
        foundDiverged = false;
        untold.clear();
        behind.clear();
        skippedHere.clear();
        ends = false;
    }

    /** Begins with nothing, with the snapshot on its disk, or with one of another member. */
    void restart() {
        process.restart();
        admitsFromMillis = world.nowMillis() + (group.isCalm() ? 0 : world.between(0, 1_000));
        servant = new FtsServant(group.parallel().keys());
        parameters = proposed;
        digestedPosition = 0;
        replica = newReplica();
        notes = readNotes(Optional.of(notes));
        tellNotes();
        if (divergedAt > 0 && group.divergence().bug() != DetectorBug.RESTART_FORGETS_VERDICT) {
            replica.distrust(divergedAt);
        }
        group.raft().onRestart(index);
        Optional<Snapshot> from = world.chance(0.7) ? snapshot : Optional.empty();
        if (world.chance(0.3)) {
            from = group.node(world.index(group.size())).snapshot;
        }
        int cutAt = group.raft().cutAt(index);
        if (from.map(taken -> taken.prefix.position()).orElse(0) < cutAt) {
            from = snapshot;
        }
        if (rescue.isPresent()) {
            from = rescue;
            rescue = Optional.empty();
        }
        from.ifPresent(this::install);
        if (group.poison().is(FtsPoison.Mutant.KEEPS_PARTIAL_RUN)) {
            diedOf.ifPresent(half -> servant.runPartly(
                    half.position(), FtsServant.call(half.request().body())));
        }
        scheduleTick();
    }

    /** The snapshot on disk cannot be read any more. The notes and the verdict are files of their own. */
    void forgetSnapshot() {
        snapshot = Optional.empty();
        rescue = Optional.empty();
    }

    void forgetDisk() {
        forgetSnapshot();
        divergedAt = 0;
        notesOnDisk = ByteBuffer.allocate(ExecutionNotes.BYTES);
        forcedNotes = notesOnDisk;
    }

    /** Flips a bit of the servant's state in the snapshot on disk. Most flips in the client records would stop their decoder. */
    void flipSnapshot(int bit) {
        snapshot = snapshot.map(kept -> {
            FtsServant flipped = kept.servant.copy();
            flipped.flip(bit);
            return new Snapshot(kept.prefix, kept.table, flipped);
        });
    }

    /** A lagging member takes a snapshot of another one instead of the entries. */
    boolean jumpTo(FtsNode donor) {
        Optional<Snapshot> later = donor.snapshot.filter(
                taken -> taken.prefix.position() > group.raft().applied(index));
        boolean waits = nestedRun.filter(run -> !run.isComplete()).isPresent();
        if (process.isRunning() && later.isPresent() && (holds || waits)) {
            // Requests that wait behind the held or waiting one would never end.
            if (waits) {
                world.fault("nestedSnapshot");
            }
            rescue = later;
            process.after(0, () -> dieAndComeBack("lacks what " + donor.process.name() + " has cut off"));
            return false;
        }
        if (!process.isRunning() || later.isEmpty() || !canJump()) {
            return false;
        }
        install(later.get());
        return true;
    }

    private boolean canJump() {
        if (group.passive().isOn()) {
            return (!executing || runs.isUndoing()) && runs.isQuiet();
        }
        return replica.snapshots().isSettled() && !(executing && group.timers().isOn());
    }

    @Override
    public void onDelivered(long position, byte[] entry) {
        if (ends) {
            return;
        }
        boolean diedHere = notes.died().stream().anyMatch(place -> place.position() == position);
        if (diedHere && replica.isCaughtUp() && !replica.operations().hasPendingTimers()) {
            // Nothing behind runs here for a while: others may need the state up to here.
            cut = Optional.of(replica.snapshots().cut());
            servantAtCut = Optional.empty();
            finishSnapshot();
        }
        replica.onDelivered(position, entry, process.monotonicMillis());
        if (group.poison().heedsReports()) {
            heedReport(OrderedEntry.decode(entry));
        }
        membersAt(position);
        if (!ends) {
            checkLevel(position);
            settled();
        }
    }

    private void checkLevel(long position) {
        if (group.levels().isOn()) {
            group.levels()
                    .check(group, this, spoken, position, (int) replica.status().featureLevel());
        }
    }

    @Override
    public void levelNotSpoken(int ofGroup, String obstacle) {
        group.levels().onNotSpoken(group, index, ofGroup);
        ends = true;
        process.after(0, () -> dieAndComeBack(obstacle));
    }

    /** A member that has promised not to begin a request may be killed, and has to keep the promise. */
    private void heedReport(OrderedEntry entry) {
        Optional<Place> diedOfIt =
                entry.report().filter(report -> report.word() == Word.DIED).map(ExecutionReport::place);
        boolean own = entry.origin().equals(process.name());
        if (own && diedOfIt.isPresent() && group.poison().killsHolder(index, diedOfIt.get())) {
            process.after(world.between(0, 300_000), () -> {
                world.fault("holderKilled");
                dieAndComeBack("is killed while it holds a request");
            });
        }
    }

    void hearOfMembers() {
        membersAt(group.raft().applied(index));
        settled();
    }

    private void membersAt(long position) {
        List<String> now = group.membersAt(position);
        if (!now.equals(members)) {
            members = now;
            replica.onMembers(now);
        }
    }

    @Override
    public void onRejected(long submission) {
        replica.onRejected(submission, process.monotonicMillis());
        settled();
    }

    @Override
    public void onLeader(String member) {
        replica.onLeader(member, process.monotonicMillis());
        if (member.equals(process.name())) {
            group.reads().onLeader(group, this);
        }
        settled();
    }

    @Override
    public void onEnded(OrderedLogException why) {
        throw new IllegalStateException("the simulated log never ends by itself", why);
    }

    @Override
    public void onMessage(String member, byte[] message) {
        replica.onMessage(member, message, process.monotonicMillis());
        settled();
    }

    @Override
    public void submit(long submission, byte[] entry) {
        Runnable again = () -> group.raft().submit(index, submission, entry);
        process.after(world.between(0, 100), again);
        if (group.levels().isOn()) {
            group.levels().submitted(group, this, members, OrderedEntry.decode(entry), again);
        }
    }

    @Override
    public Optional<byte[]> drawSeed() {
        return group.draws().next();
    }

    @Override
    public void execute(List<Execution> more) {
        more.forEach(execution -> group.draws().check(group.life(), execution));
        executions.addAll(more);
        executeNext();
    }

    /** @param before those of the process before, as it knew them */
    private ExecutionNotes readNotes(Optional<ExecutionNotes> before) {
        if (group.poison().is(FtsPoison.Mutant.FORGETS_WHAT_IT_RAN)) {
            notesOnDisk.putInt(CHECKSUM_OF_LATEST_END, 0);
        }
        ExecutionNotes read = new ExecutionNotes(notesOnDisk, () -> forcedNotes = copy(notesOnDisk), boot);
        group.poison().misread(index, before, read);
        return read;
    }

    private void tellNotes() {
        replica.onNotes(group.poison().told(notes));
    }

    private static ByteBuffer copy(ByteBuffer bytes) {
        return ByteBuffer.allocate(ExecutionNotes.BYTES).put(0, bytes, 0, ExecutionNotes.BYTES);
    }

    /** A loss of power leaves only the forced notes. */
    private void losePower() {
        world.fault("powerLoss");
        world.trace(() -> process.name() + ": loses power, and what it noted since " + notes.ran());
        notesOnDisk = copy(forcedNotes);
        if (!group.poison().is(FtsPoison.Mutant.BELIEVES_OLD_NOTES)) {
            boot++;
        }
    }

    @Override
    public void takesPart(long position) {
        untold.forEach(Runnable::run);
        untold.clear();
        notes.takesPart(position);
        process.after(0, this::tellNotes);
    }

    @Override
    public void hold(Place place) {
        if (notes.hold(place) || group.poison().is(FtsPoison.Mutant.HOLDS_WITHOUT_MEMORY)) {
            process.after(world.between(10, 500), () -> replica.onHeld(place));
        }
    }

    @Override
    public void skip(Place place) {
        world.trace(() -> process.name() + ": request " + place + " is skipped");
        skippedHere.add(place);
        if (notes.skip(place) && !group.poison().is(FtsPoison.Mutant.KEEPS_BEGUN)) {
            ends = true;
            process.after(0, () -> dieAndComeBack("rebuilds"));
        } else {
            process.after(0, this::executeNext);
        }
    }

    @Override
    public void takeStateBehind(Place place, List<String> executedBy) {
        if (group.poison().is(FtsPoison.Mutant.TAKES_NO_STATE)) {
            return;
        }
        if (notes.diedOnce(place)) {
            world.fault("ranAgainAfterWantOfMemory");
            letGo(place);
            return;
        }
        Optional<FtsNode> found = donor(executedBy, place.position(), donor -> {
            if (!donor.replica.operations().hasPendingTimers()) {
                donor.nextSnapshotMillis = 0;
            } else if (group.timers().answers(donor.holds)) {
                donor.process.after(world.between(100, 2_000), () -> {
                    donor.replica.snapshots().onTimersPending(process.name());
                });
            }
        });
        found.ifPresent(donor -> process.after(0, () -> dieAndComeBack("takes the state of " + donor.process.name())));
    }

    /** The first of these members with a snapshot of that position or a later one, for the next life of this one. */
    private Optional<FtsNode> donor(List<String> names, long position, Consumer<FtsNode> without) {
        for (int i = 0; i < group.size(); i++) {
            FtsNode donor = group.node(i);
            if (names.contains(donor.process.name()) && group.raft().isLinked(index, i)) {
                Optional<Snapshot> behind = donor.snapshot.filter(taken -> taken.prefix.position() >= position);
                if (behind.isPresent()) {
                    rescue = behind;
                    return Optional.of(donor);
                }
                without.accept(donor);
            }
        }
        return Optional.empty();
    }

    @Override
    public void letGo(Place place) {
        if (group.poison().is(FtsPoison.Mutant.NEVER_LETS_GO)) {
            return;
        }
        world.trace(() -> process.name() + ": runs " + place.named() + " again");
        if (place.isTimer()) {
            world.fault("timerLetGo");
        }
        group.poison().mayHaveRun();
        notes.letGo(place);
        process.after(0, this::executeNext);
    }

    // ------------------------------------------------- timers

    @Override
    public void reached(long position, long orderedTimeMillis) {
        if (!group.timers().isOn()) {
            return;
        }
        if (group.timers().is(FtsTimers.Mutant.TOLD_BEFORE_IT_RAN)) {
            process.after(0, () -> replica.operations().onTimerRan(new Place(position, -1)));
        }
        reached.add(new Reached(position, orderedTimeMillis));
        executeNext();
    }

    /** Whether a timer stands before the next execution, and fires now or is held. */
    private boolean isAtTimer() {
        long next = executions.isEmpty() ? Long.MAX_VALUE : executions.element().position();
        while (!reached.isEmpty() && reached.element().position() <= next) {
            Reached at = reached.element();
            if (servant.nextTimer()
                    .filter(timer -> timer.dueMillis() <= at.orderedTimeMillis())
                    .isPresent()) {
                fire(at);
                return true;
            }
            reached.remove();
            turn = 0;
        }
        return false;
    }

    private void fire(Reached at) {
        Place place = Place.ofTimer(at.position(), turn);
        holds = begin(place) == ExecutionNotes.Turn.WAIT;
        if (holds) {
            world.trace(() -> process.name() + ": holds " + place.named());
            return;
        }
        executing = true;
        process.after(group.executionMicros(), () -> {
            reaches(at.position());
            if (begin(place) == ExecutionNotes.Turn.SKIP) {
                world.fault("timerSkipped");
                servant.dropTimer();
            } else if (diesOfTimer(place)) {
                return;
            } else {
                servant.fireTimer(at.orderedTimeMillis());
                notes.ended(place);
            }
            turn++;
            executing = false;
            replica.operations().onTimerRan(place);
            tellOfTimers();
            settled();
            finishSnapshot();
            executeNext();
        });
    }

    private boolean diesOfTimer(Place place) {
        FtsTimers.Timer timer = servant.nextTimer().orElseThrow();
        if (!group.timers().ends(timer, index)) {
            return false;
        }
        if (timer.call() % 2 == 0) {
            notes.failed(place);
        }
        world.fault("timerEndsMember");
        dieAndComeBack("dies of the " + place.named());
        return true;
    }

    private void tellOfTimers() {
        replica.operations()
                .onTimer(servant.nextTimer().stream()
                        .mapToLong(FtsTimers.Timer::dueMillis)
                        .findFirst());
    }

    private void forgetTimers() {
        reached.clear();
        turn = 0;
    }

    // ------------------------------------------------- nested calls

    private void makeNestedCall() {
        NestedRun run = nestedRun.orElseThrow();
        notes.waits();
        replica.operations()
                .onNestedCall(
                        run.execution.place(),
                        run.results.size(),
                        run.execution.request().deadlineMillis(),
                        process.monotonicMillis());
        settled();
    }

    private FtsNested.Call nestedCall(int number) {
        return new FtsNested.Call(
                group.life(),
                FtsServant.call(nestedRun.orElseThrow().execution.request().body()),
                number);
    }

    @Override
    public void identifyNested(Place place, int number, long leftMillis) {
        Optional<byte[]> identity =
                nestedCall(number).hasIdentity() ? Optional.of(group.nested().newIdentity()) : Optional.empty();
        process.after(world.between(0, 1_000), () -> {
            replica.operations().onNestedIdentity(place, number, identity, process.monotonicMillis());
            settled();
        });
    }

    @Override
    public void sendNested(Place place, int number, Optional<byte[]> identity, long leftMillis) {
        FtsNested.Call call = nestedCall(number);
        world.trace(() -> process.name() + ": sends " + call + " of " + place);
        process.after(world.between(0, 1_000), () -> group.nested()
                .send(world, process, call, identity, leftMillis, result -> {
                    replica.operations().onNestedSent(place, number, result, process.monotonicMillis());
                    settled();
                }));
    }

    @Override
    public void nestedResult(Place place, int number, Optional<byte[]> result) {
        FtsNested.Call call = nestedCall(number);
        world.trace(() ->
                process.name() + ": takes the result of " + call + " of " + place + ", known: " + result.isPresent());
        if (result.isEmpty()) {
            world.fault("nestedUnknown");
        }
        tell(() -> group.nested().used(call, process.name(), result));
        process.after(world.between(0, 500), () -> {
            NestedRun run = nestedRun.orElseThrow();
            run.results.add(result);
            if (run.isComplete()) {
                executing = false;
                executeNext();
            } else {
                makeNestedCall();
            }
        });
    }

    // ------------------------------------------------- divergence

    @Override
    public void digestState(long position) {
        statesAsked.add(position);
        process.after(0, () -> tellStates(Long.MAX_VALUE));
    }

    /** Before an execution behind these positions. */
    private void tellStates(long before) {
        long next = Math.min(
                before,
                executions.isEmpty() ? Long.MAX_VALUE : executions.peek().position());
        while (!statesAsked.isEmpty() && statesAsked.first() < next && !executing) {
            tellState(statesAsked.pollFirst());
        }
    }

    private void tellState(long position) {
        OptionalLong digest = OptionalLong.of(servant.stateDigest());
        process.after(0, () -> {
            replica.onMarkedState(position, digest, process.monotonicMillis());
            settled();
        });
    }

    @Override
    public void diverged(long mark, List<String> agreed) {
        world.fault("diverged");
        world.trace(() -> process.name() + ": differs from " + agreed + " at mark " + mark);
        if (!servant.isTainted()) {
            throw new SimViolationException(
                    FtsLedger.WRONGLY_ACCUSED, process.name() + " at mark " + mark + ", by " + agreed);
        }
        divergedAt = mark;
        foundDiverged = true;
        unconfirmed = Optional.empty();
        majority = agreed;
    }

    @Override
    public void firstDifference(FirstDifference difference, List<String> agreed) {
        world.trace(
                () -> process.name() + ": differs first at " + difference.place() + ", behind " + difference.after());
        difference.place().ifPresent(place -> world.fault("divergenceNamed"));
        if (group.divergence().takesState()) {
            process.after(world.between(100, 20_000), this::takeStateOfMajority);
        } else {
            process.after(world.between(100, 20_000), () -> dieAndComeBack("begins anew"));
        }
    }

    private void takeStateOfMajority() {
        if (!replicaIsDistrusted()) {
            return;
        }
        donor(majority, divergedAt, donor -> donor.nextSnapshotMillis = 0)
                .ifPresentOrElse(
                        donor -> dieAndComeBack("has diverged, takes the state of " + donor.process.name()),
                        () -> process.after(200_000, this::takeStateOfMajority));
    }

    private boolean replicaIsDistrusted() {
        return foundDiverged && divergedAt > 0;
    }

    @Override
    public void trusted() {
        divergedAt = 0;
        foundDiverged = false;
    }

    private void dieAndComeBack(String why) {
        dieAndComeBack(why, false);
    }

    /** @param late whether its operator starts it again late */
    private void dieAndComeBack(String why, boolean late) {
        world.fault("memberEnds");
        world.trace(() -> process.name() + ": " + why + " and ends");
        crash();
        world.after(late ? world.between(1_000_000, 2_500_000) : world.between(50_000, 500_000), () -> {
            if (group.raft().isMember(index) && !process.isUp()) {
                restart();
            }
        });
    }

    @Override
    public void answer(AnswerListener copy, Answer answer) {
        if (answer.kind() == Answer.Kind.REPLY && divergedAt > 0 && servant.isTainted()) {
            throw new SimViolationException(
                    FtsLedger.DIVERGED_SERVES, process.name() + " after the verdict at mark " + divergedAt);
        }
        copy.onAnswer(answer);
    }

    @Override
    public void send(String member, byte[] message) {
        group.sendToPeer(this, member, message);
    }

    @Override
    public void gather() {
        process.after(world.between(150, 2_000), () -> {
            replica.onGathered(process.monotonicMillis());
            settled();
        });
    }

    @Override
    public void parametersDiffer(GroupParameters ofGroup) {
        parameters = ofGroup;
    }

    int index() {
        return index;
    }

    private void arrived(FtsCopy copy) {
        open.add(copy);
        copy.arrived(open::remove);
        world.trace(() -> process.name() + ": " + copy.label() + " arrives");
    }

    private Replica newReplica() {
        members = new ArrayList<>(group.membersAt(0));
        if (!members.contains(process.name())) {
            members.add(process.name()); // the operator that starts it names it
        }
        long incarnation = world.bits();
        spoken = group.levels().spokenBy(index);
        group.levels().begins(group, index, spoken);
        return MutantReplica.of(
                group.rules(),
                new ReplicaOptions(
                        process.name(),
                        members,
                        incarnation,
                        new ClientId(world.bits(), world.bits()),
                        proposed,
                        group.divergence().comparison(),
                        group.levels().settings(),
                        group.passive().style(),
                        OrderedLog.Guarantee.UNIFORM,
                        Long.MAX_VALUE,
                        spoken),
                this,
                new RecordMemory(
                        incarnation,
                        ReplyStore.heap(),
                        RowPages.HEAP,
                        group.greed().shares(() -> replica.status().bytes())),
                group.timers().rule(group.poison().rule()),
                group.divergence().bug(),
                group.nested().bug(),
                group.passive().mutant(),
                group.reads().mutant(),
                group.levels());
    }

    private void scheduleTick() {
        process.after(world.between(TICK_MICROS - 2_000, TICK_MICROS + 2_000), () -> {
            replica.onTick(process.monotonicMillis(), process.wallMillis());
            settled();
            scheduleTick();
        });
    }

    /** Executions before the member takes part may differ from the group's: the ledger gets them from then on. */
    private void tell(Runnable ledger) {
        if (replica.isCaughtUp()) {
            ledger.run();
        } else {
            untold.add(ledger);
        }
    }

    void executeNext() {
        if (group.parallel().isOn()) {
            // Not here: the replica may be in the middle of an input.
            process.after(0, lanes::next);
            return;
        }
        if (executing || isAtTimer() || executions.isEmpty()) {
            return;
        }
        if (group.passive().isOn()) {
            runs.next();
            return;
        }
        // Notes the first one: if the process ends meanwhile, it ends in this execution.
        holds = begin(executions.peek().place()) == ExecutionNotes.Turn.WAIT;
        if (holds) {
            world.trace(() ->
                    process.name() + ": holds request " + executions.peek().place());
            return;
        }
        executing = true;
        // Timers may stand before the next one.
        int count = group.timers().isOn() ? 1 : (int) world.between(1, Math.min(3, executions.size()));
        process.after(group.executionMicros(), () -> {
            List<Execution> done = new ArrayList<>(count);
            List<byte[]> replies = new ArrayList<>(count);
            boolean waits = false;
            for (int i = 0; i < count; i++) {
                ExecutionNotes.Turn turn = begin(executions.element().place());
                if (turn == ExecutionNotes.Turn.WAIT) {
                    break;
                }
                Execution execution = executions.element();
                if (turn == ExecutionNotes.Turn.RUN && isToWait(execution)) {
                    waits = true;
                    break;
                }
                executions.remove();
                if (cut.isPresent() && execution.position() > cut.get().position()) {
                    takeServant();
                }
                if (turn == ExecutionNotes.Turn.SKIP) {
                    world.fault("requestSkipped");
                    done.add(execution);
                    replies.add(FtsServant.skipped());
                    continue;
                }
                if (diesOf(execution)) {
                    return;
                }
                while (!statesAsked.isEmpty() && statesAsked.first() < execution.position()) {
                    tellState(statesAsked.pollFirst());
                }
                if (group.divergence()
                        .differs(FtsServant.call(execution.request().body()), index)) {
                    world.fault("otherResult");
                    world.trace(() -> process.name() + ": has another result at " + execution.place());
                    servant.diverge(group.divergence().isInStateAlone());
                }
                boolean tainted = servant.isTainted();
                byte[] reply = servant.execute(
                        execution, nestedRun.map(run -> run.results).orElse(List.of()));
                nestedRun = Optional.empty();
                group.timers()
                        .setBy(FtsServant.call(execution.request().body()), execution.orderedTimeMillis())
                        .ifPresent(servant::set);
                ended(execution);
                tell(() -> group.ledger()
                        .executed(
                                group.life(),
                                process.name(),
                                execution.position(),
                                execution.request(),
                                reply,
                                tainted));
                done.add(execution);
                replies.add(reply);
            }
            executing = waits;
            tellOfTimers();
            replica.onExecuted(done, replies, process.monotonicMillis());
            settled();
            finishSnapshot();
            if (waits) {
                makeNestedCall();
                return;
            }
            tellStates(Long.MAX_VALUE);
            executeNext();
        });
    }

    /** Whether the operation at the head of the queue has nested calls to make first. */
    private boolean isToWait(Execution execution) {
        int calls = group.nested().count(FtsServant.call(execution.request().body()));
        if (calls == 0 || nestedRun.isPresent()) {
            return false;
        }
        nestedRun = Optional.of(new NestedRun(execution, calls, new ArrayList<>()));
        return true;
    }

    /** Whether this execution ends the process. */
    boolean diesOf(Execution execution) {
        return diesOf(execution, () -> {
            if (execution.place().position() % 2 == 0) {
                notes.failed(execution.place());
            } else {
                notes.foundNoMemory(execution.place());
            }
        });
    }

    /** The same of one that runs beside others. */
    boolean diesOf(int slot, Execution execution) {
        return diesOf(execution, () -> notes.failed(slot, execution.place()));
    }

    private boolean diesOf(Execution execution, Runnable noteError) {
        long call = FtsServant.call(execution.request().body());
        if (!isEndedBy(call)) {
            return false;
        }
        servant.runPartly(execution.position(), call);
        if (group.poison().showsItsError(call)) {
            noteError.run();
        }
        diedOf = Optional.of(execution);
        dieAndComeBack(
                "dies of call " + call + " at " + execution.place(),
                group.poison().returnsLate(call, index));
        return true;
    }

    /** Whether it is the member that joins while the group runs. */
    private boolean joins() {
        return index == group.spare();
    }

    private boolean isEndedBy(long call) {
        if (group.poison().ends(call, index, joins())) {
            return true;
        }
        boolean relapses = group.poison().relapses(index, notes);
        if (relapses) {
            world.fault("relapse");
        }
        return relapses;
    }

    private void ended(Execution execution) {
        notes.ended(execution.place());
        long call = FtsServant.call(execution.request().body());
        world.trace(() -> process.name() + ": runs call " + call + " as "
                + FtsGroup.show(execution.request().id()) + " at " + execution.position() + ", time "
                + FtsGroup.show(execution.orderedTimeMillis()));
        if (group.poison().endsBehind(call, index, joins())) {
            // Not here: its reply leaves before.
            process.after(0, () -> endBehind(call));
        }
    }

    private void endBehind(long call) {
        if (group.poison().losesPowerBehind(call)) {
            world.fault("powerCut");
            losePower();
        }
        dieAndComeBack("has run call " + call, group.poison().returnsLateBehind());
    }

    // ------------------------------------------------- parallel execution

    /** Whether a state behind the executions before that position is to be taken. */
    boolean isStateDue(long position) {
        boolean ofCut = servantAtCut.isEmpty()
                && cut.filter(taken -> position > taken.position()).isPresent();
        return ofCut || (!statesAsked.isEmpty() && statesAsked.first() < position);
    }

    ExecutionNotes.Turn admit(Execution execution) {
        ExecutionNotes.Turn turn = notes.admit(execution.place());
        holds = turn == ExecutionNotes.Turn.WAIT;
        return turn;
    }

    boolean runsAlone(Execution execution) {
        return notes.runsAlone(execution.place());
    }

    void begins(int slot, Execution execution) {
        notes.begins(slot, execution.place());
    }

    byte[] ends(int slot, Execution execution) {
        byte[] reply = servant.execute(execution);
        notes.ends(slot, execution.place());
        world.trace(() -> process.name() + ": runs call "
                + FtsServant.call(execution.request().body()) + " at " + execution.place());
        return reply;
    }

    void endedUpTo(Execution execution) {
        notes.ended(execution.place());
    }

    /** Whether operations run now. */
    void running(boolean some) {
        executing = some;
    }

    /** An operation has ended, and perhaps none runs any more. */
    void idle() {
        tellStates(Long.MAX_VALUE);
    }

    // ------------------------------------------------- style passive

    @Override
    public void runAsPrimary(boolean primary) {
        runs.onPrimary(primary);
    }

    @Override
    public void accepted(List<Execution> done, List<byte[]> replies, byte[] update, boolean own) {
        runs.onAccepted(done, replies, update, own);
    }

    @Override
    public void acceptedUndone(List<Execution> done, List<byte[]> replies, boolean own) {
        runs.onUndone(done, replies, own);
    }

    @Override
    public void beginAnew(Place place) {
        world.fault("worthlessState");
        process.after(0, () -> dieAndComeBack("had executed " + place + " for itself"));
    }

    @Override
    public void styleDiffers() {
        throw new IllegalStateException("one style for all members");
    }

    ArrayDeque<Execution> waiting() {
        return executions;
    }

    void later(long micros, Runnable action) {
        process.after(micros, action);
    }

    long between(long least, long most) {
        return world.between(least, most);
    }

    long executionMicros() {
        return group.executionMicros();
    }

    /** One step of the execution thread, which takes so long. */
    void busy(long micros, Runnable step) {
        executing = true;
        process.after(micros, () -> {
            step.run();
            if (process.isUp() && !runs.isUndoing()) {
                executing = false;
                tellStates(Long.MAX_VALUE);
                executeNext();
            }
        });
    }

    /** Whether the first request that waits may begin; if the process ends meanwhile, it ends in this execution. */
    boolean beginsFirst() {
        holds = begin(executions.element().place()) == ExecutionNotes.Turn.WAIT;
        if (holds) {
            world.trace(() ->
                    process.name() + ": holds request " + executions.element().place());
        }
        return !holds;
    }

    ExecutionNotes.Turn begin(Execution execution) {
        return begin(execution.place());
    }

    private ExecutionNotes.Turn begin(Place place) {
        ExecutionNotes.Turn turn = notes.begin(place);
        boolean forgotten = group.poison().is(FtsPoison.Mutant.FORGETS_SKIPS) && !skippedHere.contains(place);
        return turn == ExecutionNotes.Turn.SKIP && forgotten ? ExecutionNotes.Turn.RUN : turn;
    }

    void ranElsewhere(Place place) {
        notes.letGo(place);
    }

    /** The servant comes to executions of this position. */
    void reaches(long position) {
        if (cut.isPresent() && position > cut.get().position()) {
            takeServant();
        }
        while (!statesAsked.isEmpty() && statesAsked.first() < position) {
            tellState(statesAsked.pollFirst());
        }
    }

    byte[] runs(Execution execution, FtsServant.Update update) {
        byte[] reply = servant.execute(execution, group.passive().draw(), update);
        ended(execution);
        return reply;
    }

    void handRun(List<Execution> done, List<byte[]> replies, byte[] update) {
        replica.onRun(done, replies, update, process.monotonicMillis());
        settled();
    }

    /** Whether the servant fails now, which no member in a healed world does. */
    boolean failsToGiveUpdate() {
        return !group.isCalm() && group.passive().failsToGiveUpdate();
    }

    void handUndone(List<Execution> done, List<byte[]> replies) {
        world.trace(
                () -> process.name() + ": gives no update behind " + done.get(0).place());
        replica.onUndone(done, replies, process.monotonicMillis());
        settled();
    }

    /** The group has undone the run of this member, and nothing can stand on its state. */
    void undoneHere(List<Execution> done, List<byte[]> replies) {
        handBackUndone(done, replies);
        dieAndComeBack("has a run that the group has undone");
    }

    /** The group has undone these: they are in the state of no member. */
    void handBackUndone(List<Execution> done, List<byte[]> replies) {
        world.fault("runUndone");
        handBack(done, replies, (execution, reply) -> {
            long call = FtsServant.call(execution.request().body());
            world.trace(() -> process.name() + ": call " + call + " at " + execution.place() + " is undone");
            tell(() -> group.ledger().undone(group.life(), process.name(), call));
        });
    }

    /** The state of this member is that behind an accepted outcome. */
    void handBack(List<Execution> done, List<byte[]> replies) {
        handBack(done, replies, (execution, reply) -> {
            world.trace(() -> process.name() + ": has the outcome of call "
                    + FtsServant.call(execution.request().body()) + " at " + execution.place());
            tell(() -> group.ledger()
                    .executed(group.life(), process.name(), execution.position(), execution.request(), reply, false));
        });
    }

    private void handBack(List<Execution> done, List<byte[]> replies, BiConsumer<Execution, byte[]> each) {
        for (int i = 0; i < done.size(); i++) {
            if (FtsServant.isSkipped(replies.get(i))) {
                world.fault("requestSkipped");
            } else {
                each.accept(done.get(i), replies.get(i));
            }
        }
        replica.onExecuted(done, replies, process.monotonicMillis());
        settled();
        finishSnapshot();
    }

    private void install(Snapshot from) {
        Optional<String> obstacle = replica.snapshots().obstacle(from.table);
        if (obstacle.isPresent()) {
            levelNotSpoken(SnapshotCodec.level(from.table), obstacle.get());
            return;
        }
        world.trace(() -> process.name() + ": installs a snapshot of position " + from.prefix.position());
        cut = Optional.empty();
        unconfirmed = Optional.empty();
        statesAsked.clear();
        membersAt(from.prefix.position());
        if (group.passive().isOn()) {
            executions.clear();
            runs.reset();
            executing = false;
        }
        replica.snapshots().install(group.poison().taken(from.table), process.monotonicMillis());
        notes.restored(from.prefix.position(), replica.snapshots().maySkip());
        if (snapshot.map(kept -> kept.prefix.position()).orElse(0) < from.prefix.position()) {
            snapshot = Optional.of(from);
        }
        servant = from.servant.copy();
        forgetTimers();
        tellOfTimers();
        group.raft().jump(index, from.prefix);
        checkLevel(from.prefix.position());
        settled();
    }

    /** After each input: compares the state with the other replicas where possible. */
    private void settled() {
        if (cut.isEmpty()
                && !runs.isUndoing()
                && replica.isCaughtUp()
                && replica.position() > 0
                && !replica.operations().hasPendingTimers()
                && world.nowMillis() >= nextSnapshotMillis) {
            nextSnapshotMillis = world.nowMillis() + world.about(3_000);
            cut = Optional.of(replica.snapshots().cut());
            servantAtCut = Optional.empty();
            unconfirmed = Optional.empty();
            replica.snapshots().wantMark();
            finishSnapshot();
        }
        keepConfirmed();
        runBehind();
        long executed = replica.executedPosition();
        if (executed <= digestedPosition) {
            return;
        }
        digestedPosition = executed;
        if (servant.isTainted()) {
            return;
        }
        long digest = replica.digest();
        tell(() -> group.ledger().digest(group.life(), process.name(), executed, digest));
        if (replica.snapshots().isSettled() && executed % 8 == 0) {
            byte[] records = replica.snapshots().take();
            tell(() -> group.ledger().table(group.life(), process.name(), executed, records));
            group.checkRanges(this);
        }
    }

    /** The servant stands between the last execution up to the cut and the first beyond. */
    private void takeServant() {
        if (servantAtCut.isEmpty() && group.rules().holds(SafetyRule.SNAPSHOT_AT_ONE_POSITION)) {
            servantAtCut = Optional.of(servant.copy());
        }
    }

    /** Deliveries and executions went on meanwhile. */
    private void finishSnapshot() {
        if (runs.isUndoing() || cut.isEmpty() || !cut.get().isComplete()) {
            return;
        }
        SnapshotCut complete = cut.get();
        cut = Optional.empty();
        byte[] records = complete.encode();
        if (!servant.isTainted()) {
            group.ledger().table(group.life(), process.name(), complete.position(), records);
        }
        // The planted bug takes the servant when the records are ready, perhaps some executions late.
        FtsServant state = servantAtCut.orElseGet(servant::copy);
        if (state.nextTimer().isPresent()) {
            // No snapshot holds a timer.
            return;
        }
        unconfirmed = Optional.of(new Snapshot(group.raft().prefix(index, (int) complete.position()), records, state));
        keepConfirmed();
    }

    /** A snapshot is kept, and given to others, once a majority agreed on it. */
    private void keepConfirmed() {
        if (unconfirmed
                .filter(taken -> replica.snapshots().mayKeep(taken.prefix.position()))
                .isEmpty()) {
            return;
        }
        Snapshot kept = unconfirmed.get();
        unconfirmed = Optional.empty();
        if (snapshot.filter(later -> later.prefix.position() >= kept.prefix.position())
                .isPresent()) {
            return;
        }
        snapshot = Optional.of(kept);
        if (world.chance(group.profile().logCut())) {
            group.raft().cut(index, kept.prefix.position());
        }
    }
}
