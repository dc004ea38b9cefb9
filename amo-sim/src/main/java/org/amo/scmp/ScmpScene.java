package org.amo.scmp;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.amo.sim.SimProcess;
import org.amo.sim.SimWorld;
import org.amo.sim.rules.RuleSet;

/** The setup of a run of {@code scmp} or {@code scmp-rpc}: one server's options and clocks, and its senders. */
final class ScmpScene {
    static final String EXECUTED_TWICE = "executed twice";
    static final String FALSE_REJECT = "a new message in time is refused";
    static final String STORED_FELL = "the stored latest falls";
    static final String UPPER_BEYOND = "upper is raised beyond what is old";
    static final String LOCKED_OUT = "a correct client is locked out";
    static final String WRONG_REPLY = "wrong reply";
    static final String NOT_EXECUTED_RAN = "a call that its client was told did not run was executed";
    static final String IGNORED = "a waiting client is not answered";
    static final String FORGOTTEN = "a call is refused as unknown while it runs or its reply is kept";
    static final String ACK_OF_NOTHING = "a call is acknowledged that does not run";
    static final String LED_ASTRAY = "a refusal takes a client's time further from the server's";
    static final String UNDONE = "an older refusal undoes what a newer one corrected";
    static final String NO_END = "a call does not end once";

    final SimWorld world;
    final RuleSet<ScmpRule> rules;
    final ScmpProfile profile;
    final boolean withStorage;
    final boolean serverClockSteps;
    final long skewMicros;
    final ScmpOptions options;
    final SimProcess server;
    final SimDisk disk;

    /** No more faults from here on. */
    boolean calm;

    long restarts;
    long restartedAtMicros;

    ScmpScene(SimWorld world, RuleSet<ScmpRule> rules, ScmpProfile profile) {
        this.world = world;
        this.rules = rules;
        this.profile = profile;
        this.withStorage = world.chance(0.7);
        // Without storage the clock must be monotonic: that is the variant's own assumption.
        this.serverClockSteps = withStorage && world.chance(profile.badServerClocks());
        long skewMillis = world.between(50, 300);
        this.skewMicros = skewMillis * 1_000;
        long retention = world.between(1_000, 4_000);
        boolean tight = world.chance(profile.tightTables());
        ScmpOptions.Builder builder = ScmpOptions.builder()
                .retention(Duration.ofMillis(retention))
                .skew(Duration.ofMillis(skewMillis))
                .storeInterval(Duration.ofMillis(200))
                .beta(Duration.ofMillis(200 + skewMillis + world.between(100, 2_000)))
                .maxConnections(tight ? (int) world.between(4, 20) : 100_000)
                .collectAbove(0)
                .hashSeed(world.bits());
        if (world.chance(0.5)) {
            builder.retention(Duration.ofMillis(3 * retention));
        }
        this.options = builder.build();
        this.server = new SimProcess(world, "server", 1);
        this.disk = new SimDisk(world, server);
    }

    long serverMicros() {
        return micros(server);
    }

    /** A process's wall clock. */
    static long micros(SimProcess process) {
        return process.wallMillis() * 1_000;
    }

    long retentionMicros(ConnectionId connection) {
        return options.retentionMicros().get(options.classOf(connection.uid()));
    }

    int classes() {
        return options.retentionMicros().size();
    }

    /** Whether a process's clock is in order. */
    boolean isRight(SimProcess sender) {
        return Math.abs(sender.wallOffsetMillis()) * 1_000 <= skewMicros / 2;
    }

    /** A sender's clock: in order, a little fast, or wrong. */
    void setClock(SimProcess sender) {
        if (!calm && world.happens("wrongClock", profile.badClocks())) {
            long most = world.chance(0.5) ? options.betaMicros() / 1_000 : TimeUnit.HOURS.toMillis(1);
            sender.setWallOffset(world.between(-most, most));
        } else if (world.chance(0.3)) {
            sender.setWallOffset(world.between(-skewMicros / 2_000, skewMicros / 1_000));
        } else {
            sender.setWallOffset(world.between(-skewMicros / 2_000, skewMicros / 2_000));
        }
    }

    /** Steps clocks and slows the disk until it is calm. */
    void disturb(List<SimProcess> senders) {
        if (profile.stepEveryMillis() == 0) {
            return;
        }
        world.after(world.about(profile.stepEveryMillis() * 1_000), () -> {
            if (calm) {
                return;
            }
            if (serverClockSteps && world.happens("serverClockStep", 0.3)) {
                long step = world.chance(0.7) ? world.between(100, 5_000) : TimeUnit.HOURS.toMillis(1);
                boolean forward = world.chance(0.2);
                server.setWallOffset(server.wallOffsetMillis() == 0 ? (forward ? step / 10 : -step) : 0);
            } else {
                world.fault("clockStep");
                setClock(senders.get(world.index(senders.size())));
            }
            disturb(senders);
        });
    }

    /** How the server begins: for the first time, or again. */
    StartModes.Beginning beginning(boolean again) {
        StartModes beginnings = MutantStartModes.of(options, rules);
        long now = serverMicros();
        if (!withStorage) {
            return again ? beginnings.volatileRestart(now) : beginnings.volatileFirstCreation(now);
        }
        if (disk.durable() == Long.MIN_VALUE) {
            return again ? beginnings.storageLost(now) : beginnings.firstCreation(now);
        }
        return beginnings.recovered(disk.durable(), now);
    }

    /**
     * Crashes the server now and then until it is calm.
     *
     * @param everyMillis mean; 0 for never
     */
    void crash(long everyMillis, Runnable crashed, Runnable restart) {
        if (everyMillis == 0) {
            return;
        }
        world.after(world.about(everyMillis * 1_000), () -> {
            if (calm) {
                return;
            }
            world.fault("crash");
            server.crash();
            crashed.run();
            world.after(world.between(5_000, 1_000_000), () -> {
                if (!server.isUp()) {
                    restart.run();
                    crash(everyMillis, crashed, restart);
                }
            });
        });
    }

    /** The server writes a new latest. */
    void write(long latestMicros, LongConsumer written) {
        if (!calm && world.happens("slowDisk", profile.slowDisks())) {
            disk.slowDown(world.between(200, 2_000));
        }
        disk.write(latestMicros, written);
    }

    /** Latencies of the copies of one datagram that arrive; none if it is lost. */
    long[] copies(long retentionMicros) {
        int count = 1;
        while (!calm && count < 3 && world.happens("repeated", profile.repeated())) {
            count++;
        }
        long[] latencies = new long[count];
        int arriving = 0;
        for (int i = 0; i < count; i++) {
            if (!calm && world.happens("lost", profile.lost())) {
                continue;
            }
            latencies[arriving++] = latency(retentionMicros);
        }
        return Arrays.copyOf(latencies, arriving);
    }

    private long latency(long retentionMicros) {
        if (!calm && world.happens("held", profile.held())) {
            return world.between(retentionMicros / 2, 3 * retentionMicros);
        }
        if (!calm && world.happens("slow", profile.slow())) {
            return world.between(5_000, retentionMicros - 2 * skewMicros);
        }
        return world.between(100, 5_000);
    }
}
