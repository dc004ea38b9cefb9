package org.amo.sim.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAgent;
import org.amo.linearizable.lease.LeaseAgentEffects;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rpclog.RpcHeader;
import org.amo.linearizable.rpclog.RpcId;
import org.amo.linearizable.rpclog.RpcTracker;
import org.amo.linearizable.rpclog.RpcVerdict;
import org.amo.sim.SimProcess;
import org.amo.sim.SimWorld;
import org.amo.sim.rules.RuleSet;

/** A client of {@code lease}: sends calls until they are answered, as long as its lease lasts. */
final class SimLeaseClient implements LeaseAgentEffects {
    private static final long TICK_MICROS = 10_000;

    private final SimWorld world;
    private final LeaseNetwork network;
    private final LeaseLedger ledger;
    private final LeaseCoordinator coordinator;
    private final List<LeaseServer> servers;
    private final RuleSet<LeaseRule> rules;
    private final int window;
    private final long gapMicros;
    private final SimProcess process;
    private final LeaseAgent agent;

    private RpcTracker tracker;
    private long lease;
    private long last;
    private final TreeMap<Long, Call> calls = new TreeMap<>();
    private final List<LeaseOperation> again = new ArrayList<>();
    private boolean issuing = true;

    /** A call without an answer. */
    private static final class Call {
        final LeaseOperation operation;
        final long giveUpMicros;
        long nextMicros;

        Call(LeaseOperation operation, long giveUpMicros) {
            this.operation = operation;
            this.giveUpMicros = giveUpMicros;
        }
    }

    SimLeaseClient(
            SimWorld world,
            LeaseNetwork network,
            LeaseLedger ledger,
            LeaseCoordinator coordinator,
            List<LeaseServer> servers,
            RuleSet<LeaseRule> rules,
            long termMillis,
            int window,
            String name) {
        this.world = world;
        this.network = network;
        this.ledger = ledger;
        this.coordinator = coordinator;
        this.servers = servers;
        this.rules = rules;
        this.window = window;
        this.gapMicros = world.between(10_000, 120_000);
        this.process = new SimProcess(world, name, 1 + world.between(-50, 50) / 1_000_000.0);
        this.agent = new LeaseAgent(termMillis / 20, 50, this);
        this.tracker = new RpcTracker(new LeaseId(1), window);
        process.after(world.between(0, 50_000), () -> {
            agent.open(process.monotonicMillis());
            tick();
            work();
        });
    }

    SimProcess process() {
        return process;
    }

    void stopIssuing() {
        issuing = false;
    }

    /** Calls without an answer at the end of a healed world. */
    int open() {
        return calls.size() + again.size();
    }

    @Override
    public void open(long attempt) {
        coordinator.ask(
                process, coordinator::open, answer -> agent.onAnswer(attempt, answer, process.monotonicMillis()));
    }

    @Override
    public void renew(LeaseId client, long attempt) {
        coordinator.renew(process, client, answer -> {
            ledger.onTold(answer);
            agent.onAnswer(attempt, answer, process.monotonicMillis());
        });
    }

    @Override
    public void onOpened(LeaseId client) {
        ledger.onOpened(client, this);
        tracker = LeaseMutants.tracker(rules, client, window);
        lease = client.value();
        last = 0;
    }

    @Override
    public void onLost(LeaseId client) {
        // Whether they ran is not known, and never will be.
        if (!rules.holds(LeaseRule.UNKNOWN_IS_FINAL)) {
            calls.values().forEach(call -> again.add(call.operation));
        }
        calls.clear();
        lease = 0;
        process.after(world.between(1_000, 30_000), () -> agent.open(process.monotonicMillis()));
    }

    private void tick() {
        agent.onTick(process.monotonicMillis());
        if (lease > 0) {
            for (Map.Entry<Long, Call> each : List.copyOf(calls.entrySet())) {
                long number = each.getKey();
                Call call = each.getValue();
                if (world.nowMicros() >= call.giveUpMicros) {
                    finish(number);
                } else if (world.nowMicros() >= call.nextMicros && agent.mayCall(process.monotonicMillis())) {
                    send(number, call);
                }
            }
        }
        process.after(TICK_MICROS, this::tick);
    }

    private void work() {
        process.after(world.about(gapMicros), () -> {
            if (issuing) {
                work();
            }
            if (lease == 0 || !agent.mayCall(process.monotonicMillis())) {
                return;
            }
            if (!again.isEmpty()) {
                begin(again.remove(0));
            } else if (issuing && world.chance(0.2)) {
                read();
            } else if (issuing) {
                begin(draw());
            }
        });
    }

    private LeaseOperation draw() {
        int key = world.index(LeaseOperation.KEYS);
        LeaseOperation.Kind kind =
                switch (world.index(3)) {
                    case 0 -> LeaseOperation.Kind.WRITE;
                    case 1 -> LeaseOperation.Kind.CONDITIONAL_WRITE;
                    default -> LeaseOperation.Kind.INCREMENT;
                };
        long version = ledger.leastVersion(key) + (world.chance(0.3) ? world.between(-1, 1) : 0);
        return ledger.issue(kind, key, world.between(1, 1_000), version);
    }

    private void begin(LeaseOperation operation) {
        OptionalLong number = tracker.take();
        if (number.isEmpty()) {
            return;
        }
        boolean impatient = world.chance(0.1);
        Call call = new Call(operation, impatient ? world.nowMicros() + world.between(5_000, 200_000) : Long.MAX_VALUE);
        last = number.getAsLong();
        calls.put(last, call);
        ledger.onSent(new RpcId(new LeaseId(lease), last), operation);
        send(last, call);
    }

    private void send(long number, Call call) {
        call.nextMicros = world.nowMicros() + world.between(20_000, 150_000);
        RpcHeader header = tracker.header(number, agent.expires(), agent.clusterTime());
        long life = process.life();
        LeaseServer.Reply reply = (verdict, result, time) ->
                network.carry(() -> process.afterInLife(life, 0, () -> onReply(header.id(), verdict, result, time)));
        int range = call.operation.range();
        network.carryCall(range, () -> {
            LeaseServer server = servers.get(coordinator.ownerOf(range));
            server.process().afterInAnyLife(0, () -> server.onCall(header, call.operation, reply), () -> {});
        });
    }

    private void onReply(RpcId id, RpcVerdict verdict, long result, ClusterTime time) {
        agent.onHeard(time);
        if (verdict != RpcVerdict.EXECUTE && verdict != RpcVerdict.REPLAY) {
            return;
        }
        boolean mine = id.client().value() == lease;
        Call call = mine ? calls.get(id.number()) : null;
        if (call == null) {
            return;
        }
        LeaseServer server = servers.get(coordinator.ownerOf(call.operation.range()));
        LeaseObject durable = server.store().objects().getOrDefault(call.operation.key(), LeaseObject.NONE);
        ledger.onAnswer(id, result, durable, server.serves(call.operation.range()));
        finish(id.number());
    }

    /** Answered, or abandoned: in both cases no attempt is sent any more. */
    private void finish(long number) {
        calls.remove(number);
        tracker.finish(number);
        ledger.onFinished(new LeaseId(lease), calls.isEmpty() ? last : calls.firstKey() - 1);
    }

    private void read() {
        int key = world.index(LeaseOperation.KEYS);
        long least = ledger.leastVersion(key);
        LeaseServer server = servers.get(coordinator.ownerOf(LeaseOperation.rangeOf(key)));
        long life = process.life();
        network.carry(() -> server.process()
                .afterInAnyLife(
                        0,
                        () -> server.onRead(
                                key,
                                version -> network.carry(
                                        () -> process.afterInLife(life, 0, () -> ledger.onRead(key, least, version)))),
                        () -> {}));
    }
}
