package org.amo.scmp;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.amo.base.ClientId;
import org.amo.sim.SimProcess;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;
import org.jspecify.annotations.Nullable;

/** Clients that call, and one server that executes, crashes and restarts. */
final class ScmpRpcPlay implements ScmpSimulation.Play {
    private static final int SERVICE = 0;
    private static final long CALM_TIMEOUT_MICROS = 1_000_000;

    /** Clocks are read in milliseconds, and slewed. */
    private static final long TOLERANCE = 10_000;

    private final ScmpScene scene;
    private final SimWorld world;
    private final RpcServerOptions options;
    private final boolean overload;
    private final boolean small;
    private final List<Client> clients = new ArrayList<>();
    private final Map<Long, CallRecord> calls = new HashMap<>();
    private final Set<Long> running = new HashSet<>();

    private @Nullable RpcServer server;
    private long lives;

    /** Effects that a client sees or an execution, so far. */
    private long answers;

    /** One logical call, seen from outside with its complete history. */
    private static final class CallRecord {
        private final long number;
        private final Client client;
        private final long begunAtMicros;
        private final long timeoutMicros;
        private final long life;
        private final boolean rightTime;
        private final long clientAheadMicros;
        private int executions;

        /** The server's life that executed it, 0 for none. */
        private long executedIn;

        /** When its execution ended there. */
        private long repliedAtMicros = Long.MAX_VALUE;

        private int outcomes;

        /** Whether its client was told that it never ran and never will. */
        private boolean notExecuted;

        private boolean isWaitedFor() {
            return outcomes == 0 && client.life == life;
        }

        private CallRecord(
                long number,
                Client client,
                long begunAtMicros,
                long timeoutMicros,
                long life,
                boolean rightTime,
                long clientAheadMicros) {
            this.number = number;
            this.client = client;
            this.begunAtMicros = begunAtMicros;
            this.timeoutMicros = timeoutMicros;
            this.life = life;
            this.rightTime = rightTime;
            this.clientAheadMicros = clientAheadMicros;
        }
    }

    ScmpRpcPlay(ScmpScene scene) {
        this.scene = scene;
        this.world = scene.world;
        this.overload = scene.profile.tightTables() > 0 && world.chance(0.3);
        this.small = scene.options.maxConnections() < 1_000;
        this.options = RpcServerOptions.builder()
                .scmp(scene.options)
                .services(Set.of(SERVICE))
                .replyKept(Duration.ofMillis(world.between(500, 3_000)))
                .maxComputing(overload ? (int) world.between(1, 3) : 10_000)
                .maxReplyBytes(overload ? 100 : 1 << 20)
                .build();
    }

    @Override
    public void start() {
        for (int i = 0; i < world.between(2, 5); i++) {
            clients.add(new Client("c" + i));
        }
        begin(false);
        clients.forEach(client -> world.after(world.between(300_000, 400_000), client::callLater));
        scene.disturb(clients.stream().map(client -> client.process).toList());
        scene.crash(2 * scene.profile.crashEveryMillis(), () -> server = null, this::restart);
    }

    @Override
    public void becomeCalm() {
        scene.server.setWallOffset(0);
        if (!scene.server.isUp()) {
            restart();
        }
    }

    @Override
    public void checkEnd() {
        for (CallRecord call : calls.values()) {
            boolean over = world.nowMicros() > call.begunAtMicros + call.timeoutMicros + 100_000;
            if (call.outcomes > 1 || (over && call.outcomes == 0 && call.client.life == call.life)) {
                throw new SimViolationException(
                        ScmpScene.NO_END, "call " + call.number + " ended " + call.outcomes + " times");
            }
        }
    }

    @Override
    public long operations() {
        return calls.size();
    }

    private void begin(boolean again) {
        lives++;
        running.clear();
        RpcServer begun = RpcMutants.server(scene.rules, options, scene.beginning(again), new ServerEffects());
        server = begun;
        tick(begun);
    }

    private void tick(RpcServer of) {
        if (of != server) {
            return;
        }
        of.onTick(scene.serverMicros());
        if (world.chance(0.2)) {
            long before = of.upperMicros(0);
            of.collect(scene.serverMicros());
            checkUpper(before, of);
        }
        scene.server.after(50_000, () -> tick(of));
    }

    private void checkUpper(long before, RpcServer of) {
        long now = scene.serverMicros();
        long upper = of.upperMicros(0);
        if (upper > before && upper > now - scene.options.retentionMicros().get(0)) {
            throw new SimViolationException(ScmpScene.UPPER_BEYOND, "upper " + upper + " at " + now);
        }
    }

    /** A server that is up knows its running calls, and keeps a reply for ρ at least. */
    private void checkForgotten(CallRecord call, RefusalReason reason) {
        boolean kept = call.repliedAtMicros
                > scene.serverMicros() - scene.options.retentionMicros().get(0);
        if (call.executedIn == lives && !scene.serverClockSteps && call.isWaitedFor() && kept) {
            throw new SimViolationException(ScmpScene.FORGOTTEN, "call " + call.number + ": " + reason);
        }
    }

    /** Whatever comes first, the answer or the execution. */
    private static void checkNotExecuted(CallRecord call) {
        if (call.notExecuted && call.executions > 0) {
            throw new SimViolationException(ScmpScene.NOT_EXECUTED_RAN, "call " + call.number);
        }
    }

    private void restart() {
        scene.server.restart();
        scene.restarts++;
        begin(true);
    }

    private CallRecord recordOf(long number) {
        return Objects.requireNonNull(calls.get(number));
    }

    private void trace(String line) {
        world.trace(() -> line);
    }

    private static byte[] body(long call) {
        return ByteBuffer.allocate(8).putLong(call).array();
    }

    private static long numberOf(byte[] body) {
        return ByteBuffer.wrap(body).getLong();
    }

    /** The sender of a datagram: the client, even if it has restarted when the answer arrives. */
    private record From(Client client, int mostReplyBytes) implements CallPeer {}

    private final class ServerEffects implements RpcServerEffects {
        @Override
        public void execute(Call call) {
            CallRecord record = recordOf(numberOf(call.body()));
            trace("runs call " + record.number);
            record.executions++;
            if (record.executions > 1) {
                throw new SimViolationException(ScmpScene.EXECUTED_TWICE, "call " + record.number);
            }
            checkNotExecuted(record);
            answers++;
            record.executedIn = lives;
            running.add(record.number);
            long duration = world.between(50, 3_000);
            if (record.timeoutMicros > CALM_TIMEOUT_MICROS && world.chance(0.05)) {
                duration = world.between(10_000, scene.options.retentionMicros().get(0) * 3 / 2);
            }
            RpcServer of = server;
            scene.server.after(duration, () -> {
                running.remove(record.number);
                record.repliedAtMicros = scene.serverMicros();
                if (of != null) {
                    of.onExecuted(
                            call.connection(),
                            call.timestampMicros(),
                            new Reply(false, body(record.number)),
                            scene.serverMicros());
                }
            });
        }

        @Override
        public void reply(CallPeer to, ConnectionId connection, long timestampMicros, Reply reply) {
            answers++;
            long number = numberOf(reply.body());
            CallRecord record = recordOf(number);
            trace("replies to call " + number);
            Client client = ((From) to).client;
            Long expected = client.callOf(connection, timestampMicros);
            if (expected != null && expected != number) {
                throw new SimViolationException(
                        ScmpScene.WRONG_REPLY, "the reply of call " + record.number + " goes out for call " + expected);
            }
            send(client, () -> client.core.onReply(connection, timestampMicros, reply, client.micros()));
        }

        @Override
        public void acknowledge(CallPeer to, ConnectionId connection, long timestampMicros) {
            answers++;
            Client client = ((From) to).client;
            Long number = client.callOf(connection, timestampMicros);
            if (number != null && !running.contains(number)) {
                throw new SimViolationException(ScmpScene.ACK_OF_NOTHING, "call " + number);
            }
            send(client, () -> client.core.onAck(connection, timestampMicros));
        }

        @Override
        public void hold(CallPeer to, ConnectionId connection, long timestampMicros, int replyBytes) {
            answers++;
            Client client = ((From) to).client;
            send(client, () -> client.core.onHeld(connection, timestampMicros, replyBytes, client.micros()));
        }

        @Override
        public void refuse(
                CallPeer to,
                ConnectionId connection,
                long timestampMicros,
                RefusalReason reason,
                long serverMicros,
                long boundMicros) {
            Client client = ((From) to).client;
            Long number = client.callOf(connection, timestampMicros);
            trace("refuses call " + number + ": " + reason);
            answers++;
            if (number != null && (reason == RefusalReason.STALE || reason == RefusalReason.UNKNOWN_CALL)) {
                checkForgotten(recordOf(number), reason);
            }
            long refusedAt = world.nowMicros();
            send(
                    client,
                    () -> client.onRefused(connection, timestampMicros, reason, serverMicros, boundMicros, refusedAt));
        }

        @Override
        public void storeLatest(long latestMicros) {
            RpcServer of = server;
            scene.write(latestMicros, value -> {
                if (of != null) {
                    of.onLatestStored(value);
                }
            });
        }

        private void send(Client client, Runnable arrival) {
            for (long latency : scene.copies(scene.options.retentionMicros().get(0))) {
                client.process.afterInAnyLife(latency, arrival, () -> {});
            }
        }
    }

    private final class Client implements RpcClientEffects {
        private final SimProcess process;
        private final Map<ConnectionId, Map<Long, Long>> numbers = new HashMap<>();

        /** Without a key: replies are larger than its first datagram. */
        private final boolean unproven = world.chance(0.3);

        private SteadyClock clock;
        private RpcClient core;
        private long life;
        private long endedInCalm;

        /** When the server wrote the refusal that changed its time last. */
        private long correctedByMicros;

        private Client(String name) {
            process = new SimProcess(world, name, 1);
            scene.setClock(process);
            clock = newClock();
            core = newCore();
        }

        private RpcClient newCore() {
            RpcClientOptions settings = RpcClientOptions.builder()
                    .firstRetry(Duration.ofMillis(30))
                    .minRetry(Duration.ofMillis(10))
                    .maxRetry(Duration.ofMillis(600))
                    .maxSend(Duration.ofNanos((scene.options.retentionMicros().get(0) - 3 * scene.skewMicros) * 1_000))
                    .replyAckDelay(Duration.ofMillis(world.between(0, 50)))
                    .build();
            return RpcMutants.client(scene.rules, settings, () -> new ClientId(world.bits(), world.bits()), this);
        }

        private long micros() {
            return clock.read(ScmpScene.micros(process), process.monotonicMillis() * 1_000_000);
        }

        private SteadyClock newClock() {
            return new SteadyClock(Long.MIN_VALUE, ScmpScene.micros(process), process.monotonicMillis() * 1_000_000);
        }

        /** Whether its timestamps are in order: by its clock, or since a server put it right. */
        private boolean hasRightTime() {
            boolean byClock = Math.abs(aheadMicros() + core.clockOffsetMicros()) <= scene.skewMicros / 2 + 2_000;
            return byClock || endedInCalm > 0;
        }

        private @Nullable Long callOf(ConnectionId connection, long timestampMicros) {
            return numbers.getOrDefault(connection, Map.of()).get(timestampMicros);
        }

        private void onRefused(
                ConnectionId connection,
                long timestampMicros,
                RefusalReason reason,
                long serverMicros,
                long boundMicros,
                long refusedAtMicros) {
            long before = core.clockOffsetMicros();
            core.onRefused(connection, timestampMicros, reason, serverMicros, boundMicros, micros());
            long after = core.clockOffsetMicros();
            Long number = callOf(connection, timestampMicros);
            if (after != before && number != null) {
                trace(process.name() + " changes its offset from " + before + " to " + after + " us: " + reason
                        + " of call " + number);
                checkCorrection(recordOf(number), before, after, refusedAtMicros);
            }
        }

        /** A late refusal may be no help; it must not do harm. */
        private void checkCorrection(CallRecord call, long before, long after, long refusedAtMicros) {
            if (refusedAtMicros < correctedByMicros) {
                throw new SimViolationException(
                        ScmpScene.UNDONE, "call " + call.number + ", refused at " + refusedAtMicros + " us");
            }
            correctedByMicros = refusedAtMicros;
            boolean steady = !scene.serverClockSteps && Math.abs(aheadMicros() - call.clientAheadMicros) < TOLERANCE;
            long server = scene.serverMicros();
            long errorBefore = Math.abs(micros() + before - server);
            long errorAfter = Math.abs(micros() + after - server);
            if (steady && errorAfter > errorBefore + TOLERANCE) {
                throw new SimViolationException(
                        ScmpScene.LED_ASTRAY,
                        "call " + call.number + ": off by " + errorBefore + ", then " + errorAfter + " us");
            }
        }

        /** How far its own clock is ahead of real time. */
        private long aheadMicros() {
            return micros() - SimProcess.EPOCH_MILLIS * 1_000 - world.nowMicros();
        }

        private void callLater() {
            process.afterInAnyLife(world.about(20_000), this::call, () -> {});
        }

        private void call() {
            if (!scene.calm && world.happens("clientRestart", 0.003)) {
                life++;
                clock = newClock();
                core = newCore();
                correctedByMicros = 0;
                clientTick(core);
            }
            if (!core.needsTicks()) {
                clientTick(core);
            }
            long number = calls.size() + 1L;
            long timeout = scene.calm
                    ? CALM_TIMEOUT_MICROS
                    : 3 * scene.options.retentionMicros().get(0);
            CallRecord record =
                    new CallRecord(number, this, world.nowMicros(), timeout, life, hasRightTime(), aheadMicros());
            calls.put(number, record);
            trace(process.name() + " begins call " + number);
            if (!scene.calm || world.nowMillis() < 15_000 + 400) {
                long serverLife = lives;
                core.begin(SERVICE, body(number), timeout, outcome -> ended(record, serverLife, outcome), micros());
            } else {
                record.outcomes = 1;
                return;
            }
            callLater();
        }

        private void clientTick(RpcClient of) {
            process.after(5_000, () -> {
                if (of == core) {
                    of.onTick(micros());
                    if (of.needsTicks()) {
                        clientTick(of);
                    }
                }
            });
        }

        private void ended(CallRecord record, long serverLife, CallOutcome outcome) {
            trace("call " + record.number + " ends " + outcome.kind() + " " + outcome.reason());
            record.outcomes++;
            record.notExecuted = outcome.kind() == CallOutcome.Kind.NOT_EXECUTED;
            checkNotExecuted(record);
            endedInCalm += scene.calm && record.begunAtMicros > 15_000_000 ? 1 : 0;
            if (outcome.kind() == CallOutcome.Kind.REPLY) {
                if (numberOf(outcome.body()) != record.number) {
                    throw new SimViolationException(
                            ScmpScene.WRONG_REPLY,
                            "call " + record.number + " took the reply of " + numberOf(outcome.body()));
                }
                if (record.executions != 1) {
                    throw new SimViolationException(ScmpScene.WRONG_REPLY, "call " + record.number + " never ran");
                }
                return;
            }
            // A right clock may still be behind by the skew: the bound must have been past it when the call began.
            long begun = scene.serverMicros() - (world.nowMicros() - record.begunAtMicros);
            long upper = server == null ? Long.MAX_VALUE : server.upperMicros(0);
            boolean upperIsPast = server != null
                    && upper <= begun - scene.skewMicros
                    && server.latestMicros(scene.serverMicros()) > scene.serverMicros();
            if (record.rightTime
                    && scene.disk.isInTime()
                    && record.begunAtMicros > 15_300_000
                    && upperIsPast
                    && !small
                    && !overload
                    && lives == serverLife) {
                throw new SimViolationException(
                        ScmpScene.LOCKED_OUT,
                        "call " + record.number + " ends " + outcome.kind() + " " + outcome.reason() + ", begun at "
                                + begun + " of the server's clock with upper " + upper);
            }
        }

        @Override
        public void call(Call call, int roomForReplyBytes) {
            numbers.computeIfAbsent(call.connection(), id -> new HashMap<>())
                    .put(call.timestampMicros(), numberOf(call.body()));
            send(() -> arrive(call.connection(), call.timestampMicros(), () -> with().onCall(
                            new From(this, unproven ? roomForReplyBytes : 8), call, scene.serverMicros())));
        }

        @Override
        public void truncatedCall(ConnectionId connection, long timestampMicros, int roomForReplyBytes) {
            send(() -> with().onTruncatedCall(
                            new From(this, unproven ? roomForReplyBytes : 8),
                            connection,
                            timestampMicros,
                            scene.serverMicros()));
        }

        @Override
        public void replyAck(ConnectionId connection, long timestampMicros) {
            send(() -> with().onReplyAck(connection, timestampMicros));
        }

        private void send(Runnable arrival) {
            for (long latency : scene.copies(scene.options.retentionMicros().get(0))) {
                scene.server.afterInAnyLife(
                        latency,
                        () -> {
                            if (server != null) {
                                arrival.run();
                            }
                        },
                        () -> {});
            }
        }

        /** An attempt arrives: a waiting client must be answered, and upper must not rise beyond old timestamps. */
        private void arrive(ConnectionId connection, long timestampMicros, Runnable input) {
            long before = with().upperMicros(0);
            long answersBefore = answers;
            input.run();
            checkUpper(before, with());
            Long number = callOf(connection, timestampMicros);
            if (answers == answersBefore && number != null && recordOf(number).isWaitedFor()) {
                throw new SimViolationException(ScmpScene.IGNORED, "call " + number);
            }
        }

        private RpcServer with() {
            return Objects.requireNonNull(server);
        }
    }
}
