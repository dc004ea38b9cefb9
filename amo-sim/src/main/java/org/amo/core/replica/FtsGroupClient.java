package org.amo.core.replica;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.amo.base.ClientId;
import org.amo.core.client.Attempt;
import org.amo.core.client.ClientSession;
import org.amo.core.client.Delivery;
import org.amo.core.client.GroupClient;
import org.amo.core.client.GroupClientEffects;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.sim.SimProcess;
import org.amo.sim.SimViolationException;

/** A plain Java client: {@link GroupClient} as {@code AmoClient} drives it, over simulated connections. */
class FtsGroupClient extends FtsClient implements GroupClientEffects<FtsClient.Call> {
    private static final long NEVER = Long.MAX_VALUE;

    /** The attempts that are out on each open connection. */
    private final Map<Integer, Connection> connections = new HashMap<>();

    private ClientSession session;
    private GroupClient<Call> core;
    private long tickAtMillis = NEVER;
    final boolean repeats;

    /** With an identity: this life, and former ones with open calls. */
    private FtsIdentities.Life life = new FtsIdentities.Life(new ClientId(0, 0));

    private final List<FtsIdentities.Life> former = new ArrayList<>();

    /** Of this life, without an outcome. */
    private final Set<Call> begun = new LinkedHashSet<>();

    private static final class Connection {
        final Map<Long, FtsCopy> out = new LinkedHashMap<>();
    }

    FtsGroupClient(FtsGroup group, SimProcess process, int threads, boolean repeats) {
        super(group, process, threads, repeats);
        this.repeats = repeats;
        this.session = new ClientSession(new ClientId(0, 0));
        this.core = new GroupClient<>(session, group.size(), 0, this);
    }

    @Override
    void begin(ClientSession anew) {
        long[] attempts = {150, 500, 20_000, 20_000};
        long attemptMillis = attempts[group.isPatient() ? 3 : world.index(attempts.length)];
        session = anew;
        core = new GroupClient<>(anew, group.size(), world.index(group.size()), attemptMillis, datagrams(anew), this);
        connections.clear();
        tickAtMillis = NEVER;
    }

    GroupClient.Datagrams datagrams(ClientSession of) {
        return group.datagrams().policy(of.id());
    }

    GroupClient<Call> core() {
        return core;
    }

    @Override
    ClientSession newSession(ClientId id, Delivery delivery) {
        if (!group.identities().isOn()) {
            return super.newSession(id, delivery);
        }
        boolean again = mutant() == FtsIdentities.Mutant.NUMBERS_REUSED && !former.isEmpty();
        life = new FtsIdentities.Life(again ? life.id() : id);
        FtsIdentities.Life present = life;
        return new ClientSession(life.id(), delivery, number -> {
            if (mutant() != FtsIdentities.Mutant.UNHANDLED_ACKNOWLEDGED) {
                present.open().remove(number);
            }
        });
    }

    private FtsIdentities.Mutant mutant() {
        return group.identities().mutant();
    }

    @Override
    void crash() {
        super.crash();
        if (group.identities().isOn()) {
            Set<Long> noted = life.open().values().stream()
                    .map(FtsIdentities.Noted::token)
                    .collect(Collectors.toSet());
            begun.stream().filter(call -> !noted.contains(call.token)).forEach(call -> group.ledger()
                    .notExecuted(call.token, "its client crashed and had not noted it"));
            begun.clear();
            former.add(life);
        }
    }

    @Override
    void restart() {
        super.restart();
        former.removeIf(each -> each.open().isEmpty() && mutant() != FtsIdentities.Mutant.NUMBERS_REUSED);
        former.forEach(each -> new FtsRecoveringClient(group, process, repeats, each).recover());
    }

    @Override
    void checkRecovered() {
        for (FtsIdentities.Life each : former) {
            // A clock that was ahead has made calls for later: they may still run then.
            each.open().values().removeIf(noted -> noted.identity().timestampMillis() > group.timeMillis());
            if (!each.open().isEmpty()) {
                throw new SimViolationException(
                        FtsLedger.UNRECOVERED,
                        process.name() + " has no outcome of " + each.open().values());
            }
        }
    }

    boolean isNoted(Call call) {
        return group.identities().isOn() && !call.oneway;
    }

    private void note(Call caller, Attempt attempt) {
        if (!isNoted(caller) || life.open().containsKey(attempt.id().number())) {
            return;
        }
        FtsIdentities.Noted noted = new FtsIdentities.Noted(caller.token, attempt.identity(), group.life(), false);
        FtsIdentities.Life present = life;
        Runnable write = () -> present.open().putIfAbsent(attempt.id().number(), noted);
        if (mutant() == FtsIdentities.Mutant.NOTED_LATE) {
            process.after(group.identities().lateMicros(), () -> {
                if (begun.contains(caller)) {
                    write.run();
                }
            });
        } else {
            write.run();
        }
    }

    @Override
    public boolean isHandled(Call caller) {
        return !isNoted(caller) || mutant() == FtsIdentities.Mutant.UNHANDLED_ACKNOWLEDGED;
    }

    @Override
    void onceHandled(Call call, Runnable finished) {
        begun.remove(call);
        if (!isNoted(call)) {
            finished.run();
            return;
        }
        FtsIdentities.Life present = life;
        process.after(group.identities().handlingMicros(), () -> {
            core.onHandled(call);
            present.open().values().removeIf(noted -> noted.token() == call.token);
            finished.run();
            arm();
        });
    }

    @Override
    ClientSession session() {
        return session;
    }

    @Override
    void call(Call call) {
        if (isNoted(call)) {
            begun.add(call);
        }
        core.onCall(call, FtsServant.body(call.token), call.oneway, call.timeoutMillis, now(), wall());
        arm();
    }

    void arm() {
        long due = core.nextDeadline();
        if (due >= tickAtMillis) {
            return;
        }
        tickAtMillis = due;
        process.after(Math.max(1, due - now()) * 1_000, () -> {
            if (tickAtMillis == due) {
                tickAtMillis = NEVER;
                core.onTick(now(), wall());
                arm();
            }
        });
    }

    @Override
    public void connect(int member) {
        long micros = world.between(50, 2_000);
        if (world.happens("connectFailed", group.networkFaults().requestLost())) {
            process.after(world.between(1_000, 300_000), () -> disconnected(member));
            return;
        }
        FtsNode node = group.node(member);
        process.after(micros, () -> {
            if (!node.process().isRunning()) {
                disconnected(member);
                return;
            }
            long upper = node.upperMillis();
            process.after(micros, () -> {
                connections.put(member, new Connection());
                core.onConnected(member, upper, now(), wall());
                if (world.chance(0.5) && group.raft().leader() >= 0) {
                    core.onLeader(group.raft().leader(), now(), wall());
                }
                arm();
            });
        });
    }

    /** The connection is gone, and with it each attempt without an answer. */
    private void disconnected(int member) {
        Connection gone = connections.remove(member);
        if (gone != null) {
            gone.out.values().forEach(FtsCopy::close);
        }
        core.onDisconnected(member, now(), wall());
        arm();
    }

    private Connection open(int member) {
        Connection connection = connections.get(member);
        if (connection == null) {
            throw new IllegalStateException("no connection to member " + member);
        }
        return connection;
    }

    private void broken(int member, Connection connection) {
        if (connections.get(member) == connection) {
            disconnected(member);
        }
    }

    @Override
    public void send(int member, Call caller, Attempt copy) {
        Connection connection = open(member);
        note(caller, copy);
        FtsCopy sent = copyOf(caller, copy.identity(), copy.finished(), member, new FtsCopy.Sender() {
            @Override
            public void onAnswer(Answer answer) {
                connection.out.remove(copy.copy());
                core.onAnswer(member, copy.copy(), answer, now(), wall());
                if (world.chance(group.networkFaults().broken() / 4)) {
                    drain(member, connection);
                }
                arm();
            }

            @Override
            public void onLost() {
                connection.out.remove(copy.copy());
                broken(member, connection);
            }
        });
        connection.out.put(copy.copy(), sent);
    }

    @Override
    public boolean fitsDatagram(int member, Call caller) {
        return caller.token % 8 > 0;
    }

    /** Its answer may be lost as well, and then nothing is heard of it; a closed port is told at most. */
    @Override
    public void sendDatagram(int member, Call caller, Attempt copy) {
        note(caller, copy);
        datagramOf(caller, copy.identity(), copy.finished(), member, new FtsCopy.Sender() {
            @Override
            public void onAnswer(Answer answer) {
                if (copy.copy() % 16 == 0 && answer.kind() == Answer.Kind.REPLY) {
                    core.onDatagramTurnedAway(member, copy.copy(), true, now(), wall());
                } else {
                    core.onAnswer(member, copy.copy(), answer, now(), wall());
                }
                arm();
            }

            @Override
            public void onLost() {}

            @Override
            public void onNotSent() {
                core.onDatagramsRefused(member, now(), wall());
                arm();
            }
        });
    }

    @Override
    public void acknowledgeByDatagram(int member, long timestampMillis, FinishedNumbers finished) {
        FtsCopy copy = new FtsCopy(group.network(), process, "flush", answer -> {
            throw new IllegalStateException("acknowledgements are not answered");
        });
        group.network().send(copy, member, true, (node, arrived) -> node.onFinished(session.id(), finished));
    }

    private void drain(int member, Connection connection) {
        world.fault("draining");
        core.onDraining(member, now(), wall());
        process.after(world.between(10, 300) * 1_000, () -> broken(member, connection));
    }

    @Override
    public void acknowledge(int member, FinishedNumbers finished) {
        Connection connection = open(member);
        FtsCopy copy = new FtsCopy(group.network(), process, "flush", new FtsCopy.Sender() {
            @Override
            public void onAnswer(Answer answer) {
                throw new IllegalStateException("acknowledgements are not answered");
            }

            @Override
            public void onLost() {
                broken(member, connection);
            }
        });
        group.network().send(copy, member, false, (node, arrived) -> node.onFinished(session.id(), finished));
    }

    @Override
    public void replied(Call caller, RequestId id, byte[] reply) {
        replied(caller, reply);
    }

    @Override
    public void notExecuted(Call caller, RequestId id, Optional<Refusal> reason, Optional<Budget> budget) {
        if (mutant() != FtsIdentities.Mutant.REFUSAL_UNNOTED) {
            life.open().computeIfPresent(id.number(), (number, noted) -> noted.refused());
        }
        notExecuted(caller, reason);
        group.identities().onRefusal(group, this);
    }

    @Override
    public void unknown(Call caller, RequestId id, Optional<Refusal> reason) {
        unknown(caller, id.number());
    }
}
