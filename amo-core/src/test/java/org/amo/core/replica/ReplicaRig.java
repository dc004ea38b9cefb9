package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.amo.base.ClientId;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.OrderedEntry.Item;
import org.amo.core.replica.PeerMessage.Result;
import org.amo.core.replica.PeerMessage.Results;
import org.amo.core.replica.ReplicaSettings.Divergence;
import org.amo.core.replica.ReplicatedService.AnswerListener;
import org.amo.core.reply.RecordMemory;
import org.amo.core.reply.ReplyStore;
import org.amo.core.reply.RowPages;
import org.amo.core.reply.Shares;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;

/** One replica of three, whose effects are only written down: the test plays log, servant, clients and peers. */
final class ReplicaRig implements ReplicaEffects {
    static final GroupParameters PARAMETERS = GroupParameters.builder()
            .retentionMillis(20_000)
            .skewMillis(100)
            .lifeMillis(30_000)
            .defaultDeadlineMillis(10_000)
            .build();
    static final ClientId C = new ClientId(1, 1);
    static final ClientId D = new ClientId(2, 2);
    static final ClientId PLAIN = new ClientId(0xF, 0xF);

    /** Stamp of the entry that starts the group. */
    static final long EPOCH = 1_000_000;

    final ArrayDeque<Submitted> submitted = new ArrayDeque<>();
    final ArrayDeque<Execution> executing = new ArrayDeque<>();
    final List<Execution> executed = new ArrayList<>();
    final Map<String, List<Answer>> answers = new LinkedHashMap<>();
    final ArrayDeque<Sent> sent = new ArrayDeque<>();
    final List<GroupParameters> differing = new ArrayList<>();
    /** Whether copies that wait for others do so until {@link #quiet}; else nobody ever comes back in time. */
    boolean patient;

    int gatherings;

    /** What was asked about requests that end members, in words. */
    final List<String> asked = new ArrayList<>();

    /** By copy: what had been asked when it was answered. */
    final Map<String, List<String>> askedBefore = new LinkedHashMap<>();

    /** Whether the shell draws seeds: the first is 1 and zeros, then 2 and zeros. */
    boolean draws;

    int seedsDrawn;

    /** What was told about settings, in words. */
    final List<String> settings = new ArrayList<>();

    /** Levels of the group that this build does not speak. */
    final List<Integer> levelsNotSpoken = new ArrayList<>();

    /** Questions for read indexes. */
    final List<Long> indexQuestions = new ArrayList<>();

    /** Reads that may run. */
    final List<ReplicatedService.Read> reads = new ArrayList<>();

    /** Marks at which a digest of the state was asked for. */
    final ArrayDeque<Long> marks = new ArrayDeque<>();

    /** Entries that the servant was told of, as position@time. */
    final List<String> reached = new ArrayList<>();

    /** What was told about divergence, in words. */
    final List<String> diverged = new ArrayList<>();

    /** What was told in style passive, in words. */
    final List<String> passiveSteps = new ArrayList<>();

    /** What was asked and told about nested calls, in words. */
    final List<String> nestedSteps = new ArrayList<>();

    private final ArrayDeque<Acceptance> acceptances = new ArrayDeque<>();

    Function<Request, byte[]> servant = ReplicaRig::replyTo;
    OptionalLong stateDigest = OptionalLong.empty();

    final String id;
    final Replica replica;
    long now = 50_000;
    long position;

    /** An entry on its way into the order. */
    record Submitted(long number, OrderedEntry entry) {
        List<Request> requests() {
            return entry.items().stream()
                    .flatMap(item -> item.request().stream())
                    .toList();
        }
    }

    /** A message to another member. */
    record Sent(String to, PeerMessage message) {}

    /** A listener that only has a name; this rig is told of its answers by effect. */
    private record Copy(String name) implements AnswerListener {
        @Override
        public void onAnswer(Answer answer) {
            throw new AssertionError("the replica answers by effect only");
        }
    }

    ReplicaRig(String id) {
        this(id, PARAMETERS);
    }

    ReplicaRig(String id, GroupParameters parameters) {
        this(id, parameters, ReplyStore.heap());
    }

    ReplicaRig(String id, Divergence divergence) {
        this(id, PARAMETERS, ReplyStore.heap(), divergence);
    }

    private ReplicaRig(String id, GroupParameters parameters, ReplyStore replies) {
        this(id, parameters, replies, Divergence.OFF);
    }

    private ReplicaRig(String id, GroupParameters parameters, ReplyStore replies, Divergence divergence) {
        this(id, parameters, replies, divergence, Map.of(), ReplicaSettings.Style.ACTIVE);
    }

    /** With settings that are compared with those of the other members. */
    ReplicaRig(String id, Map<String, String> settings) {
        this(id, PARAMETERS, ReplyStore.heap(), Divergence.OFF, settings, ReplicaSettings.Style.ACTIVE);
    }

    /** A build of amo with these feature levels, which it tells the other members. */
    ReplicaRig(String id, FeatureLevels levels) {
        this(
                id,
                PARAMETERS,
                memory(ReplyStore.heap()),
                Divergence.OFF,
                Map.of("--style", "active"),
                ReplicaSettings.Style.ACTIVE,
                OrderedLog.Guarantee.UNIFORM,
                Long.MAX_VALUE,
                levels);
    }

    /** Over an ordered log with this guarantee. */
    ReplicaRig(String id, Divergence divergence, OrderedLog.Guarantee guarantee) {
        this(id, PARAMETERS, ReplyStore.heap(), divergence, Map.of(), ReplicaSettings.Style.ACTIVE, guarantee);
    }

    private ReplicaRig(
            String id,
            GroupParameters parameters,
            ReplyStore replies,
            Divergence divergence,
            Map<String, String> settings,
            ReplicaSettings.Style style) {
        this(id, parameters, replies, divergence, settings, style, OrderedLog.Guarantee.UNIFORM);
    }

    private ReplicaRig(
            String id,
            GroupParameters parameters,
            ReplyStore replies,
            Divergence divergence,
            Map<String, String> settings,
            ReplicaSettings.Style style,
            OrderedLog.Guarantee guarantee) {
        this(id, parameters, memory(replies), divergence, settings, style, guarantee, Long.MAX_VALUE);
    }

    private ReplicaRig(
            String id,
            GroupParameters parameters,
            RecordMemory memory,
            Divergence divergence,
            Map<String, String> settings,
            ReplicaSettings.Style style,
            OrderedLog.Guarantee guarantee,
            long mostQueuedBytes) {
        this(id, parameters, memory, divergence, settings, style, guarantee, mostQueuedBytes, FeatureLevels.OF_BUILD);
    }

    private ReplicaRig(
            String id,
            GroupParameters parameters,
            RecordMemory memory,
            Divergence divergence,
            Map<String, String> settings,
            ReplicaSettings.Style style,
            OrderedLog.Guarantee guarantee,
            long mostQueuedBytes,
            FeatureLevels levels) {
        this.id = id;
        replica = new Replica(
                new ReplicaOptions(
                        id,
                        List.of("a", "b", "c"),
                        incarnation(id),
                        PLAIN,
                        parameters,
                        divergence,
                        settings,
                        style,
                        guarantee,
                        mostQueuedBytes,
                        levels),
                this,
                memory);
    }

    private static RecordMemory memory(ReplyStore replies) {
        return new RecordMemory(1, replies, RowPages.HEAP, Shares::new);
    }

    /** One in a group that has started, with this limit for the bodies in its queue of executions. */
    static ReplicaRig withQueue(long mostBytes) {
        return begun(withQueue(ReplicaSettings.Style.ACTIVE, mostBytes), "b");
    }

    /** The same in a group of style passive. */
    static ReplicaRig passiveWithQueue(long mostBytes) {
        return passive(withQueue(ReplicaSettings.Style.PASSIVE, mostBytes));
    }

    private static ReplicaRig withQueue(ReplicaSettings.Style style, long mostBytes) {
        return new ReplicaRig(
                "a",
                PARAMETERS,
                memory(ReplyStore.heap()),
                Divergence.OFF,
                Map.of(),
                style,
                OrderedLog.Guarantee.UNIFORM,
                mostBytes);
    }

    /** A rig in a group that has started, led by {@code leader}, its clock beyond the bound of the start. */
    static ReplicaRig started(String id, String leader) {
        return started(id, leader, ReplyStore.heap());
    }

    /** The same with a store for its replies. */
    static ReplicaRig started(String id, String leader, ReplyStore replies) {
        return begun(new ReplicaRig(id, PARAMETERS, replies), leader);
    }

    /** One in a group that has started, led by itself, with this memory for the records of clients. */
    static ReplicaRig startedWith(RecordMemory memory) {
        ReplicaRig rig = new ReplicaRig(
                "a",
                PARAMETERS,
                memory,
                Divergence.OFF,
                Map.of(),
                ReplicaSettings.Style.ACTIVE,
                OrderedLog.Guarantee.UNIFORM,
                Long.MAX_VALUE);
        return begun(rig, "a");
    }

    private static ReplicaRig begun(ReplicaRig rig, String leader) {
        rig.replica.onLeader(leader, rig.now);
        rig.deliverStart(PARAMETERS);
        rig.now += 1_000;
        rig.sent.clear();
        assertTrue(rig.submitted.isEmpty());
        return rig;
    }

    /** A member of style passive that has heard of nothing. */
    static ReplicaRig passiveAlone(String id) {
        return passiveAlone(id, Divergence.OFF);
    }

    private static ReplicaRig passiveAlone(String id, Divergence divergence) {
        return new ReplicaRig(id, PARAMETERS, ReplyStore.heap(), divergence, Map.of(), ReplicaSettings.Style.PASSIVE);
    }

    /** A member of a group of style passive that has started; no leader is known. */
    static ReplicaRig passive(String id) {
        return passive(id, Divergence.OFF);
    }

    /** The same, with digests compared or not. */
    static ReplicaRig passive(String id, Divergence divergence) {
        return passive(passiveAlone(id, divergence));
    }

    private static ReplicaRig passive(ReplicaRig rig) {
        rig.deliver(passiveStart());
        rig.now += 1_000;
        rig.sent.clear();
        return rig;
    }

    static OrderedEntry passiveStart() {
        return EntryBuilder.of("c", incarnation("c"), 1, EPOCH)
                .start(PARAMETERS)
                .outcome(RunOutcome.BEGINNING)
                .entry();
    }

    /** An entry with an outcome and nothing else. */
    static OrderedEntry outcomeEntry(String member, long submission, long stamp, RunOutcome outcome) {
        return EntryBuilder.of(member, incarnation(member), submission, stamp)
                .outcome(outcome)
                .entry();
    }

    /** The oldest accepted outcome is in the servant's state. */
    void acceptedNext() {
        Acceptance next = acceptances.remove();
        next.executions().forEach(executing::remove);
        replica.onExecuted(next.executions(), next.replies(), now);
        hurry();
    }

    private record Acceptance(List<Execution> executions, List<byte[]> replies) {}

    @Override
    public void runAsPrimary(boolean primary) {
        passiveSteps.add("primary " + primary);
    }

    @Override
    public void accepted(List<Execution> executions, List<byte[]> replies, byte[] update, boolean own) {
        passiveSteps.add("accepted " + executions.size() + (own ? " own" : ""));
        acceptances.add(new Acceptance(executions, replies));
    }

    @Override
    public void acceptedUndone(List<Execution> executions, List<byte[]> replies, boolean own) {
        passiveSteps.add("undone " + executions.size() + (own ? " own" : ""));
        acceptances.add(new Acceptance(executions, replies));
    }

    @Override
    public void gathers(long bytes) {
        passiveSteps.add("gathers " + bytes);
    }

    @Override
    public void beginAnew(Place place) {
        passiveSteps.add("begin anew " + place);
    }

    @Override
    public void styleDiffers() {
        passiveSteps.add("style differs");
    }

    @Override
    public void identifyNested(Place place, int number, long leftMillis) {
        nestedSteps.add("identify " + place + " " + number);
    }

    @Override
    public void sendNested(Place place, int number, Optional<byte[]> identity, long leftMillis) {
        nestedSteps.add("send " + place + " " + number + " " + text(identity));
    }

    @Override
    public void nestedResult(Place place, int number, Optional<byte[]> result) {
        nestedSteps.add("result " + place + " " + number + " " + text(result));
    }

    private static String text(Optional<byte[]> bytes) {
        return bytes.map(each -> new String(each, StandardCharsets.UTF_8)).orElse("nothing");
    }

    static long incarnation(String id) {
        return 1_000L + id.charAt(0);
    }

    void deliverStart(GroupParameters parameters) {
        deliver(EntryBuilder.entry("c", incarnation("c"), 1, EPOCH, Optional.of(parameters), List.of()));
    }

    /** The group's time as this rig's replica would stamp it now. */
    long groupTime() {
        return EPOCH + 1 + (now - 50_000);
    }

    // ------------------------------------------------------------ inputs

    void copy(String name, Request request) {
        copy(name, request, FinishedNumbers.NONE);
    }

    void copy(String name, Request request, FinishedNumbers finished) {
        copy(name, request, finished, Principal.UNKNOWN);
    }

    void copy(String name, Request request, FinishedNumbers finished, Principal principal) {
        answers.put(name, new ArrayList<>());
        replica.onCopies(List.of(new ReplicatedService.Arrival(request, finished, principal, new Copy(name))), now);
        hurry();
    }

    /** Copies that arrive together, called by their numbers. */
    void copies(long... numbers) {
        List<ReplicatedService.Arrival> together = new ArrayList<>();
        for (long number : numbers) {
            answers.put("" + number, new ArrayList<>());
            together.add(new ReplicatedService.Arrival(
                    request(number), FinishedNumbers.NONE, Principal.UNKNOWN, new Copy("" + number)));
        }
        replica.onCopies(together, now);
        hurry();
    }

    /** No copy has come for a moment. */
    void quiet() {
        replica.onGathered(now);
    }

    private void hurry() {
        if (!patient && gatherings > 0) {
            gatherings = 0;
            quiet();
        }
    }

    void plain(String name, String body) {
        answers.put(name, new ArrayList<>());
        replica.onPlainCall(bytes(body), 5, false, Principal.UNKNOWN, new Copy(name), now);
    }

    void deliver(OrderedEntry entry) {
        replica.onDelivered(++position, entry.encode(), now);
        hurry();
    }

    /** The oldest submission of this replica comes out of the order. */
    Submitted deliverNext() {
        Submitted next = submitted.remove();
        deliver(next.entry());
        return next;
    }

    /** An entry of another member comes out of the order, stamped with the present time. */
    void deliverOf(String member, long submission, Request... requests) {
        deliver(entryOf(member, submission, groupTime(), requests));
    }

    /** An entry of another member comes out of the order, with its report on a request that ended members if it has one. */
    void deliverOf(String member, long submission, Optional<ExecutionReport> report) {
        deliver(EntryBuilder.of(member, incarnation(member), submission, groupTime())
                .report(report)
                .entry());
    }

    static OrderedEntry entryOf(String member, long submission, long stamp, Request... requests) {
        List<Item> items = new ArrayList<>();
        for (Request request : requests) {
            items.add(new Item(request.id().client(), FinishedNumbers.NONE, Optional.of(request), Principal.UNKNOWN));
        }
        return EntryBuilder.entry(member, incarnation(member), submission, stamp, Optional.empty(), items);
    }

    /** Runs all that waits to be executed; the reply echoes the body. */
    void executeAll() {
        while (!executing.isEmpty()) {
            executeOne();
        }
        while (!marks.isEmpty()) {
            replica.onMarkedState(marks.remove(), stateDigest, now);
        }
    }

    @Override
    public void askReadIndex(long question) {
        indexQuestions.add(question);
    }

    @Override
    public void runReads(List<ReplicatedService.Read> ready, long at, long orderedTimeMillis) {
        reads.addAll(ready);
    }

    @Override
    public void digestState(long at) {
        marks.add(at);
    }

    @Override
    public void diverged(long mark, List<String> majority) {
        diverged.add("diverged at " + mark + " from " + majority);
    }

    @Override
    public void firstDifference(FirstDifference difference, List<String> majority) {
        diverged.add(words(difference));
    }

    @Override
    public void firstDisputed(FirstDifference difference, String other) {
        diverged.add("disputed " + words(difference) + " with " + other);
    }

    private static String words(FirstDifference difference) {
        return "first at "
                + difference.place().map(Place::toString).orElse("-")
                + " "
                + difference
                        .request()
                        .map(request -> new String(request.body(), StandardCharsets.UTF_8))
                        .orElse("-")
                + (difference.earliest() ? "" : " or earlier");
    }

    @Override
    public void trusted() {
        diverged.add("trusted");
    }

    @Override
    public void disputed(long mark, String votes) {
        diverged.add("disputed at " + mark);
    }

    @Override
    public void agreed() {
        diverged.add("agreed");
    }

    void executeOne() {
        Execution execution = executing.remove();
        executed.add(execution);
        replica.onExecuted(List.of(execution), List.of(servant.apply(execution.request())), now);
        hurry();
    }

    void results(String from, long submission, Result... results) {
        replica.onMessage(from, new Results(incarnation(id), submission, List.of(results)).encode(), now);
        hurry();
    }

    void tick() {
        replica.onTick(now, EPOCH + (now - 50_000));
    }

    void reportClock(String member, long wall) {
        replica.onMessage(member, new PeerMessage.WallClock(wall).encode(), now);
    }

    @Override
    public void gather() {
        gatherings++;
    }

    // ------------------------------------------------------------ what came out

    Request request(long number) {
        return request(C, number, "op" + number);
    }

    Request request(ClientId client, long number, String body) {
        return request(client, number, body, groupTime(), groupTime() + 5_000);
    }

    static Request request(ClientId client, long number, String body, long timestamp, long deadline) {
        return new Request(RequestId.own(client, number), timestamp, deadline, body.hashCode(), false, bytes(body));
    }

    static byte[] replyTo(Request request) {
        return bytes("reply to " + new String(request.body(), StandardCharsets.UTF_8));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The one answer to a copy, in words: the reply, the refusal, UNKNOWN, or "-" when there is none yet. */
    String answer(String copy) {
        List<Answer> heard = answers.getOrDefault(copy, List.of());
        assertTrue(heard.size() <= 1, copy + " was answered more than once: " + heard);
        return heard.isEmpty() ? "-" : words(heard.get(0));
    }

    static String words(Answer answer) {
        return switch (answer.kind()) {
            case REPLY -> new String(answer.reply(), StandardCharsets.UTF_8);
            case REFUSED -> answer.refusal().map(Refusal::name).orElseThrow();
            case UNKNOWN -> "UNKNOWN";
        };
    }

    /** The results sent to a member so far, in words; clears what was sent. */
    List<String> resultsSentTo(String member) {
        List<String> words = new ArrayList<>();
        for (Sent one : sent) {
            if (one.to().equals(member) && one.message() instanceof Results results) {
                assertEquals(incarnation(member), results.incarnation());
                words.add(results.submission() + ":"
                        + results.results().stream()
                                .map(result -> result.item() + "=" + words(result.answer()))
                                .toList());
            }
        }
        sent.clear();
        return words;
    }

    List<Long> numbersSubmitted() {
        return submitted.stream()
                .flatMap(one -> one.requests().stream())
                .map(request -> request.id().number())
                .toList();
    }

    @Override
    public void submit(long submission, byte[] entry) {
        submitted.add(new Submitted(submission, OrderedEntry.decode(entry)));
    }

    @Override
    public void reached(long at, long orderedTimeMillis) {
        assertTrue(executing.stream().allMatch(execution -> execution.position() < at), "before its executions");
        reached.add(at + "@" + orderedTimeMillis);
    }

    @Override
    public Optional<byte[]> drawSeed() {
        if (!draws) {
            return Optional.empty();
        }
        seedsDrawn++;
        byte[] seed = new byte[OrderedEntry.SEED_BYTES];
        seed[0] = (byte) seedsDrawn;
        return Optional.of(seed);
    }

    @Override
    public void settingDiffers(String setting, String here, String there, List<String> others) {
        settings.add(setting + ": " + here + " here, " + there + " at " + others);
    }

    @Override
    public void execute(List<Execution> executions) {
        executing.addAll(executions);
    }

    @Override
    public void answer(AnswerListener copy, Answer answer) {
        String name = ((Copy) copy).name();
        askedBefore.put(name, List.copyOf(asked));
        answers.get(name).add(answer);
    }

    @Override
    public void send(String member, byte[] message) {
        sent.add(new Sent(member, PeerMessage.decode(message)));
    }

    @Override
    public void hold(Place place) {
        asked.add("hold " + place);
    }

    @Override
    public void skip(Place place) {
        asked.add("skip " + place);
    }

    @Override
    public void takeStateBehind(Place place, List<String> executedBy) {
        asked.add("take the state behind " + place + " of " + executedBy);
    }

    @Override
    public void letGo(Place place) {
        asked.add("let go " + place);
    }

    @Override
    public void timersPending(String donor) {
        asked.add("timers are pending at " + donor);
    }

    @Override
    public void takesPart(long position) {
        asked.add("takes part from " + position);
    }

    @Override
    public void waitsForWord(Place place, String silent) {
        asked.add("wait for the word of " + silent + " on " + place);
    }

    @Override
    public void levelNotSpoken(int ofGroup, String obstacle) {
        levelsNotSpoken.add(ofGroup);
    }

    @Override
    public void parametersDiffer(GroupParameters ofGroup) {
        differing.add(ofGroup);
    }
}
