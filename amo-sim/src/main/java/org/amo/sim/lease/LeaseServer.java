package org.amo.sim.lease;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.lease.LeaseValidator;
import org.amo.linearizable.rpclog.KeyRange;
import org.amo.linearizable.rpclog.PendingRemovals;
import org.amo.linearizable.rpclog.RangeRecovery;
import org.amo.linearizable.rpclog.RpcHeader;
import org.amo.linearizable.rpclog.RpcId;
import org.amo.linearizable.rpclog.RpcLogEffects;
import org.amo.linearizable.rpclog.RpcLogOptions;
import org.amo.linearizable.rpclog.RpcRecord;
import org.amo.linearizable.rpclog.RpcVerdict;
import org.amo.linearizable.rpclog.UnackedRpcResults;
import org.amo.sim.SimProcess;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;
import org.amo.sim.rules.RuleSet;

/** A server of {@code lease}: drives the cores as a shell does, on a disk that outlives it. */
final class LeaseServer {
    private static final long RETRY_MICROS = 30_000;
    private static final int TABLE = 1;

    private final SimWorld world;
    private final LeaseNetwork network;
    private final LeaseLedger ledger;
    private final LeaseCoordinator coordinator;
    private final List<LeaseServer> servers;
    private final RuleSet<LeaseRule> rules;
    private final long termMillis;
    private final int index;
    private final SimProcess process;
    private final LeaseStore store;

    private LeaseValidator lease;
    private PendingRemovals removals;
    private UnackedRpcResults table;
    private final Map<Integer, LeaseObject> objects = new HashMap<>();
    private final Set<Integer> serving = new HashSet<>();
    private final Set<Integer> recovering = new HashSet<>();
    private final Map<Long, Long> heardAtWall = new HashMap<>();

    /** The reply to a client. */
    interface Reply {
        /** {@code result} is only there with EXECUTE or REPLAY. */
        void on(RpcVerdict verdict, long result, ClusterTime time);
    }

    LeaseServer(
            SimWorld world,
            LeaseNetwork network,
            LeaseLedger ledger,
            LeaseCoordinator coordinator,
            List<LeaseServer> servers,
            RuleSet<LeaseRule> rules,
            long termMillis,
            int index) {
        this.world = world;
        this.network = network;
        this.ledger = ledger;
        this.coordinator = coordinator;
        this.servers = servers;
        this.rules = rules;
        this.termMillis = termMillis;
        this.index = index;
        this.process = new SimProcess(world, "s" + index, 1 + world.between(-50, 50) / 1_000_000.0);
        this.store = new LeaseStore(world, process);
        this.lease = LeaseMutants.validator(rules);
        this.removals = LeaseMutants.removals(rules);
        this.table = newTable();
        process.setWallOffset(world.between(-3_600_000, 3_600_000));
    }

    private UnackedRpcResults newTable() {
        RpcLogEffects effects = new RpcLogEffects() {
            @Override
            public void acknowledged(RpcId id) {
                removals.acknowledged(id);
            }

            @Override
            public void forgotten(LeaseId client) {
                world.trace(() -> process.name() + " forgets client " + client.value() + " at "
                        + lease.now().millis());
                ledger.onForgotten(client, process.name());
                removals.forgotten(client);
            }
        };
        return LeaseMutants.results(
                rules,
                lease,
                RpcLogOptions.builder(0).window(64).maxClients(1_000).build(),
                effects);
    }

    int index() {
        return index;
    }

    SimProcess process() {
        return process;
    }

    boolean isUp() {
        return process.isUp();
    }

    LeaseStore store() {
        return store;
    }

    boolean serves(int range) {
        return process.isUp() && serving.contains(range);
    }

    void crash() {
        process.crash();
        store.crash();
        world.trace(() -> process.name() + " crashes");
    }

    void restart() {
        process.restart();
        start();
    }

    /** Nothing is known but the disk; the coordinator says which ranges on it still count. */
    void start() {
        lease = LeaseMutants.validator(rules);
        removals = LeaseMutants.removals(rules);
        table = newTable();
        objects.clear();
        serving.clear();
        recovering.clear();
        heardAtWall.clear();
        join(lease.mustLearn());
        process.after(world.between(0, termMillis * 100), this::sweep);
    }

    private void join(long question) {
        askUntilAnswered(stamp -> new Joined(coordinator.settledRangesOf(index), coordinator.time(stamp)), answer -> {
            if (!lease.isReady()) {
                lease.onLearned(question, answer.time);
            }
            load(answer.ranges);
            process.after(world.between(0, 5_000), this::takeOver);
        });
    }

    private record Joined(List<Integer> ranges, ClusterTime time) {}

    /** Recovery from the own disk. */
    private void load(List<Integer> ranges) {
        table.beginRecovery();
        store.bounds().forEach((client, ackId) -> table.recoverBound(new LeaseId(client), ackId));
        for (RpcRecord record : store.records()) {
            if (ranges.contains(LeaseOperation.rangeOf(LeaseOperation.keyOf(record.keyHash())))) {
                table.recoverRecord(record.id(), record.ackId());
            } else {
                table.recoverBound(record.id().client(), record.ackId());
            }
        }
        table.endRecovery();
        for (int range : ranges) {
            ledger.onRecovered(store, range, process.name());
            store.objects().forEach((key, object) -> {
                if (LeaseOperation.rangeOf(key) == range) {
                    objects.put(key, object);
                }
            });
            serve(range);
        }
    }

    private void serve(int range) {
        serving.add(range);
        world.trace(() ->
                process.name() + " serves range " + range + " at " + lease.now().millis());
        network.release(range, 0.5);
    }

    /** Ranges of dead servers that the coordinator gave to this one. */
    private void takeOver() {
        for (int range = 0; range < LeaseOperation.RANGES; range++) {
            int from = coordinator.sourceOf(range);
            if (coordinator.ownerOf(range) == index && from >= 0 && recovering.add(range)) {
                int each = range;
                process.after(world.between(100, 20_000), () -> recover(each, servers.get(from).store));
            }
        }
        process.after(20_000, this::takeOver);
    }

    private void recover(int range, LeaseStore disk) {
        ledger.onRecovered(disk, range, process.name());
        long width = -1L >>> 2;
        long first = (long) range << 62;
        RangeRecovery recovery = LeaseMutants.recovery(rules, List.of(new KeyRange(TABLE, first, first + width)));
        disk.records().forEach(recovery::onRecord);
        disk.bounds().forEach((client, ackId) -> recovery.onBound(new LeaseId(client), ackId));
        Map<Integer, LeaseObject> taken = new HashMap<>();
        disk.objects().forEach((key, object) -> {
            if (recovery.isMine(TABLE, LeaseOperation.hashOf(key))) {
                taken.put(key, object);
            }
        });
        LeaseStore.Batch batch = new LeaseStore.Batch();
        batch.clearRange(range);
        taken.forEach(batch::putObject);
        recovery.takeOver(batch, table, removals);
        store.write(batch, () -> {
            long question = lease.mustLearn();
            askUntilAnswered(stamp -> coordinator.recovered(range, index, stamp), time -> {
                if (!lease.isReady()) {
                    lease.onLearned(question, time);
                }
                objects.putAll(taken);
                serve(range);
            });
        });
    }

    private <T> void askUntilAnswered(Function<ClusterTime, T> input, Consumer<T> answer) {
        attempt(input, answer, new boolean[1]);
    }

    private <T> void attempt(Function<ClusterTime, T> input, Consumer<T> answer, boolean[] answered) {
        coordinator.ask(process, input, result -> {
            if (!answered[0]) {
                answered[0] = true;
                answer.accept(result);
            }
        });
        process.after(RETRY_MICROS, () -> {
            if (!answered[0]) {
                attempt(input, answer, answered);
            }
        });
    }

    /** An attempt of a call arrives. */
    void onCall(RpcHeader header, LeaseOperation operation, Reply reply) {
        if (!serves(operation.range())) {
            return;
        }
        heardAtWall.put(header.id().client().value(), process.wallMillis());
        RpcVerdict verdict = table.start(header);
        if (verdict != RpcVerdict.LEASE_IN_DOUBT) {
            act(verdict, header.id(), header.ackId(), operation, reply);
            return;
        }
        coordinator.ask(process, stamp -> coordinator.check(header.id().client(), stamp), answer -> {
            RpcVerdict again = table.start(header, answer);
            act(again, header.id(), header.ackId(), operation, reply);
        });
    }

    private void act(RpcVerdict verdict, RpcId id, long ackId, LeaseOperation operation, Reply reply) {
        world.trace(() -> process.name() + " " + verdict + " " + LeaseLedger.text(id) + " ackId " + ackId
                + " operation " + operation.serial() + " at " + lease.now().millis());
        switch (verdict) {
            case EXECUTE -> {
                long computing = world.chance(0.1) ? world.between(0, 300_000) : world.between(0, 4_000);
                process.after(computing, () -> execute(id, ackId, operation, reply));
            }
            case REPLAY -> {
                RpcRecord record = store.record(id)
                        .orElseThrow(() -> new SimViolationException(
                                LeaseLedger.TORN, process.name() + " has no record to answer " + LeaseLedger.text(id)));
                reply.on(verdict, new WireReader("result", record.result()).i64("result"), lease.now());
            }
            case STALE, LEASE_EXPIRED, BEYOND_WINDOW -> {
                ledger.onRefused(id, verdict, process.name());
                reply.on(verdict, 0, lease.now());
            }
            case RETRY_LATER, NOT_NOW, LEASE_IN_DOUBT -> reply.on(verdict, 0, lease.now());
        }
    }

    private void execute(RpcId id, long ackId, LeaseOperation operation, Reply reply) {
        if (network.failsExecution()) {
            table.reset(id);
            reply.on(RpcVerdict.RETRY_LATER, 0, lease.now());
            return;
        }
        LeaseObject before = objects.getOrDefault(operation.key(), LeaseObject.NONE);
        ledger.onExecute(operation, before, id, process.name());
        LeaseObject after = operation.applyTo(before);
        objects.put(operation.key(), after);
        long result = Objects.requireNonNull(after.last()).result();
        WireWriter writer = new WireWriter(8);
        writer.i64(result);
        RpcRecord record = new RpcRecord(id, ackId, TABLE, LeaseOperation.hashOf(operation.key()), writer.toBytes());
        boolean recorded = result != LeaseOperation.REFUSED || rules.holds(LeaseRule.EVERY_ANSWER_IS_RECORDED);

        LeaseStore.Batch batch = new LeaseStore.Batch();
        batch.putObject(operation.key(), after);
        if (!rules.holds(LeaseRule.ONE_WRITE)) {
            store.write(batch, () -> {});
            batch = new LeaseStore.Batch();
        }
        if (recorded) {
            removals.addForgotten(batch);
            batch.putRecord(record);
        }
        removals.addTo(batch, recorded ? List.of(record) : List.of(), table);
        boolean early = !rules.holds(LeaseRule.DURABLE_BEFORE_REPLY);
        store.write(batch, () -> {
            if (recorded) {
                table.complete(id);
            } else {
                table.reset(id);
            }
            if (!early) {
                reply.on(RpcVerdict.EXECUTE, result, lease.now());
            }
        });
        if (early) {
            reply.on(RpcVerdict.EXECUTE, result, lease.now());
        }
    }

    /** Reads are not numbered; a version that a read shows must not be lost in a crash. */
    void onRead(int key, LongConsumer version) {
        if (serves(LeaseOperation.rangeOf(key))) {
            long seen = objects.getOrDefault(key, LeaseObject.NONE).version();
            store.afterAll(() -> version.accept(seen));
        }
    }

    private void sweep() {
        if (rules.holds(LeaseRule.AUTHORITY_IS_ASKED)) {
            // Without calls no message mentions the time, and no lease would ever seem to be over.
            coordinator.ask(process, coordinator::time, time -> {
                lease.onHeard(time);
                table.sweep(0, Integer.MAX_VALUE, this::askAbout);
            });
        } else {
            heardAtWall.forEach((client, wall) -> {
                if (process.wallMillis() - wall > termMillis) {
                    table.onLease(over(new LeaseId(client)));
                }
            });
        }
        LeaseStore.Batch batch = new LeaseStore.Batch();
        removals.addTo(batch, List.of(), table);
        if (!batch.isEmpty()) {
            store.write(batch, () -> {});
        }
        process.after(termMillis * 125, this::sweep);
    }

    private void askAbout(LeaseId client) {
        if (rules.holds(LeaseRule.RENEWALS_COUNT)) {
            coordinator.ask(process, stamp -> coordinator.check(client, stamp), answer -> table.onLease(answer));
        } else {
            process.after(0, () -> table.onLease(over(client)));
        }
    }

    private LeaseAnswer over(LeaseId client) {
        return new LeaseAnswer(LeaseAnswer.Status.EXPIRED, client, lease.now(), lease.now());
    }

    /** In the end: the records left belong to live clients. */
    void checkEnd(int live, int window) {
        Map<Long, Integer> kept = new HashMap<>();
        for (RpcRecord record : store.records()) {
            if (serves(LeaseOperation.rangeOf(LeaseOperation.keyOf(record.keyHash())))) {
                kept.merge(record.id().client().value(), 1, Integer::sum);
            }
        }
        kept.forEach((client, count) -> {
            if (ledger.isOver(new LeaseId(client)) || count > window + 1) {
                ledger.fail(
                        LeaseLedger.STAYS,
                        process.name() + " keeps " + count + " records of client " + client
                                + (ledger.isOver(new LeaseId(client)) ? " whose lease is over" : ", window " + window));
            }
        });
        if (table.clients() > live) {
            ledger.fail(
                    LeaseLedger.STAYS, process.name() + " knows " + table.clients() + " clients, " + live + " live");
        }
    }
}
