package org.amo.scmp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.amo.sim.SimProcess;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;
import org.jspecify.annotations.Nullable;

/** Senders of messages, and one receiver that crashes, restarts and collects. */
final class ScmpFilterPlay implements ScmpSimulation.Play {
    private static final MessageFilter.Keeper NOTHING_MORE = new MessageFilter.Keeper() {
        @Override
        public boolean mayForget(int slot, long nowMicros) {
            return true;
        }

        @Override
        public void onForgotten(int slot) {}
    };

    /** Into the calm: by then a server has stored a new latest, even if its clock was behind. */
    private static final long STRICT_FROM_MICROS = 15_300_000;

    private final ScmpScene scene;
    private final SimWorld world;
    private final List<Sender> senders = new ArrayList<>();

    /** The greatest timestamp accepted on a connection in any life: a smaller one may be refused. */
    private final Map<ConnectionId, Long> accepted = new HashMap<>();

    private @Nullable MessageFilter filter;
    private long messages;
    private long calmSent;
    private long calmAccepted;

    /** One message with all its copies. */
    private static final class Message {
        private final long number;
        private final ConnectionId connection;
        private final long timestamp;
        private final long sentAtMicros;
        private final boolean rightClock;
        private boolean executed;
        private boolean counts;

        private Message(long number, ConnectionId connection, long timestamp, long sentAtMicros, boolean rightClock) {
            this.number = number;
            this.connection = connection;
            this.timestamp = timestamp;
            this.sentAtMicros = sentAtMicros;
            this.rightClock = rightClock;
        }
    }

    private final class Sender {
        private final SimProcess process;
        private final int connections = (int) world.between(1, 6);
        private TimestampSource timestamps = new TimestampSource();
        private long high = world.bits();
        private int used;

        private Sender(String name) {
            process = new SimProcess(world, name, 1);
            scene.setClock(process);
        }

        private void restart() {
            // A new incarnation: another module id, since nothing is remembered of timestamps.
            high = world.bits();
            timestamps = new TimestampSource();
            used = 0;
        }

        private void send() {
            if (!scene.calm && world.happens("senderRestart", 0.002)) {
                restart();
            }
            int each = scene.calm ? used++ : world.index(connections);
            int retentionClass = world.index(scene.classes());
            ConnectionId connection = new ConnectionId(high, 1, ConnectionId.uid(retentionClass, each));
            long timestamp = timestamps.next(ScmpScene.micros(process));
            boolean right = scene.isRight(process) && timestamp <= ScmpScene.micros(process) + 1_000;
            Message message = new Message(++messages, connection, timestamp, world.nowMicros(), right);
            // A timestamp pushed beyond a coarse clock, to differ from the last one, may be ahead of the skew by as
            // much.
            message.counts = world.nowMicros() >= STRICT_FROM_MICROS && timestamp <= ScmpScene.micros(process);
            if (message.counts) {
                calmSent++;
            }
            for (long latency : scene.copies(scene.retentionMicros(connection))) {
                scene.server.afterInAnyLife(latency, () -> arrive(message), () -> {});
            }
            long pause = world.about(14_000);
            if (!scene.calm || world.nowMillis() + pause / 1_000 < 15_000 + 1_400) {
                world.after(pause, this::send);
            }
        }
    }

    ScmpFilterPlay(ScmpScene scene) {
        this.scene = scene;
        this.world = scene.world;
    }

    @Override
    public void start() {
        for (int i = 0; i < world.between(3, 7); i++) {
            senders.add(new Sender("s" + i));
        }
        begin(false);
        senders.forEach(sender -> world.after(world.between(300_000, 400_000), sender::send));
        scene.disturb(senders.stream().map(sender -> sender.process).toList());
        scene.crash(scene.profile.crashEveryMillis(), () -> filter = null, this::restart);
    }

    @Override
    public void becomeCalm() {
        scene.server.setWallOffset(0);
        if (!scene.server.isUp()) {
            restart();
        }
        // Wrong clocks may have spoilt old connections: calm senders are new ones.
        for (Sender sender : senders) {
            scene.setClock(sender.process);
            sender.restart();
        }
    }

    @Override
    public void checkEnd() {
        MessageFilter now = filter;
        if (now == null || calmSent == 0) {
            throw new SimViolationException(
                    ScmpScene.LOCKED_OUT, now == null ? "no server in the end" : "no message in the calm");
        }
        // After a clock that was ahead its time is in stable storage: everybody waits until real time has come there.
        boolean upperIsPast = now.upperMicros(0) <= ScmpScene.micros(scene.server) - 1_500_000;
        boolean roomy = scene.disk.isInTime() && scene.options.maxConnections() > 1_000;
        if (upperIsPast && roomy && calmAccepted < calmSent) {
            throw new SimViolationException(
                    ScmpScene.LOCKED_OUT, (calmSent - calmAccepted) + " of " + calmSent + " calm messages are refused");
        }
    }

    @Override
    public long operations() {
        return messages;
    }

    private void begin(boolean again) {
        MessageFilter begun = scene.beginning(again).filter(NOTHING_MORE);
        filter = begun;
        tick(begun);
    }

    private void tick(MessageFilter of) {
        if (of != filter) {
            return;
        }
        OptionalLong latest = of.toStore(scene.serverMicros());
        if (latest.isPresent()) {
            scene.write(latest.getAsLong(), of::onStored);
        }
        if (world.chance(0.2)) {
            collect(of);
        }
        scene.server.after(50_000, () -> tick(of));
    }

    private void collect(MessageFilter of) {
        long now = scene.serverMicros();
        long[] before = uppers(of);
        of.collect(now);
        checkUpper(before, of, now);
    }

    private long[] uppers(MessageFilter of) {
        long[] uppers = new long[scene.classes()];
        Arrays.setAll(uppers, each -> of.upperMicros(ConnectionId.uid(each, 0)));
        return uppers;
    }

    private void checkUpper(long[] before, MessageFilter of, long now) {
        for (int each = 0; each < scene.classes(); each++) {
            long after = of.upperMicros(ConnectionId.uid(each, 0));
            if (after > before[each]
                    && after > now - scene.options.retentionMicros().get(each)) {
                throw new SimViolationException(
                        ScmpScene.UPPER_BEYOND, "class " + each + ": upper " + after + " at " + now);
            }
        }
    }

    private void restart() {
        scene.server.restart();
        scene.restarts++;
        scene.restartedAtMicros = scene.serverMicros();
        begin(true);
    }

    private void arrive(Message message) {
        MessageFilter now = filter;
        if (now == null) {
            return;
        }
        long clock = scene.serverMicros();
        boolean mustBeNew = mustBeNew(message, now, clock);
        long[] before = uppers(now);
        Verdict verdict = now.accept(message.connection, message.timestamp, clock);
        checkUpper(before, now, clock);
        world.trace(() -> "message " + message.number + " " + message.connection.uid() + " ts " + message.timestamp
                + " at " + clock + ": " + verdict);
        if (verdict == Verdict.NEW) {
            if (message.executed) {
                throw new SimViolationException(
                        ScmpScene.EXECUTED_TWICE,
                        "message " + message.number + " of " + message.connection + ", ts " + message.timestamp);
            }
            message.executed = true;
            accepted.merge(message.connection, message.timestamp, Math::max);
            if (message.counts) {
                calmAccepted++;
            }
        } else if (mustBeNew && verdict != Verdict.FULL) {
            throw new SimViolationException(
                    ScmpScene.FALSE_REJECT,
                    "message " + message.number + " of " + message.connection + " was sent "
                            + (world.nowMicros() - message.sentAtMicros) + " us ago and is " + verdict);
        }
    }

    /** The paper promises to accept: clocks in order, not later than ρ, nothing newer on its connection. */
    private boolean mustBeNew(Message message, MessageFilter now, long clock) {
        long age = world.nowMicros() - message.sentAtMicros;
        boolean inTime = age < scene.retentionMicros(message.connection) - 2 * scene.skewMicros;
        boolean newest = message.timestamp > accepted.getOrDefault(message.connection, Long.MIN_VALUE);
        // After a restart only messages stamped after the bound of the crash.
        boolean afterCrash = scene.restarts == 0 || message.timestamp > restartBound();
        boolean stored = !scene.withStorage
                || (now.latestMicros(clock) > Long.MIN_VALUE
                        && scene.disk.isInTime()
                        && clock > scene.restartedAtMicros + 100_000);
        return message.rightClock
                && !scene.serverClockSteps
                && !message.executed
                && inTime
                && newest
                && afterCrash
                && stored
                && world.nowMicros() > 250_000;
    }

    private long restartBound() {
        return scene.restartedAtMicros + (scene.withStorage ? scene.options.betaMicros() : scene.skewMicros);
    }
}
